import { cacheFolder, keep } from "./programs/downloads.ts";
import config from "./deno.json" with { type: "json" };
import { prepare } from "./programs/find_program.ts";
import { permissionFlags, type Permissions } from "./commands/permissions.ts";

/** Set in the process that the tool starts itself in. */
const VARIABLE = "MATE_RUNS_AGAIN";

/** Whether the tool comes from a registry, and not from a file. */
function isRemote(): boolean {
  return new URL(Deno.mainModule).protocol !== "file:";
}

/** The main module. A registry is asked for this version of the tool, and not for the newest. */
function mainModule(): string {
  const isPackage = Deno.mainModule.startsWith("jsr:");
  return isPackage ? `jsr:${config.name}@${config.version}` : Deno.mainModule;
}

/**
 * Whether the tool has to start again to find its packages. If the tool comes from a registry, Deno takes the packages of the
 * tool from where the user's folder says: from its `node_modules` if there is a `package.json`.
 */
export function hasToRunAgain(): boolean {
  return isRemote() && !Deno.env.has(VARIABLE);
}

/** How the tool starts again. */
export interface Restart {
  /** The permissions; all of them by default. */
  readonly permissions: Permissions | undefined;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

/** Runs a command of the tool in another process, which limits its own permissions, and returns what it prints. */
export async function readCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const options = { permissions: undefined, args, signal };
  const { success, stdout, stderr } = await prepare(Deno.execPath(), {
    args: await argumentsOf(options),
    env: { ...env, [VARIABLE]: "1", NO_COLOR: "1" },
    signal,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(new TextDecoder().decode(stderr).trim().replace(/^Error: /, ""));
}

/** The arguments of the Deno that runs the main module once more. */
async function argumentsOf({ permissions, args }: Restart): Promise<string[]> {
  const own = isRemote() ? await ownFlags() : localFlags();
  const all = ["--quiet", "--allow-all"];
  const granted = permissions ? [...permissionFlags(permissions), ...importFlags()] : all;
  return ["run", ...granted, ...own, mainModule(), ...args];
}

/** Runs the main module once more, in another process, and returns its exit status. */
export async function runAgain(options: Restart): Promise<number> {
  const { permissions, signal } = options;
  const child = prepare(Deno.execPath(), {
    args: await argumentsOf(options),
    env: { [VARIABLE]: "1", ...(permissions && await ownTemporaryFolder()) },
  }).spawn();
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  const { code } = await child.status;
  signal.removeEventListener("abort", stop);
  return code;
}

/** The variables for temporary files in a folder that no other program uses, because packages may read and write it. */
async function ownTemporaryFolder(): Promise<Record<string, string>> {
  const folder = `${cacheFolder()}/tmp`;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  return { TMPDIR: folder, TMP: folder, TEMP: folder };
}

/** The flags that say where the packages of a tool from a registry are. */
async function ownFlags(): Promise<string[]> {
  const lock = `${cacheFolder()}/packages-${config.version}.lock.json`;
  const { default: packages } = await import("./packages.lock.json", { with: { type: "json" } });
  await keep(lock, new TextEncoder().encode(JSON.stringify(packages)));
  return ["--no-config", `--lock=${lock}`];
}

/**
 * The flags of a tool from npm, as its launcher has them. The configuration of a checkout says where its packages are; without
 * a lock file, Deno would choose their versions again at each start.
 */
function localFlags(): string[] {
  const isPackage = new URL(Deno.mainModule).pathname.includes("/node_modules/");
  return isPackage
    ? ["--no-config", "--no-lock", "--node-modules-dir=manual"]
    : [`--lock=${cacheFolder()}/checkout-${Deno.version.deno}.lock.json`]; // a newer Deno may have a newer format
}

/** The flag that permits the modules of the tool itself. */
function importFlags(): string[] {
  return isRemote() ? [`--allow-import=${new URL(import.meta.url).host}`] : [];
}
