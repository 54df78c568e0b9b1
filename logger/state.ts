/**
 * The name of a level, as in the log of AWS Lambda.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export type LogLevel = "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL" | "OFF";

/** The levels, the least severe first. A record never has the level `OFF`. */
export const LOG_LEVELS: readonly LogLevel[] = [
  "TRACE",
  "DEBUG",
  "INFO",
  "WARN",
  "ERROR",
  "FATAL",
  "OFF",
];

/** The keys whose values are redacted by default. */
const SECRETS = ["authorization", "cookie", "set-cookie", "password", "secret", "token"];

/** The form of records: text as of the managed Node.js runtime, or one JSON object on each line. */
export type LogFormat = "text" | "json";

/** The methods of `AsyncLocalStorage` that the logger and its tests call. */
export interface AsyncStore<Value> {
  run<T>(value: Value, fn: () => T): T;
  getStore(): Value | undefined;
}

/**
 * The state that all copies of this module in one process share. A function and its runtime are bundled separately, so
 * each has a copy.
 */
export interface LoggerState {
  /** The form of records. By default the environment decides. */
  format?: LogFormat;
  /** The least severe level that is written. By default the environment decides. */
  level?: LogLevel;
  /** The keys, in lower case, whose values are redacted. */
  redact?: readonly string[];
  /** Writes one record without a line end. By default, the record goes to the standard output. */
  write?: (line: string) => void;
  /** Replaces the positions in a stack with positions in the author's sources. */
  mapStack?: (stack: string) => string;
  /** The first request id of this process. */
  firstId?: string;
  /** The number of open scopes of the first request id. */
  openScopes: number;
  /** Holds the request ids, from the second request id of this process on. */
  store?: AsyncStore<string> | undefined;
}

// The number is the version of the interface above: copies with different interfaces do not share a state.
const KEY = Symbol.for("@mate/core/logger/2");

export function loggerState(): LoggerState {
  const shared = globalThis as { [KEY]?: LoggerState };
  return shared[KEY] ??= { openScopes: 0 };
}

export function currentLevel(): LogLevel {
  return givenLevel() ?? "INFO";
}

/** The level that the program or the environment sets, or `undefined`. */
export function givenLevel(): LogLevel | undefined {
  return loggerState().level ?? toLevel(readEnvironment("AWS_LAMBDA_LOG_LEVEL"));
}

export function redactedKeys(): readonly string[] {
  return loggerState().redact ?? SECRETS;
}

export function currentFormat(): LogFormat {
  return loggerState().format ??
    (readEnvironment("AWS_LAMBDA_LOG_FORMAT")?.toUpperCase() === "JSON" ? "json" : "text");
}

/** The part of `Deno` that is used. The npm package has no types of Deno. */
interface DenoLike {
  env: { get(name: string): string | undefined };
  permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } };
}

/**
 * Reads an environment variable. The result is `undefined` if the variable is not set or may not be read. The value is
 * read each time, because tests change the environment.
 */
export function readEnvironment(variable: string): string | undefined {
  const { Deno: deno } = globalThis as { Deno?: DenoLike };
  // On Deno, `process` takes milliseconds to load, and a read without permission may show a prompt.
  if (!deno) return globalThis.process?.env?.[variable];
  if (!readable.has(variable)) {
    const { state } = deno.permissions.querySync({ name: "env", variable });
    if (state !== "granted") return undefined;
    readable.add(variable);
  }
  try {
    return deno.env.get(variable);
  } catch {
    return undefined; // the program has revoked the permission
  }
}

/** The variables that this process may read. A question about a permission takes ten times as long as a read. */
const readable = new Set<string>();

/** The level with a name in any case, or `undefined`. */
export function toLevel(name: unknown): LogLevel | undefined {
  const text = String(name || "").toUpperCase();
  return LOG_LEVELS.find((level) => level === text);
}
