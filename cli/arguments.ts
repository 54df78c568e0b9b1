import { parseArgs } from "node:util";

/** What `--help` prints. */
export const HELP = `Runs an application on this machine, as it would run in the cloud.

Usage: main [OPTIONS] MANIFEST

Arguments:
  MANIFEST         The manifest of the application, such as app.json

Options:
  --port NUMBER    The port to listen on; 0 for any that is free (8000)
  --data FOLDER    The folder for the objects of the buckets (.mate/NAME)
  --in-process     Run the functions in this process, for breakpoints of a debugger
                   (which "deno run --inspect-brk" waits for)
  --help           Print this
`;

/** The options of the command line. */
export interface CliOptions {
  /** The path of the manifest. */
  readonly manifestPath: string;
  readonly port: number;
  /** The folder for the objects of the buckets; `undefined` for the default. */
  readonly data: string | undefined;
  /** Whether the functions run in this process. */
  readonly isInProcess: boolean;
}

/** The command line is wrong. */
export class UsageError extends Error {
  /** Makes the error; its message names the argument. */
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/**
 * Reads the command line.
 *
 * @throws {UsageError} If an argument is wrong; the message names it.
 */
export function readArguments(args: readonly string[]): CliOptions | "help" {
  let parsed;
  try {
    parsed = parseArgs({
      args: args.filter((arg) => arg !== "--"), // which some write before the arguments of a task
      allowPositionals: true,
      options: {
        port: { type: "string", default: "8000" },
        data: { type: "string" },
        "in-process": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nTry --help`);
  }
  const { values: { port, data, help, "in-process": isInProcess }, positionals } = parsed;
  if (help) return "help";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`Cannot use the port "${port}": expected a number from 0 to 65535`);
  }
  const [manifestPath, second] = positionals;
  if (manifestPath === undefined) {
    throw new UsageError("The manifest is missing: name it, such as app.json\nTry --help");
  }
  if (second !== undefined) {
    throw new UsageError(`Unexpected argument "${second}": name one manifest\nTry --help`);
  }
  return { manifestPath, port: Number(port), data, isInProcess };
}
