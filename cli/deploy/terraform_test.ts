import { assertEquals, assertRejects } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { findProgram } from "../programs/find_program.ts";
import { accessProblem, checkDestroyable, Terraform, TerraformError } from "./terraform.ts";

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
      [
        "Error: Failed to query available provider packages\n\nCould not retrieve the list of available versions for provider hashicorp/aws:\n" +
        "locked provider registry.terraform.io/hashicorp/aws 5.100.0 does not match\nconfigured version constraint 5.100.0, ~> 6.70; must use terraform init\n-upgrade to allow selection of new versions",
        "locked provider registry.terraform.io/hashicorp/aws 5.100.0 does not match configured version constraint 5.100.0, ~> 6.70 " +
        '(set "provider" in the manifest to a version that the folder infra takes, such as "6.73.0")',
      ],
      // The messages are those of Terraform 1.11.4: of a folder that it has made, of a mirror, and of a cache.
      ...[
        "current package for\nregistry.terraform.io/hashicorp/aws 6.73.0 doesn't match any of the checksums",
        "local package for\nregistry.terraform.io/hashicorp/aws 6.73.0 doesn't match any of the\nchecksums",
        "cached package for registry.terraform.io/hashicorp/aws 6.73.0 (in .terraform/providers)\ndoes not match any of the checksums",
      ].map((text) =>
        [
          `Error: Failed to install provider\n\nError while installing hashicorp/aws v6.73.0: the ${text}\npreviously recorded in the dependency lock file`,
          `the ${
            text.replaceAll("\n", " ")
          } (if you trust the place that it comes from, remove its block from the lock file beside the manifest)`,
        ] as const
      ),
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
        "Error: dial tcp: lookup registry.terraform.io: no such host",
        "dial tcp: lookup registry.terraform.io: no such host (check the network)",
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
      [
        'Error: Failed to get existing workspaces: S3 bucket "nope" does not exist.\n\nThe referenced',
        'S3 bucket "nope" does not exist (make the bucket of "state" first, such as with "aws s3 mb", or name another)',
      ],
      [
        'api error MovedPermanently: requested bucket from "eu-west-3", actual location "eu-west-1"',
        'requested bucket from "eu-west-3", actual location "eu-west-1" (name a bucket of the region of the deployment in "state")',
      ],
      [
        "BadRequestException: CloudWatch Logs role ARN must be set in account settings to enable logging",
        'CloudWatch Logs role ARN must be set in account settings to enable logging (set "settings.logs.requests" to false, or make the role: docs/settings.md)',
      ],
      ["AccessDenied: User: arn:aws:iam::1:user/x is not authorized", undefined],
      ["BucketAlreadyExists: The requested bucket name is not available", undefined],
    ] as const
  ) {
    assertEquals(accessProblem(message), expected);
  }
});

const program = await findProgram("terraform");
if (program === undefined) console.error("NOT RUN: prevent_destroy, because terraform is missing");

Deno.test({
  name: "checkDestroyable() names the protected resource, and the command that keeps it",
  ignore: program === undefined,
  async fn() {
    const folder = temporaryFolder();
    const env = { TF_CLI_CONFIG_FILE: "/dev/null" };
    const terraform = new Terraform(program!, folder, env, new AbortController().signal);
    const write = (isProtected: boolean) =>
      Deno.writeTextFile(
        `${folder}/main.tf.json`,
        JSON.stringify({
          resource: { terraform_data: { notes: { lifecycle: { prevent_destroy: isProtected } } } },
        }),
      );
    await write(true);
    await terraform.read("init", "-no-color");
    await terraform.run(["apply", "-auto-approve"]);
    const error = await assertRejects(() => checkDestroyable(terraform), Error);
    assertEquals(error.message.split("\n"), [
      'Cannot delete terraform_data.notes: "prevent_destroy" in the folder infra forbids it, so nothing was deleted.',
      'To delete the resource with its data, remove "prevent_destroy" in infra/, and run "mate undeploy" again.',
      'To keep the resource in the account, let Terraform forget it, and run "mate undeploy" again:',
      `  ${program} -chdir="${folder}" state rm 'terraform_data.notes'`,
    ]);
    await write(false);
    await checkDestroyable(terraform);
  },
});

Deno.test("TerraformError says each problem once", () => {
  const severity = "error";
  const problem = { severity, summary: "Precondition failed", detail: "No output" } as const;
  const { message } = new TerraformError("plan", [problem, problem]);
  assertEquals(message, "terraform plan failed\n\nPrecondition failed \nNo output");
});
