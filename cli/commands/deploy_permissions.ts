import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { checkNpmSettings } from "../bundle/bundler/npm_settings.ts";
import { lockFileOf } from "../manifest/provider.ts";
import { cacheFolder } from "../programs/downloads.ts";
import {
  CHILD_VARIABLES,
  CONFIGS,
  findProgram,
  ignorePrograms,
  prepare,
  programFolders,
} from "../programs/find_program.ts";
import {
  denoFolders,
  NODE_RUNTIMES,
  nodeFolders,
  type NodeRuntime,
} from "../programs/pinned_packages.ts";
import { findTerraform } from "../programs/find_terraform.ts";
import { applicationFolder, isInside, permissionFlags, type Permissions } from "./permissions.ts";
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
 * process may write only to the folder `.mate`, the lock file of the provider, and the cache of this tool, which also has the
 * temporary files.
 *
 * @throws {Error} If Terraform is not installed and cannot be downloaded, or if the process could replace a program that it runs.
 */
export async function deployPermissions(manifestPath: string): Promise<Permissions> {
  const folder = applicationFolder(manifestPath);
  ignorePrograms(folder); // examples/deploy.sh begins here
  await checkNpmSettings(folder); // with ~/.npmrc, which the deployment may not read
  const unshare = await findProgram("unshare");
  // A function for Node.js is started once, in a sandbox.
  const node = unshare === undefined ? [] : runtimesIn(manifestPath).flatMap(nodeFolders);
  const runtimes = [...denoFolders(), ...node];
  const lock = join(folder, basename(lockFileOf(manifestPath)));
  const write = [join(folder, ".mate"), lock, cacheFolder(), ...runtimes];
  const run = [
    Deno.execPath(),
    await findTerraform(console.error),
    ...(unshare === undefined ? [] : [unshare]),
  ];
  checkPrograms(run, write);
  const registry = Deno.env.get("NPM_CONFIG_REGISTRY") || Deno.env.get("npm_config_registry") || "";
  return {
    read: [
      folder,
      cacheFolder(),
      ...runtimes,
      ...configFiles(folder),
      ...await packageFolders(folder),
      ...toolFolder(),
      ...programFolders(),
      Deno.execPath(),
    ],
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

/** The runtimes of Node.js that a manifest names. The manifest is checked later. */
function runtimesIn(manifestPath: string): NodeRuntime[] {
  if (!existsSync(manifestPath)) return [];
  const text = readFileSync(manifestPath, "utf8");
  return NODE_RUNTIMES.filter((runtime) => text.includes(runtime));
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

/**
 * The folder of the manifest without links, and the files there and above that tell which folders belong to the application, and
 * how its modules are bundled.
 */
function configFiles(folder: string): string[] {
  const filesIn = (path: string) =>
    [...CONFIGS, ".npmrc", "deno.lock", "tsconfig.json"].map((name) => join(path, name));
  const above = foldersAbove(folder);
  const files = above.flatMap(filesIn);
  return [above[0]!, ...files, ...files.flatMap(linksIn).flatMap(filesIn)];
}

/**
 * The packages that the application can import: those in `node_modules` and those that Deno has downloaded. Without reading
 * them, nobody could tell whether a bundle of an earlier run is still right. The bundler reads them as well.
 */
async function packageFolders(folder: string): Promise<string[]> {
  const args = ["info", "--json", "--no-config"]; // A configuration could name another folder.
  const { success, stdout, stderr } = await prepare(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
  const { npmCache, modulesCache } = JSON.parse(new TextDecoder().decode(stdout));
  return [
    npmCache,
    modulesCache,
    ...foldersAbove(folder).map((path) => join(path, "node_modules")),
  ];
}

/** The modules of the tool, which also decide what a bundle is. A tool from JSR has no folder. */
function toolFolder(): string[] {
  return import.meta.dirname === undefined ? [] : [dirname(import.meta.dirname)];
}

/** A folder without links, and all folders above it. */
function foldersAbove(folder: string): string[] {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const above = (path: string): string[] =>
    dirname(path) === path ? [path] : [path, ...above(dirname(path))];
  return above(real);
}

/** The folders in `links` of a configuration. The bundler reads them exactly, and checks that they have a project. */
function linksIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const [, list = ""] = /"links"\s*:\s*\[([^\]]*)\]/.exec(readFileSync(file, "utf8")) ?? [];
  return Array.from(list.matchAll(/"([^"]+)"/g), ([, link]) => resolve(dirname(file), link!));
}
