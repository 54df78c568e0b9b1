/** The programs to measure: clients of the Runtime API that serve the same functions. */
import { hasProgram } from "../../testdata/programs.ts";
import { bundle } from "../runtimes.ts";

const HERE = new URL(".", import.meta.url);

/** A program that serves the Runtime API. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The cache folder of Deno; without it every start has an empty one. */
  readonly denoDir?: string;
}

/** Bundles the bootstrap and the function into a folder that stands for `/var/task`. */
export async function build(folder: string): Promise<void> {
  await bundle(new URL("../../runtime/bootstrap.ts", HERE), `${folder}/bootstrap.mjs`);
  await bundle(new URL("function.ts", HERE), `${folder}/function.mjs`);
}

const PERMISSIONS = ["--no-prompt", "--allow-env", "--allow-net", "--allow-read", "--allow-sys"];

/** The runtime of `@mate/core` on Deno. */
export function ours(folder: string, denoDir?: string, ...flags: string[]): Program {
  const args = ["run", ...flags, ...PERMISSIONS, `${folder}/bootstrap.mjs`];
  return { name: "@mate/core", command: Deno.execPath(), args, ...denoDir && { denoDir } };
}

/** The other programs that can run on this machine. */
export async function others(folder: string): Promise<Program[]> {
  const loop = new URL("fetch_loop.mjs", HERE).pathname;
  const args = ["run", ...PERMISSIONS, loop];
  const onDeno = { name: "fetch on Deno", command: Deno.execPath(), args };
  if (!await hasProgram("node", "the programs on Node.js")) return [onDeno];
  return [
    onDeno,
    { name: "@mate/core on Node.js", command: "node", args: [`${folder}/bootstrap.mjs`] },
    { name: "fetch on Node.js", command: "node", args: [loop] },
  ];
}

/** Starts a program with the environment that Lambda sets. */
export async function start(
  { command, args, denoDir }: Program,
  folder: string,
  api: string,
): Promise<Deno.ChildProcess> {
  return new Deno.Command(command, {
    args: [...args],
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: "/tmp",
      DENO_DIR: denoDir ?? await Deno.makeTempDir({ dir: folder }),
      AWS_LAMBDA_RUNTIME_API: api,
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      AWS_REGION: "eu-west-1",
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: "function.handler",
    },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}
