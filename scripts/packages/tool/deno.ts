/**
 * Starts the tool with the Deno of the npm package `deno`. This module runs on Node.js.
 *
 * @module
 */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The configuration of the folder does not count, because it can run scripts and send keys before the tool starts. */
const FLAGS = ["--quiet", "--allow-all", "--no-lock", "--no-config", "--node-modules-dir=manual"];

/**
 * Starts the tool with these arguments.
 *
 * @throws {Error} If Deno is missing, or if Yarn keeps the packages in archives, which Deno does not read.
 */
export function startTool(args: readonly string[], options: SpawnOptions): ChildProcess {
  checkPackages(process.versions);
  const main = fileURLToPath(new URL("tool/main.js", import.meta.url));
  return spawn(denoProgram(), ["run", ...FLAGS, main, ...args], options);
}

/**
 * Checks that the packages are in folders, and not in archives of Yarn's Plug'n'Play.
 *
 * @param versions Those of the process.
 */
export function checkPackages(versions: Readonly<Record<string, string | undefined>>): void {
  if (versions.pnp === undefined) return;
  throw new Error(
    "Cannot run with Yarn's Plug'n'Play, because Deno needs the packages in node_modules: " +
      'write the line "nodeLinker: node-modules" into .yarnrc.yml, and run "yarn install"',
  );
}

/** The path of Deno. The launcher of the package `deno` is not used, because it passes no signals on. */
function denoProgram(): string {
  const require = createRequire(import.meta.url);
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      `Cannot find Deno: ${message}: install @mate/cli again, with its optional dependencies`,
      { cause },
    );
  }
}
