import { basename, dirname, resolve } from "node:path";

/** The variables that say who calls AWS. */
const IDENTITIES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/** The settings and logins of the AWS tools; empty if there are none. */
export async function readAwsSettings(): Promise<string> {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "";
  const files = [
    Deno.env.get("AWS_CONFIG_FILE") ?? `${home}/.aws/config`,
    Deno.env.get("AWS_SHARED_CREDENTIALS_FILE") ?? `${home}/.aws/credentials`,
  ];
  return (await Promise.all(files.map(readIfAny))).join("\n");
}

/**
 * Refuses to begin if the region or the login is certainly missing, because Terraform goes to the network before it looks
 * for them.
 *
 * @throws {Error} The message says what to do.
 */
export async function checkLogin(manifestPath: string): Promise<void> {
  const settings = await readAwsSettings();
  const path = resolve(manifestPath);
  const state = `${dirname(path)}/.mate/deploy/${basename(path, ".json")}/terraform.tfstate`;
  const hasRegion = ["AWS_REGION", "AWS_DEFAULT_REGION"].some((name) => Deno.env.get(name)) ||
    /^\s*region\s*=/m.test(settings) || /"region"\s*:/.test(await readIfAny(path)) ||
    await readIfAny(state) !== "";
  if (!hasRegion) {
    throw new Error('The region is missing: set "region" in the manifest, or AWS_REGION');
  }
  const hasLogin = IDENTITIES.some((name) => Deno.env.get(name)) ||
    /^\s*(aws_access_key_id|credential_process|login_session|role_arn|sso_)/m.test(settings);
  if (!hasLogin && !await mayBeMachineOfAws()) {
    throw new Error(
      'The login is missing: log in first, such as with "aws sso login" or AWS_PROFILE',
    );
  }
}

/** Whether this may be a machine of AWS, which logs in by itself. */
async function mayBeMachineOfAws(): Promise<boolean> {
  try {
    return /Amazon/.test(await readIfAny("/sys/class/dmi/id/sys_vendor"));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return true; // only a process with all permissions may look
    throw error;
  }
}

async function readIfAny(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const { NotFound, NotADirectory, PermissionDenied } = Deno.errors;
    if ([NotFound, NotADirectory, PermissionDenied].some((type) => error instanceof type)) {
      return "";
    }
    throw error;
  }
}
