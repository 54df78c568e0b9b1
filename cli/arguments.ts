import { parseArgs } from "node:util";
import { nearest } from "./manifest/nearest.ts";

export interface Option {
  readonly type: "string" | "boolean";
  /** The name of the value in the help, such as `FOLDER`. */
  readonly value?: string;
  readonly default?: string;
  /** A sentence for the help, without a period. */
  readonly description: string;
}

export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly type: "boolean" } ? boolean
    : O[K] extends { readonly default: string } ? string
    : string | undefined;
};

export interface CommandLine<O extends Options> {
  readonly name: string;
  /** The names of the arguments, such as `MANIFEST`. Names in brackets are optional. */
  readonly arguments: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly options: O;
}

/** The command line is wrong; the message names the argument. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Reads the arguments of a command.
 *
 * @throws {UsageError} If an argument is wrong; the message names it and the nearest right option.
 */
export function readArguments<const O extends Options>(
  command: CommandLine<O>,
  args: readonly string[],
): { readonly positionals: readonly string[]; readonly values: Values<O> } | "help" {
  if (args.includes("--help") || args.includes("-h")) return "help";
  const { tokens, positionals, values } = parseArgs({
    args: args.filter((arg) => arg !== "--"), // some write it before the arguments of a task
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { type }]) => [name, { type }]),
    ),
  });
  for (const token of tokens) {
    if (token.kind === "option") checkOption(command, token.rawName, token.name, token.value);
  }
  const isOptional = (name: string) => name.startsWith("[");
  const missing = command.arguments.find((name, index) =>
    !isOptional(name) && positionals[index] === undefined
  );
  if (missing !== undefined) throw new UsageError(`The argument ${missing} is missing`);
  const unexpected = positionals[command.arguments.length];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument "${unexpected}"`);
  const filled = Object.entries(command.options).map(([name, option]) =>
    [name, values[name] ?? (option.type === "boolean" ? false : option.default)] as const
  );
  return { positionals, values: Object.fromEntries(filled) as Values<O> };
}

function checkOption(
  { name: command, options }: CommandLine<Options>,
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
  if (option.type === "boolean" && value !== undefined) {
    throw new UsageError(`Unexpected value of "${raw}": it is a switch`);
  }
  if (option.type === "string" && (value ?? "") === "") {
    throw new UsageError(`The value of "${raw}" is missing: expected ${option.value}`);
  }
}

export function helpOf(
  { name, arguments: names, summary, details, options }: CommandLine<Options>,
): string {
  const rows = Object.entries({
    ...options,
    help: { type: "boolean", description: "Print this" } as Option,
  }).map(([key, { value, description, default: initial }]) => [
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
