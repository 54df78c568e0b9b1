import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { cacheFolder } from "../bundle/downloads.ts";
import { CHILD_VARIABLES, CONFIGS } from "../bundle/child_environment.ts";
import { findTerraform } from "../deploy/find_terraform.ts";
import {
  foldersOf,
  permissionFlags,
  type Permissions,
  programFolders,
  temporaryFolder,
} from "../permissions.ts";
import { checkLogin } from "./aws.ts";

// As a program, this module prints the flags of Deno, each in a line.
if (import.meta.main) {
  try {
    if (!Deno.args.includes("--help")) await checkLogin(Deno.args[0]!);
    console.log(permissionFlags(await deployPermissions(Deno.args[0]!)).join("\n"));
  } catch (error) {
    console.error(`Error: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

/**
 * The permissions to deploy. Terraform inherits the keys of the cloud, and no package can read them from the environment. If
 * Terraform is missing, it is fetched here: the process with these permissions may not run a program that it may write.
 *
 * @throws {Error} If Terraform is neither installed nor can be fetched.
 */
export async function deployPermissions(manifestPath: string): Promise<Permissions> {
  const terraform = await findTerraform(console.error);
  const own = [...foldersOf(manifestPath), temporaryFolder(), cacheFolder()];
  const registry = Deno.env.get("NPM_CONFIG_REGISTRY") || Deno.env.get("npm_config_registry") || "";
  return {
    read: [...own, ...configFiles(manifestPath), ...programFolders(), Deno.execPath()],
    write: own,
    net: [
      URL.canParse(registry) ? new URL(registry).host : "registry.npmjs.org",
      "127.0.0.1", // the Runtime API of functions that are warmed
    ],
    run: [Deno.execPath(), terraform, "unshare"],
    env: [...CHILD_VARIABLES, "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"],
    sys: ["uid"],
  };
}

/** The folder of the manifest without links, and the files there and above that tell which folders belong to the application. */
function configFiles(manifestPath: string): string[] {
  const folder = dirname(resolve(manifestPath));
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const above = (path: string): string[] =>
    dirname(path) === path ? [path] : [path, ...above(dirname(path))];
  return [real, ...above(real).flatMap((path) => CONFIGS.map((name) => join(path, name)))];
}
