import { assertEquals, assertMatch } from "@std/assert";

const here = new URL("../", import.meta.url).pathname.replace(/\/$/, "");

/** What Terraform prints, and what the scripts say to it. */
const FAILURES: Record<string, readonly [log: string, remedy: RegExp]> = {
  "a state that is locked": [
    "│ Error: Error acquiring the state lock\n│ \n│ Error message: resource temporarily unavailable\n" +
    "│ Lock Info:\n\x1b[31m│\x1b[0m \x1b[0m  ID:        0f3ab6d1-7c52-4e0e-9d3c-0a5f1e2b4c6d\n│   Path:      x",
    /Another run holds the state\. .*\n.*-chdir="\S+\/tf" force-unlock 0f3ab6d1-7c52-4e0e-9d3c-0a5f1e2b4c6d\n$/,
  ],
  "credentials that expire on the way": [
    "Error: creating IAM Role (x): operation error IAM: CreateRole, https response error StatusCode: 403, " +
    "api error ExpiredToken: The security token included in the request is expired",
    /The credentials expired on the way\. Renew them/,
  ],
  "credentials that are refused": [
    "Error: No valid credential sources found",
    /The credentials were refused\. Set AWS_PROFILE/,
  ],
  "credentials of another account meanwhile": [
    "Error: AWS account ID not allowed: 210987654321",
    /The credentials changed between the check and the deployment/,
  ],
  "a missing permission": [
    "Error: api error AccessDenied: User: arn:aws:iam::123456789012:user/x is not authorized to perform: iam:CreateRole",
    /The credentials lack the permission named above/,
  ],
  "a name that is taken": [
    "Error: api error EntityAlreadyExists: Role with name mate-example-okay-eu-west-1 already exists.",
    /Something of this name is there that the state knows nothing of/,
  ],
  "a provider that cannot be fetched": [
    "Error: Failed to query available provider packages\nCould not retrieve the list of available versions for " +
    "provider hashicorp/aws: could not connect to registry.terraform.io",
    /could not fetch the provider hashicorp\/aws\. Check the network .*\n.*filesystem_mirror/,
  ],
  "a network that fails on the way": [
    'Error: Post "https://lambda.eu-west-1.amazonaws.com/": dial tcp: lookup failed: no such host',
    /The network failed on the way\. Check it and run the script again/,
  ],
  "anything else": [
    "Error: Invalid value for variable",
    /Terraform says above what is wrong/,
  ],
};

for (const [failure, [log, remedy]] of Object.entries(FAILURES)) {
  Deno.test({
    name: `explain() shows what Terraform said and the remedy for ${failure}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const state = await Deno.makeTempDir();
      try {
        await Deno.writeTextFile(`${state}/last.log`, `${log}\n`);
        const line =
          'here=$1; . "$here/deploy/common.sh"; state=$2; shown=; TERRAFORM=terraform; ' +
          'TF_DATA_DIR=$state; explain "It failed"; echo not reached';
        const { code, stdout, stderr } = await new Deno.Command("bash", {
          args: ["-c", line, "-", here, state],
        }).output();
        const said = new TextDecoder().decode(stderr);
        assertEquals([code, stdout.length], [1, 0]);
        assertEquals(said.slice(0, log.length), log);
        assertMatch(said, /\nError: It failed\n/);
        assertMatch(said, remedy);
      } finally {
        await Deno.remove(state, { recursive: true });
      }
    },
  });
}
