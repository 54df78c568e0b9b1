import { environmentOf, type ReadEnvironment } from "./environment.ts";
import { LOG_LEVELS, type LogLevel } from "./level.ts";

/** How records are written: as the managed Node.js runtime's text, or one JSON object a line. */
export type LogFormat = "text" | "json";

/** What this module needs of an `AsyncLocalStorage`. */
export interface RequestIdStore {
  run<T>(id: string, fn: () => T): T;
  getStore(): string | undefined;
}

/**
 * What all copies of this module in one process share: a function and the runtime that loads it are
 * bundled apart, so each has its own. It is made when it is first needed.
 *
 * A runtime hands over what it knows by setting `format`, `level`, `write` and `requestId`, each of which
 * spares the logger from finding out by itself:
 *
 * ```ts ignore
 * const state = loggerState();
 * state.format = "json";
 * state.write = (line) => stdout.write(line + "\n");
 * state.requestId = invocation.id; // or withRequestId(), where invocations overlap
 * ```
 */
export interface LoggerState {
  /** How records are written; what the environment says where nobody set it. */
  format?: LogFormat;
  /** The least severe level that is written; what the environment says where nobody set it. */
  level?: LogLevel;
  /** Reads an environment variable; as the runtime allows it where nobody set it. */
  environment?: ReadEnvironment;
  /** Writes one record, which comes without a line end; the standard output where nobody set it. */
  write?: (line: string) => void;
  /** The request id outside any scope. */
  requestId?: string;
  /** The request id of the scopes that are open without `store`. */
  scopedId?: string | undefined;
  /** How many scopes are open without `store`: all of one request id. */
  openScopes: number;
  /** Tells scopes that overlap apart; made for the first that does. */
  store?: RequestIdStore | undefined;
}

// The number is the version of the shape above: copies of another shape do not meet.
const KEY = Symbol.for("@mate/core/logger/1");

/** The state that all copies of this module in the process share. */
export function loggerState(): LoggerState {
  const shared = globalThis as { [KEY]?: LoggerState };
  return shared[KEY] ??= { openScopes: 0 };
}

/** The least severe level that is written. */
export function currentLevel(state: LoggerState): LogLevel {
  return state.level ?? toLevel(fromEnvironment(state, "AWS_LAMBDA_LOG_LEVEL")) ?? "INFO";
}

/** How records are written. */
export function currentFormat(state: LoggerState): LogFormat {
  if (state.format !== undefined) return state.format;
  const format = fromEnvironment(state, "AWS_LAMBDA_LOG_FORMAT");
  return format?.toUpperCase() === "JSON" ? "json" : "text";
}

/** Nothing is kept of it: reading is cheap, and tests like to change it. */
function fromEnvironment(state: LoggerState, name: string): string | undefined {
  state.environment ??= environmentOf();
  return state.environment(name);
}

/** The level of that name, in any case; `undefined` where there is none. */
export function toLevel(name: unknown): LogLevel | undefined {
  if (typeof name !== "string") return undefined;
  const upper = name.toUpperCase();
  return LOG_LEVELS.find((level) => level === upper);
}
