import { assertEquals } from "@std/assert";
import { accessProblem } from "./access_problem.ts";

Deno.test("accessProblem() finds the line of an error that a user can solve, and adds the remedy", () => {
  const sts =
    "Retrieving AWS account details: operation error STS: GetCallerIdentity, https response error";
  const again = 'log in again, such as with "aws sso login" or AWS_PROFILE';
  const login = 'log in first, such as with "aws sso login" or AWS_PROFILE';
  const region = 'set "region" in the manifest, or AWS_REGION, to a region of AWS';
  for (
    const [message, expected] of [
      [
        "Error: Missing region value\n\n  on main.tf.json line 11",
        `Missing region value (${region})`,
      ],
      ["invalid AWS Region: xx-nowhere-1", `invalid AWS Region: xx-nowhere-1 (${region})`],
      ["Region is missing", `Region is missing (${region})`],
      [
        "No valid credential sources found \nPlease see\n\nError: failed to refresh cached credentials",
        `No valid credential sources found (${login})`,
      ],
      [
        "failed to get shared config profile, nope",
        "failed to get shared config profile, nope (name a profile of ~/.aws/config in AWS_PROFILE)",
      ],
      [
        "CredentialsProviderError: Could not load credentials from any providers",
        `Could not load credentials from any providers (${login})`,
      ],
      [
        `${sts} StatusCode: 403, api error ExpiredToken: The security token is expired`,
        `ExpiredToken: The security token is expired (${again})`,
      ],
      [
        `${sts}, request send failed, dial tcp: lookup sts.xx.amazonaws.com: no such host`,
        "dial tcp: lookup sts.xx.amazonaws.com: no such host (check the network and the region)",
      ],
      [
        "Error: getaddrinfo ENOTFOUND logs.xx-nowhere-1.amazonaws.com",
        "getaddrinfo ENOTFOUND logs.xx-nowhere-1.amazonaws.com (check the network and the region)",
      ],
      [
        "Error: connect ECONNREFUSED 127.0.0.1:1",
        "connect ECONNREFUSED 127.0.0.1:1 (check the network and the region)",
      ],
      [
        "failed to refresh cached credentials, the SSO session has expired or is invalid",
        'failed to refresh cached credentials, the SSO session has expired or is invalid (log in again, such as with "aws sso login")',
      ],
      ["AccessDenied: User: arn:aws:iam::1:user/x is not authorized", undefined],
      ["BucketAlreadyExists: The requested bucket name is not available", undefined],
    ] as const
  ) {
    assertEquals(accessProblem(message), expected);
  }
});
