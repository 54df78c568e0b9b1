/** Something that stands in the way of a deployment, and what to do about it. */
export class Obstacle extends Error {
  /** What to do about it. */
  readonly remedy: string;

  /**
   * @param message What is wrong.
   * @param remedy What to do about it.
   */
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }

  /** What an error of the cloud's client means. */
  static of(error: Error, region: string): Obstacle {
    if (error instanceof Obstacle) return error;
    const said = error.message.replace(/\s+/g, " ");
    for (const [pattern, message, remedy] of MEANINGS) {
      if (!pattern.test(`${error.name}: ${said}`)) continue;
      const profile = Deno.env.get("AWS_PROFILE");
      const whose = profile
        ? `: the profile "${profile}" of AWS_PROFILE is not there, or has none`
        : "";
      return new Obstacle(
        message.replace("{region}", region).replace("{profile}", whose),
        `${remedy} (${error.name}: ${said})`,
      );
    }
    return new Obstacle(
      `The credentials could not be checked: ${error.name}: ${said}`,
      "Try again; if it stays so, check the files in ~/.aws.",
    );
  }
}

const KEYS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";

/** Error, as `Name: message`; what it means; what to do. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, string, string])[] = [
  [
    /region is missing/i,
    "No region is chosen{profile}",
    "Pass --region, set AWS_REGION, or give the profile a region in ~/.aws/config.",
  ],
  [
    /region not accepted/i,
    "There is no such region",
    "Regions look like eu-west-1.",
  ],
  [
    /ExpiredToken|RequestExpired|token (is|has|included in the request is) expired|session (is|has) (expired|invalid)|has expired/i,
    "The credentials have expired",
    "Renew them: run aws sso login, or set new keys and AWS_SESSION_TOKEN.",
  ],
  [
    /profile .*(not be found|not found)|could not resolve credentials using profile/i,
    "The profile has no credentials",
    "Check AWS_PROFILE and the files in ~/.aws.",
  ],
  [
    /CredentialsProviderError|could not load credentials/i,
    "There are no credentials{profile}",
    `Set ${KEYS}, or make a profile in ~/.aws (aws configure) and name it by AWS_PROFILE.`,
  ],
  [
    /InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId/,
    "The credentials are not known in {region}",
    `Check ${KEYS} (and AWS_SESSION_TOKEN), and that the region is enabled in the account.`,
  ],
  [
    /SignatureDoesNotMatch|RequestTimeTooSkewed|InvalidSignature/,
    "The credentials were refused",
    "Check AWS_SECRET_ACCESS_KEY, and this machine's clock.",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|TimeoutError|error sending request|Fetch failed|dns error|did not complete within/i,
    "The cloud cannot be reached in {region}",
    "Check the network, HTTPS_PROXY and AWS_ENDPOINT_URL, and that there is such a region.",
  ],
];
