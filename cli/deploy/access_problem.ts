/** The errors of Terraform and the AWS SDK that a user can solve, each with the remedy. */
const PROBLEMS: readonly (readonly [problem: RegExp, remedy: string])[] = [
  [
    /invalid AWS region.*|missing region value|region is missing/i,
    'set "region" in the manifest, or AWS_REGION, to a region of AWS',
  ],
  [/failed to get shared config profile.*/, "name a profile of ~/.aws/config in AWS_PROFILE"],
  [/dial tcp.*|getaddrinfo.*|connect E[A-Z]+.*/, "check the network and the region"],
  [
    /no valid credential sources found|could not load credentials.*/i,
    'log in first, such as with "aws sso login" or AWS_PROFILE',
  ],
  [
    /(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch).*/,
    'log in again, such as with "aws sso login" or AWS_PROFILE',
  ],
  [/.*(?:SSO|token|session).*(?:expired|invalid).*/i, 'log in again, such as with "aws sso login"'],
];

/** Returns the line of an error message whose cause the user can remove, and the remedy. Other messages give `undefined`. */
export function accessProblem(message: string): string | undefined {
  for (const [problem, remedy] of PROBLEMS) {
    const [found] = problem.exec(message) ?? [];
    if (found !== undefined) return `${found.trim()} (${remedy})`;
  }
  return undefined;
}
