import { parseArgs } from "node:util";
import type { Manifest } from "../manifest/manifest.ts";
import { hintOf, nearest, UsageError } from "../manifest/nearest.ts";
import type { Permissions } from "./permissions.ts";

/** Whether npm has installed the tool. */
export const IS_FROM_NPM: boolean = import.meta.url.includes("/node_modules/");

export interface Option {
  /** The name of the value in the help, such as `FOLDER`. A switch has no value. */
  readonly value?: string;
  readonly default?: string;
  /** A sentence for the help, without a period. */
  readonly description: string;
}

export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly default: string } ? string
    : O[K] extends { readonly value: string } ? string | undefined
    : boolean;
};

export interface Surroundings {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** Writes a line to the standard error: a warning, or the progress of long work. */
  readonly note: (line: string) => void;
  readonly isColored: boolean;
  /** The width of the terminal, if the standard output is one. */
  readonly width?: (() => number) | undefined;
  /** Runs a command in another process, which limits its own permissions, and returns what it prints. */
  readonly read: (
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => Promise<string>;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  /** The names of the arguments, such as `MANIFEST`. Names in brackets are optional. */
  readonly arguments: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly options: O;

  /**
   * Returns the permissions for a run with the keys of a cloud, or `undefined` if the run needs no keys. If the tool has more
   * permissions, it runs the command again in another process. No package may be loaded before, so a file of a command loads
   * packages only in `run()`.
   */
  permissions?(
    positionals: readonly string[],
    values: Values<O>,
  ): Permissions | undefined | Promise<Permissions | undefined>;

  /** Runs the command. Returns `false` if the work failed and the reason is printed. */
  run(
    positionals: readonly string[],
    values: Values<O>,
    surroundings: Surroundings,
  ): Promise<boolean | void>;
}

/** Checks the types of a command with its options, then forgets the names of the options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}

/** The default of the argument MANIFEST. */
export const MANIFEST = "app.json";

/** The option for the stage. */
export const STAGE = {
  value: "NAME",
  description: "The stage (the manifest's default stage)",
} as const satisfies Option;

/** The option for the folder of "mate dev". */
export const DATA = {
  value: "FOLDER",
  description: 'The folder that "mate dev" was started with (.mate/NAME)',
} as const satisfies Option;

/** The option for the login of the developer. */
export const PROFILE = {
  value: "NAME",
  description: "The profile of the AWS tools with which services that are not emulated are called",
} as const satisfies Option;

/**
 * Reads the arguments of a command.
 *
 * @throws {UsageError} If an argument is wrong; the message names it and the nearest right option.
 */
export function readArguments(
  command: Command,
  args: readonly string[],
): { readonly positionals: readonly string[]; readonly values: Values<Options> } | "help" {
  if (args.includes("--help") || args.includes("-h")) return "help";
  const { tokens, positionals, values } = parseArgs({
    args: args.filter((arg) => arg !== "--"), // some users write it before the arguments of a task
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { value }]) => [
        name,
        { type: value === undefined ? "boolean" : "string" },
      ]),
    ),
  });
  for (const token of tokens) {
    if (token.kind === "option") checkOption(command, token.rawName, token.name, token.value);
  }
  const missing = command.arguments.slice(positionals.length)
    .find((name) => !name.startsWith("["));
  if (missing !== undefined) throw new UsageError(`The argument ${missing} is missing`);
  const unexpected = positionals[command.arguments.length];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument "${unexpected}"`);
  const filled = Object.entries(command.options).map(([name, option]) =>
    [name, values[name] ?? (option.value === undefined ? false : option.default)] as const
  );
  return { positionals, values: Object.fromEntries(filled) as Values<Options> };
}

function checkOption(
  { name: command, options }: Command,
  raw: string,
  name: string,
  value: string | undefined,
): void {
  const option = Object.hasOwn(options, name) && raw.startsWith("--") ? options[name] : undefined;
  if (option === undefined) {
    const word = nearest(name, Object.keys(options));
    const hint = word === undefined ? "" : `: did you mean "--${word}"?`;
    throw new UsageError(`Unknown option "${raw}" of "mate ${command}"${hint}`);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`Unexpected value of "${raw}": it is a switch`);
  } else if (!value) {
    throw new UsageError(`The value of "${raw}" is missing: expected ${option.value}`);
  }
}

/**
 * Checks that the manifest has a function.
 *
 * @throws {UsageError} If the manifest does not have the function.
 */
export function checkFunction({ functions }: Manifest, name: string): void {
  const names = Object.keys(functions);
  if (names.includes(name)) return;
  throw new UsageError(`Unknown function "${name}": ${hintOf(name, names)}`);
}

export function helpOf({ name, arguments: names, summary, details, options }: Command): string {
  const help: Option = { description: "Print this" };
  const rows = Object.entries({ ...options, help })
    .map(([key, { value, description, default: initial }]) => [
      `--${key}${value === undefined ? "" : ` ${value}`}`,
      `${description}${initial === undefined ? "" : ` (${initial})`}`,
    ]);
  return [
    `${summary}.`,
    "",
    `Usage: mate ${[name, ...names].join(" ")} [OPTIONS]`,
    ...(details === undefined ? [] : ["", details]),
    "",
    "Options:",
    columns(rows),
  ].join("\n");
}

/** Writes rows of two cells in columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first]) => first!.length));
  return rows.map(([first, second]) => `  ${first!.padEnd(width)}  ${second}`).join("\n");
}
