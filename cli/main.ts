/**
 * The tool `mate`: runs, tests, bundles and deploys an application of AWS Lambda functions.
 *
 * ```sh
 * deno run -A jsr:@mate/cli new shop    # an application with one function and its test
 * deno run -A jsr:@mate/cli dev         # runs it on this machine
 * deno run -A jsr:@mate/cli --help      # all commands
 * ```
 *
 * The commands read the manifest `app.json` in the current folder, or the manifest that an argument names. The exit status is
 * 0, 1 if the command failed, 2 if it was used wrongly, and 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP. A second such
 * signal ends the command at once. Colours appear on terminals only.
 *
 * @module
 */
import { columns, helpOf, readArguments, UsageError } from "./arguments.ts";
import { bundle } from "./commands/bundle.ts";
import type { Command } from "./commands/command.ts";
import { deployCommand, undeployCommand } from "./commands/deploy.ts";
import { dev } from "./commands/dev.ts";
import { invoke } from "./commands/invoke.ts";
import { logs } from "./commands/logs.ts";
import { newApp } from "./commands/new.ts";
import { schema } from "./commands/schema.ts";
import config from "./deno.json" with { type: "json" };
import { denoProblem } from "./deno_version.ts";
import { onInterruption } from "./interruption.ts";
import { nearest } from "./manifest/nearest.ts";

const COMMANDS: readonly Command[] = [
  newApp,
  dev,
  invoke,
  bundle,
  deployCommand,
  undeployCommand,
  logs,
  schema,
];

if (import.meta.main) Deno.exit(await main(Deno.args));

/**
 * Runs the tool.
 *
 * @param args The arguments: a command, its arguments and its options.
 * @returns The exit status.
 *
 * @example Printing the version
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { main } from "@mate/cli";
 *
 * assertEquals(await main(["--version"]), 0);
 * ```
 */
export async function main(args: readonly string[]): Promise<number> {
  const problem = denoProblem();
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  const isColored = Deno.stderr.isTerminal() && !Deno.noColor;
  using interruption = onInterruption();
  try {
    const isDone = await runCommand(args, interruption.signal);
    return isDone ? 0 : 1;
  } catch (error) {
    if (interruption.signal.aborted) return interruption.status;
    const label = isColored ? "\x1b[31mError\x1b[0m" : "Error";
    console.error(`${label}: ${(error as Error).message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(
  [name = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const output = new AbortController();
  const surroundings = {
    signal: AbortSignal.any([signal, output.signal]),
    print: (line: string) => write(line, output),
    note: (line: string) => console.error(line),
    isColored: Deno.stdout.isTerminal() && !Deno.noColor,
  };
  const { print } = surroundings;
  if (name === "--version") return print(config.version) ?? true;
  if (["--help", "-h", "help"].includes(name)) return print(help()) ?? true;
  const command = COMMANDS.find((item) => item.name === name);
  if (command === undefined) throw new UsageError(unknownCommand(name));
  const parsed = readArguments(command, args);
  if (parsed === "help") return print(helpOf(command)) ?? true;
  return await command.run(parsed.positionals, parsed.values, surroundings);
}

/** Writes a line. The console is not used, because it belongs to functions that run in this process. */
function write(line: string, output: AbortController): void {
  try {
    let bytes = new TextEncoder().encode(`${line}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== "EPIPE" && code !== "EIO") throw error;
    output.abort(); // The reader is gone, as after `head`, or the terminal was closed.
  }
}

function help(): string {
  return [
    "Runs, tests, bundles and deploys an application of AWS Lambda functions.",
    "",
    "Usage: mate COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    "Commands:",
    columns(COMMANDS.map(({ name, summary }) => [name, summary])),
    "",
    'Run "mate COMMAND --help" for the options of a command.',
  ].join("\n");
}

function unknownCommand(name: string): string {
  if (name === "") return `The command is missing\n\n${help()}`;
  const word = nearest(name, COMMANDS.map((command) => command.name));
  const hint = name.endsWith(".json")
    ? `: did you mean "mate dev ${name}"?`
    : word === undefined
    ? ': "mate --help" lists the commands'
    : `: did you mean "${word}"?`;
  return `Unknown command "${name}"${hint}`;
}
