import { hasProgram, startProgram, succeed } from "../testdata/programs.ts";
import { RunningProgram } from "../testdata/running_program.ts";

/** A runtime to measure on. */
export interface Runtime {
  /** The name in the table, with the version. */
  readonly name: string;
  /** Runs a module in a process of its own; returns the last line that the module prints. */
  run(file: string, ...args: string[]): Promise<string>;
  /** Starts a module in a process of its own. */
  start(file: string, ...args: string[]): RunningProgram;
}

// Without concurrent compilation, no contestant waits for its compiled code on a busy machine.
const V8_FLAG = "--no-concurrent-recompilation";

function runtimeOf(name: string, command: string, options: readonly string[]): Runtime {
  return {
    name,
    run: (file, ...args) => lastLine(command, [...options, file, ...args]),
    start: (file, ...args) =>
      new RunningProgram(
        startProgram(command, {
          args: [...options, file, ...args],
          env: { NO_COLOR: "1" },
          stdin: "null",
          stdout: "piped",
          stderr: "piped",
        }),
      ),
  };
}

const deno = runtimeOf(`Deno ${Deno.version.deno}`, Deno.execPath(), [
  "run",
  "-A",
  "--no-config",
  `--v8-flags=${V8_FLAG}`,
]);

/** The npm package of the Node.js to measure on: the newest version that AWS Lambda has. */
const NODE = "node@24";

/** Deno, and Node.js if `npx` is on the `PATH`. */
export async function findRuntimes(): Promise<Runtime[]> {
  if (!await hasProgram("npx", `the workloads on ${NODE}`)) return [deno];
  const node = await lastLine("npx", [
    "--yes",
    `--package=${NODE}`,
    "--",
    "node",
    "-p",
    "process.execPath",
  ]);
  const version = await lastLine(node, ["--version"]);
  return [deno, runtimeOf(`Node.js ${version.slice(1)}`, node, [V8_FLAG])];
}

async function lastLine(command: string, args: readonly string[]): Promise<string> {
  const output = await succeed(command, args, { env: { NO_COLOR: "1" } });
  return output.trimEnd().split("\n").at(-1)!;
}

/** lambda-api needs these packages only to send files. */
const EXTERNAL = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];

/** Bundles and minifies a module, as for a deployment, with the Deno that runs this program. */
export async function bundle(entry: URL, file: string): Promise<void> {
  const external = EXTERNAL.flatMap((name) => ["--external", name]);
  const args = ["bundle", "--quiet", "--no-lock", "--minify", ...external, "--output", file];
  await lastLine(Deno.execPath(), [...args, entry.href]);
}
