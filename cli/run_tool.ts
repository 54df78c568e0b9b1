import { dirname, resolve } from "node:path";
import {
  columns,
  type Command,
  helpOf,
  IS_FROM_NPM,
  MANIFEST,
  readArguments,
} from "./commands/command.ts";
import config from "./deno.json" with { type: "json" };
import { onInterruption } from "./interruption.ts";
import { hintOf, UsageError } from "./manifest/nearest.ts";
import { ignorePrograms, noProxyHere } from "./programs/find_program.ts";
import { isUnlimited } from "./commands/permissions.ts";
import { hasToRunAgain, readCommand, runAgain } from "./restart.ts";
import { visibleText } from "./rules/visible_text.ts";

/**
 * The oldest Deno with which all tests pass. Before 2.8.3, `deno info` does not tell where the packages of npm are. Before
 * 2.9.3, a response to HEAD loses its length. Some versions before 2.9.5 make another code
 * cache each time.
 */
const MINIMUM = [2, 9, 5];

/** Returns the error message for a Deno that is too old. */
export function denoProblem(version: string = Deno.version.deno): string | undefined {
  const numbers = version.split(".").map((part) => parseInt(part));
  const index = MINIMUM.findIndex((part, index) => part !== numbers[index]);
  if (index === -1 || numbers[index]! > MINIMUM[index]!) return undefined;
  const wanted = MINIMUM.join(".");
  return `Cannot run on Deno ${version}: expected Deno ${wanted} or later; "deno upgrade" installs it`;
}

/** Runs one of the commands of a tool. */
export async function runTool(
  commands: readonly Command[],
  args: readonly string[],
): Promise<number> {
  const problem = denoProblem();
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  const isColored = Deno.stderr.isTerminal() && !Deno.noColor;
  using interruption = onInterruption();
  try {
    const status = await runCommand(commands, args, interruption.signal);
    return interruption.signal.aborted && status !== 0 ? interruption.status : status;
  } catch (error) {
    if (interruption.signal.aborted) return interruption.status;
    const label = isColored ? "\x1b[31mError\x1b[0m" : "Error";
    console.error(`${label}: ${visibleText(withoutFlags((error as Error).message))}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The tool chooses the permissions of its processes, so a flag of Deno is no remedy. */
function withoutFlags(message: string): string {
  return message.replaceAll(
    /, run again with the --allow-\S+ flag/g,
    ", which this command may not use",
  );
}

async function runCommand(
  commands: readonly Command[],
  [name = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const output = new AbortController();
  const surroundings = {
    signal: AbortSignal.any([signal, output.signal]),
    print: (line: string) => write(line, output),
    note: (line: string) => console.error(visibleText(line)),
    read: (args: readonly string[], env: Readonly<Record<string, string>>) =>
      readCommand(args, env, signal),
    isColored: Deno.stdout.isTerminal() && !Deno.noColor,
    // A terminal that does not know its width says 0.
    width: Deno.stdout.isTerminal() ? () => Deno.consoleSize().columns || Infinity : undefined,
  };
  const { print } = surroundings;
  if (name === "--version") return print(config.version) ?? 0;
  if (["--help", "-h", "help"].includes(name)) return print(help(commands)) ?? 0;
  if (["--help", "-h"].includes(args[0] ?? "") && secondWords(commands, name).length > 0) {
    return print(help(commands.filter((item) => item.name.startsWith(`${name} `)))) ?? 0;
  }
  const found = findCommand(commands, name, args);
  if (found === undefined) throw new UsageError(unknownCommand(name, commands));
  const { command, rest } = found;
  const parsed = readArguments(command, rest);
  if (parsed === "help") return print(helpOf(command)) ?? 0;
  const { positionals, values } = parsed;
  const place = command.arguments.indexOf("[MANIFEST]");
  if (place >= 0) ignorePrograms(dirname(resolve(positionals[place] ?? MANIFEST)));
  if (await isUnlimited()) {
    Deno.env.set("NO_PROXY", noProxyHere()); // The programs that it starts inherit it.
    const permissions = await command.permissions?.(positionals, values);
    if (permissions !== undefined || hasToRunAgain()) {
      return await runAgain({ permissions, args: [name, ...args], signal });
    }
  }
  return await command.run(positionals, values, surroundings) === false ? 1 : 0;
}

/** The words that can follow a word of the command line. */
function secondWords(commands: readonly Command[], name: string): string[] {
  return commands.filter((item) => item.name.startsWith(`${name} `))
    .map((item) => item.name.slice(name.length + 1));
}

/** Finds a command by its name, which may have two words such as `secret set`. */
function findCommand(
  commands: readonly Command[],
  name: string,
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  const one = commands.find((item) => item.name === name);
  if (one !== undefined) return { command: one, rest: args };
  const words = secondWords(commands, name);
  if (words.length === 0) return undefined;
  const [word = "", ...rest] = args;
  const command = commands.find((item) => item.name === `${name} ${word}`);
  if (command !== undefined) return { command, rest };
  const what = word === ""
    ? `The word after "${name}" is missing`
    : `Unknown command "${name} ${word}"`;
  throw new UsageError(`${what}: ${hintOf(word, words)}`);
}

/** Writes a line. If the reader is gone, ends the tool. */
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

function help(commands: readonly Command[]): string {
  return [
    "Runs, tests, bundles and deploys an application of AWS Lambda functions.",
    "",
    "Usage: mate COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    "Commands:",
    columns(commands.map(({ name, summary }) => [name, summary])),
    "",
    'Run "mate COMMAND --help" for the options of a command.',
  ].join("\n");
}

function unknownCommand(name: string, commands: readonly Command[]): string {
  if (name === "") return `The command is missing\n\n${help(commands)}`;
  const names = commands.map((command) => command.name.split(" ")[0]!);
  const hint = name.endsWith(".json")
    ? `did you mean "mate dev ${name}"?`
    : name === "test"
    ? `"${IS_FROM_NPM ? "npm test" : "deno task test"}" runs the tests`
    : hintOf(name, names, '"mate --help" lists the commands');
  return `Unknown command "${name}": ${hint}`;
}
