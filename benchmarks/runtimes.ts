/** A runtime to measure on. */
export interface Runtime {
  /** The name in the table, with the version. */
  readonly name: string;
  /** Runs a module in a process of its own; returns the last line that the module prints. */
  run(file: string, ...args: string[]): Promise<string>;
}

// Without concurrent compilation, no contestant waits for its compiled code on a busy machine.
const V8_FLAG = "--no-concurrent-recompilation";

const deno: Runtime = {
  name: `Deno ${Deno.version.deno}`,
  run: (file, ...args) =>
    lastLine(Deno.execPath(), ["run", "-A", "--no-config", `--v8-flags=${V8_FLAG}`, file, ...args]),
};

/** Deno, and Node.js if `node` is on the `PATH`. */
export async function findRuntimes(): Promise<Runtime[]> {
  try {
    const version = await lastLine("node", ["--version"]);
    const run = (file: string, ...args: string[]) => lastLine("node", [V8_FLAG, file, ...args]);
    return [deno, { name: `Node.js ${version.slice(1)}`, run }];
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
  if (success) return new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1)!;
  throw new Error(`Cannot run ${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** lambda-api needs these packages only to send files. */
const EXTERNAL = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];

/** Bundles and minifies a module, as for a deployment, with the Deno that runs this program. */
export async function bundle(entry: URL, file: string): Promise<void> {
  const args = EXTERNAL.flatMap((name) => ["--external", name]);
  await lastLine(Deno.execPath(), [
    "bundle",
    "--quiet",
    "--no-lock",
    "--minify",
    ...args,
    "--output",
    file,
    entry.href,
  ]);
}
