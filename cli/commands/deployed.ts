import { UsageError } from "../arguments.ts";
import { accessProblem } from "../deploy/access_problem.ts";
import { nearest } from "../manifest/nearest.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { foldersOf, type Permissions } from "../permissions.ts";
import { readAwsSettings } from "./login.ts";

/**
 * Checks that the manifest has a function.
 *
 * @throws {UsageError} If the manifest does not have the function; the message has the nearest name.
 */
export function checkFunction(manifest: Manifest, name: string): void {
  const names = Object.keys(manifest.functions);
  if (names.includes(name)) return;
  const word = nearest(name, names);
  const hint = word === undefined
    ? `expected one of ${names.join(", ")}`
    : `did you mean "${word}"?`;
  throw new UsageError(`Unknown function "${name}": ${hint}`);
}

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
    throw new Error(`${action}: ${remedy}`, { cause: error });
  }
}

/** The hosts of AWS, and those that hand out the credentials of a machine or a container of AWS. */
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
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "";
  const text = await readAwsSettings();
  const urls = [...text.split(/[\s=]+/), ...variables.map(([, value]) => value)]
    .filter((value) => /^https?:/.test(value) && URL.canParse(value));
  const files = variables.filter(([name]) => name.endsWith("_FILE")).map(([, value]) => value);
  return {
    read: [...foldersOf(manifestPath), `${home}/.aws`, ...files],
    write: [`${home}/.aws`], // a renewed login
    net: [...AWS_HOSTS, ...urls.map((url) => new URL(url).host)],
    run: text.includes("credential_process") ? [Deno.env.get("ComSpec") ?? "/bin/sh"] : [],
    env: true,
    sys: true, // the release for the header User-Agent, certificates of NODE_EXTRA_CA_CERTS
  };
}
