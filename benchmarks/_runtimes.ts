/** A runtime to measure on. */
export interface Runtime {
  /** What the tables call it, with its version. */
  readonly name: string;
  /** Runs a module in a process of its own and returns the last line that it prints. */
  run(file: string, options?: RunOptions): Promise<string>;
}

/** How to run a module. */
export interface RunOptions {
  /** Arguments for the module. */
  readonly args?: readonly string[];
  /** Flags for the engine, which both runtimes have. */
  readonly engineFlags?: readonly string[];
}

const deno: Runtime = {
  name: `Deno ${Deno.version.deno}`,
  run: (file, { args = [], engineFlags = [] } = {}) =>
    lastLine(Deno.execPath(), [
      "run",
      "--allow-all",
      "--no-config",
      ...(engineFlags.length === 0 ? [] : [`--v8-flags=${engineFlags.join(",")}`]),
      file,
      ...args,
    ]),
};

/** The runtimes there are: Deno, and Node.js where it is on the `PATH`. */
export async function findRuntimes(): Promise<Runtime[]> {
  try {
    const version = await lastLine("node", ["--version"]);
    return [deno, {
      name: `Node.js ${version.slice(1)}`,
      run: (file, { args = [], engineFlags = [] } = {}) =>
        lastLine("node", [...engineFlags, file, ...args]),
    }];
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.error("NOT MEASURED on Node.js: there is no `node` on the PATH");
    return [deno];
  }
}

async function lastLine(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new Error(`Cannot run ${command} ${args.join(" ")}: ${decoder.decode(stderr)}`);
  }
  return decoder.decode(stdout).trimEnd().split("\n").at(-1) ?? "";
}
