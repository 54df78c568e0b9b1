import { existsSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { accessProblem } from "../deploy/terraform.ts";
import { applicationFolder, type Permissions } from "./permissions.ts";

/**
 * Calls AWS, and explains the errors that a user can mend.
 *
 * @throws {Error} If the call fails.
 */
export async function callAws<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { name, message } = error as Error;
    const remedy = name === "ResourceNotFoundException"
      ? "it is not deployed, or in another region: run mate deploy"
      : accessProblem(`${name}: ${message}`) ?? message;
    const isSaid = remedy.startsWith(`${action}: `); // by the local platform
    throw new Error(isSaid ? remedy : `${action}: ${remedy}`, { cause: error });
  }
}

/** The hosts of AWS, and the hosts that give credentials to a machine or a container of AWS. */
const AWS_HOSTS = [
  "*.amazonaws.com",
  "*.amazonaws.com.cn",
  "*.api.aws",
  "*.aws.amazon.com",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
];

/** The permissions to call AWS by its SDK: the network of AWS, and the settings and logins of the AWS tools. */
export async function sdkPermissions(manifestPath: string): Promise<Permissions> {
  const variables = Object.entries(Deno.env.toObject()).filter(([name]) => name.startsWith("AWS_"));
  const text = await readSettings();
  const urls = [...text.split(/[\s=]+/), ...variables.map(([, value]) => value)]
    .filter((value) => /^https?:/.test(value) && URL.canParse(value));
  const files = variables.filter(([name]) => name.endsWith("_FILE")).map(([, value]) => value);
  const folder = `${home()}/.aws`;
  return {
    read: [applicationFolder(manifestPath), folder, ...files],
    write: [folder], // a renewed login
    net: [...AWS_HOSTS, ...urls.map((url) => new URL(url).host)],
    run: text.includes("credential_process") ? [Deno.env.get("ComSpec") ?? "/bin/sh"] : [],
    env: true,
    sys: true, // the release for the header User-Agent, certificates of NODE_EXTRA_CA_CERTS
  };
}

/** The variables that say who calls AWS. */
const IDENTITIES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/**
 * Checks that there may be a region and a login, because Terraform uses the network before it looks for them.
 *
 * @throws {Error} If the region or the login is certainly missing. The message says what to do.
 */
export async function checkLogin(manifestPath: string): Promise<void> {
  const settings = await readSettings();
  const path = resolve(manifestPath);
  const hasRegion = ["AWS_REGION", "AWS_DEFAULT_REGION"].some((name) => Deno.env.get(name)) ||
    /^\s*region\s*=/m.test(settings) || /"region"\s*:/.test(await readIfAny(path)) ||
    hasState(`${dirname(path)}/.mate/deploy`);
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

/** Whether a deployment has a state, which has the region. A run that failed at once leaves a folder without a state. */
function hasState(deployments: string): boolean {
  const names = existsSync(deployments) ? readdirSync(deployments) : [];
  return names.some((name) =>
    ["terraform.tfstate", ".terraform"].some((file) => existsSync(`${deployments}/${name}/${file}`))
  );
}

/** Whether this may be a machine of AWS. Such a machine logs in by itself. */
async function mayBeMachineOfAws(): Promise<boolean> {
  try {
    return /Amazon/.test(await readIfAny("/sys/class/dmi/id/sys_vendor"));
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return true; // only a process with all permissions may look
    throw error;
  }
}

/** Reads the settings and logins of the AWS tools. */
async function readSettings(): Promise<string> {
  const files = [
    Deno.env.get("AWS_CONFIG_FILE") ?? `${home()}/.aws/config`,
    Deno.env.get("AWS_SHARED_CREDENTIALS_FILE") ?? `${home()}/.aws/credentials`,
  ];
  return (await Promise.all(files.map(readIfAny))).join("\n");
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

function home(): string {
  return Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "";
}
