import { isAbsolute, parse, resolve } from "node:path";
import { reasonAt, REGISTRY_REMEDY, registryOf } from "../../programs/downloads.ts";
import { childEnvironment, prepareApart } from "../../programs/find_program.ts";
import type { Graph } from "../packages/graph.ts";

/** The package of esbuild, as in `deno.json`. */
export const ESBUILD = "npm:esbuild@0.28.2";

interface Esbuild {
  /** The program of this machine. */
  readonly program: string;
  /** Deno's cache. */
  readonly denoDir: string;
  /** The folder of the npm packages in Deno's cache, without links. */
  readonly npmCache: string;
}

let found: Promise<Esbuild> | undefined;

/** Finds the program of esbuild in Deno's cache. Deno downloads it if it is missing. */
export function findEsbuild(signal: AbortSignal | undefined): Promise<Esbuild> {
  found ??= lookInCache().catch(() => askForEsbuild(signal)); // Deno has another cache, or has to download it.
  found.catch(() => found = undefined);
  return found;
}

/** Looks where Deno keeps the packages of npm's own registry. Asking Deno takes longer. */
export async function lookInCache(): Promise<Esbuild> {
  const home = Deno.env.get("HOME");
  const caches = Deno.build.os === "darwin"
    ? `${home}/Library/Caches`
    : Deno.env.get("XDG_CACHE_HOME") || `${home}/.cache`;
  const folder = Deno.env.get("DENO_DIR") || `${caches}/deno`;
  if (!isAbsolute(folder)) throw new Error("Cannot trust a cache whose path is not absolute");
  const denoDir = await Deno.realPath(folder);
  const npmCache = await Deno.realPath(`${denoDir}/npm`);
  const program = programIn(`${npmCache}/registry.npmjs.org`, ESBUILD.replace(/.*@/, ""));
  await Deno.stat(program);
  return { program, denoDir, npmCache };
}

/** The program of this machine in the folder of a registry. */
function programIn(registry: string, version: string): string {
  const { os, arch } = Deno.build;
  const platform = `${os === "windows" ? "win32" : os}-${arch === "aarch64" ? "arm64" : "x64"}`;
  const binary = os === "windows" ? "esbuild.exe" : "bin/esbuild";
  return resolve(registry, `@esbuild/${platform}/${version}/${binary}`);
}

/**
 * Asks Deno, which downloads esbuild if it is missing. Deno keeps an answer of a registry that it cannot use, so it is told to ask
 * again.
 *
 * @throws {Error} If the registry fails. The message names the package, the reason and what to do.
 */
export async function askForEsbuild(signal: AbortSignal | undefined): Promise<Esbuild> {
  const problem = await ask(signal, []);
  if (typeof problem !== "string") return problem;
  const again = await ask(signal, ["--reload=npm:"]);
  if (typeof again !== "string") return again;
  const reason = await reasonAt(registryOf("esbuild"), signal) ?? again;
  throw new Error(`Cannot download the package "esbuild": ${reason}; ${REGISTRY_REMEDY}`);
}

/** Asks Deno for the package. Returns the reason if it is not there. */
async function ask(
  signal: AbortSignal | undefined,
  flags: readonly string[],
): Promise<Esbuild | string> {
  const command = await prepareApart(Deno.execPath(), {
    args: ["info", "--json", "--no-config", "--no-lock", ...flags, ESBUILD],
    cwd: root(),
    clearEnv: true,
    env: { ...childEnvironment(), NO_COLOR: "1" },
    ...(signal && { signal }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  signal?.throwIfAborted();
  if (!success) return new TextDecoder().decode(stderr).trim().replace(/^error: /, "");
  // If the registry fails, Deno succeeds, and tells the reason in place of the package.
  const { npmPackages = {}, modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const found = Object.values(npmPackages).find(({ name }) => name === "esbuild");
  if (found === undefined) {
    return modules.find(({ error }) => error !== undefined)?.error ?? "Deno does not find it";
  }
  const { localPath, version } = found;
  const program = programIn(resolve(localPath, "../.."), version);
  if (!await Deno.stat(program).then(({ isFile }) => isFile, () => false)) {
    return `the file "${program}" is not there`;
  }
  return {
    program,
    denoDir: resolve(Deno.env.get("DENO_DIR") || resolve(localPath, "../../../..")),
    npmCache: resolve(localPath, "../../.."), // Deno names it without links.
  };
}

/** The root of the file system, where no configuration of a project is. */
export function root(): string {
  return parse(Deno.execPath()).root;
}
