import { isError } from "./error.ts";
import { log } from "./record.ts";
import { currentLevel, LOG_LEVELS, loggerState, type LogLevel, toLevel } from "./state.ts";
import { readProperty, textOf } from "./text.ts";

/**
 * Writes one record. The message is not a format: `%` stands for itself.
 *
 * @param message What happened.
 * @param data Further values. An error, here or as the message, is written with its stack and its causes.
 */
export type LogMethod = (message: unknown, ...data: readonly unknown[]) => void;

/** The type of {@linkcode logger}. */
export class Logger {
  /** Writes a record of level DEBUG: a detail that helps to find a fault. */
  readonly debug: LogMethod = (message, ...data) => log("DEBUG", message, data);
  /** Writes a record of level INFO: a normal event. */
  readonly info: LogMethod = (message, ...data) => log("INFO", message, data);
  /** Writes a record of level WARN: something is odd, but the work goes on. */
  readonly warn: LogMethod = (message, ...data) => log("WARN", message, data);
  /** Writes a record of level ERROR: the request failed. */
  readonly error: LogMethod = (message, ...data) => log("ERROR", message, data);
  /** Writes a record of level FATAL: the function itself is at fault. */
  readonly critical: LogMethod = (message, ...data) => log("FATAL", message, data);

  /** The least severe level that is written. */
  get level(): LogLevel {
    return currentLevel(loggerState());
  }

  /**
   * Sets the least severe level that is written, for the whole process.
   *
   * @param name `TRACE`, `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`, in any case.
   * @throws {TypeError} If the name is not one of these.
   */
  set level(name: string) {
    const level = toLevel(name);
    if (level === undefined) {
      const given = typeof name === "string" ? JSON.stringify(name) : typeof name;
      const known = LOG_LEVELS.join(", ");
      throw new TypeError(`Cannot set the level: expected one of ${known}, got ${given}`);
    }
    loggerState().level = level;
  }
}

/**
 * The logger: one call writes one record to the log of the function. No call ever throws.
 *
 * The methods need no `this`, so `const { info } = logger` works. The logger can be passed to any code that takes a
 * console.
 *
 * - If `AWS_LAMBDA_LOG_FORMAT` is `JSON`, a record is one JSON object on one line: `timestamp`, `level`, `requestId`,
 *   `message` and `data` (one further argument as it is, several as an array). The first error among the arguments adds
 *   `errorType`, `errorMessage`, `stackTrace` and `cause`; its further properties stand in `data`.
 * - Otherwise a record is text: time, request id, level and message with data, between tabs. Line ends become carriage
 *   returns.
 * - `AWS_LAMBDA_LOG_LEVEL` is the least severe level that is written. The default, also for an unknown value, is `INFO`.
 * - Values that JSON cannot carry are rendered: cycles, bigints, maps, sets, errors. Bytes become their number and the
 *   first 100 of them in hex.
 * - A record takes at most 256 KiB. Longer values, and objects below 100 levels, are cut, and the record says so.
 *
 * @example Write records with data
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { logger } from "@mate/core/logger";
 *
 * logger.level = "warn";
 * logger.info("Not written");
 * logger.warn("Stock is low", { item: "tea", left: 3n });
 * logger.error("Cannot order", new Error("no supplier", { cause: new Error("timed out") }));
 *
 * assertEquals(logger.level, "WARN");
 * ```
 */
export const logger: Logger = Object.freeze(new Logger());

/**
 * Writes one record of level FATAL for an error that is the function's own fault. The record has the message
 * `INTERNAL ERROR: <message>.`, the stack and all causes.
 *
 * @param error The thrown value: an error, or any other value.
 * @param message What failed, without a final period. By default the message of the error.
 *
 * @example Log a caught error
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { logInternalError } from "@mate/core/logger";
 *
 * assertThrows(() => {
 *   try {
 *     JSON.parse("{");
 *   } catch (error) {
 *     logInternalError(error, "The configuration is broken");
 *     throw error;
 *   }
 * }, SyntaxError);
 * ```
 */
export function logInternalError(error: unknown, message?: string): void {
  log("FATAL", `INTERNAL ERROR: ${textOf(message || messageOf(error))}.`, [error]);
}

function messageOf(error: unknown): unknown {
  return isError(error) ? readProperty(error, "message") || error.name : error;
}
