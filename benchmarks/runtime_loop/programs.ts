/** The programs to measure: clients of the Runtime API that serve the same functions. */
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
export function others(folder: string): Program[] {
  const loop = new URL("fetch_loop.mjs", HERE).pathname;
  const args = ["run", ...PERMISSIONS, loop];
  const programs: Program[] = [{ name: "fetch on Deno", command: Deno.execPath(), args }];
  if (!isInstalled("node")) {
    console.error("NOT MEASURED: the programs on Node.js, because there is no `node` on the PATH");
    return programs;
  }
  const onNode = (name: string, ...args: string[]) =>
    programs.push({ name: `${name} on Node.js`, command: "node", args });
  onNode("@mate/core", `${folder}/bootstrap.mjs`);
  onNode("fetch", loop);
  const official = Deno.env.get("AWS_LAMBDA_RIC");
  if (official) onNode("aws-lambda-ric", `${official}/bin/index.mjs`);
  else console.error("NOT MEASURED: aws-lambda-ric; set AWS_LAMBDA_RIC, see benchmarks/README.md");
  return programs;
}

function isInstalled(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"] }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Starts a program with the environment that Lambda sets. */
export async function start(
  { name, command, args, denoDir }: Program,
  folder: string,
  api: string,
): Promise<Deno.ChildProcess> {
  return new Deno.Command(command, {
    args: name.startsWith("aws-lambda-ric") ? [...args, "function.handler"] : [...args],
    cwd: folder, // aws-lambda-ric looks for the handler here
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

/** Ends a process and waits for its end. */
export async function stop(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the process has ended by itself
  }
  await child.status;
}
