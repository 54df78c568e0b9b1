import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../bundle/downloads.ts";
import { CHILD_VARIABLES, CONFIGS } from "../bundle/child_environment.ts";
import { findTerraform } from "../deploy/find_terraform.ts";
import { findProgram } from "../find_program.ts";
import {
  applicationFolder,
  isInside,
  permissionFlags,
  type Permissions,
  programFolders,
} from "../permissions.ts";
import { checkLogin } from "./aws.ts";

// As a program, this module prints the flags of Deno, each in a line.
if (import.meta.main) {
  try {
    const [path, ...options] = Deno.args;
    if (options.includes("--help")) console.log("--no-prompt"); // The help needs no login and no Terraform.
    else {
      await checkLogin(path!);
      console.log(permissionFlags(await deployPermissions(path!)).join("\n"));
    }
  } catch (error) {
    console.error(`Error: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

/**
 * The permissions to deploy. Terraform inherits the keys of the cloud, and no package can read them from the environment. The
 * process may write only to the folder `.mate` and to the cache of this tool, which also has the temporary files.
 *
 * @throws {Error} If Terraform is not installed and cannot be downloaded, or if the process could replace a program that it runs.
 */
export async function deployPermissions(manifestPath: string): Promise<Permissions> {
  const folder = applicationFolder(manifestPath);
  const write = [join(folder, ".mate"), cacheFolder()];
  const unshare = await findProgram("unshare");
  const run = [
    Deno.execPath(),
    await findTerraform(console.error),
    ...(unshare === undefined ? [] : [unshare]),
  ];
  checkPrograms(run, write);
  const registry = Deno.env.get("NPM_CONFIG_REGISTRY") || Deno.env.get("npm_config_registry") || "";
  return {
    read: [folder, cacheFolder(), ...configFiles(folder), ...programFolders(), Deno.execPath()],
    write,
    net: [
      URL.canParse(registry) ? new URL(registry).host : "registry.npmjs.org",
      "127.0.0.1", // the Runtime API of functions that are warmed
    ],
    run,
    env: [
      ...CHILD_VARIABLES,
      "AWS_REGION",
      "AWS_DEFAULT_REGION",
      "AWS_ENDPOINT_URL",
      "__MINIMATCH_TESTING_PLATFORM__", // matchesGlob() of Deno reads it
    ],
    sys: ["uid"],
  };
}

/** Forbids that a program is where the process may write: the process could replace the program by another. */
function checkPrograms(programs: readonly string[], writable: readonly string[]): void {
  for (const program of programs) {
    const folder = writable.find((folder) => isInside(program, folder));
    if (folder === undefined) continue;
    throw new Error(
      `Cannot run "${program}" beside the keys of your cloud: a deployment may write to "${folder}", ` +
        "so a package could replace the program; install it elsewhere",
    );
  }
}

/** The folder of the manifest without links, and the files there and above that tell which folders belong to the application. */
function configFiles(folder: string): string[] {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const above = (path: string): string[] =>
    dirname(path) === path ? [path] : [path, ...above(dirname(path))];
  return [real, ...above(real).flatMap((path) => CONFIGS.map((name) => join(path, name)))];
}
