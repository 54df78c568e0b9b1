import { log } from "./record.ts";
import { currentLevel, loggerState, toLevel } from "./state.ts";
import { LOG_LEVELS, type LogLevel } from "./level.ts";

/**
 * Writes one record of its level. Further arguments are the record's data: the message is no format, so
 * `%` in it stands for itself.
 *
 * @param message What happened; an error here or among the data is written with its stack and its causes.
 * @param data What it happened with: any values.
 */
export type LogMethod = (message: unknown, ...data: readonly unknown[]) => void;

/** The type of {@linkcode logger}. */
export class Logger {
  /** Writes a record of level DEBUG: for those who look into a fault. */
  readonly debug: LogMethod = (message, ...data) => log("DEBUG", message, data);
  /** Writes a record of level INFO: the course of things. */
  readonly info: LogMethod = (message, ...data) => log("INFO", message, data);
  /** Writes a record of level WARN: something is odd, but the work went on. */
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
   * @throws {TypeError} If it is anything else.
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
 * The logger: one call is one record in the platform's log, and no call ever throws.
 *
 * The methods need no `this`, so `const { info } = logger` works, and the logger can be handed to anything
 * that takes a `console`-like one.
 *
 * - `AWS_LAMBDA_LOG_FORMAT=JSON` writes one JSON object a line: `timestamp`, `level`, `requestId`, `message`,
 *   `data` (one further argument as it is, several as an array), and of the first error among the arguments
 *   `errorType`, `errorMessage`, `stackTrace` and `cause`; its further properties take its place in `data`.
 * - Otherwise time, request id, level and message are separated by tabs, data following the message; line
 *   ends become carriage returns.
 * - `AWS_LAMBDA_LOG_LEVEL` is the least severe level that is written; `INFO` where it is not set, or unknown.
 * - What JSON cannot carry is rendered: cycles, bigints, maps, sets, errors within data. Beyond 100 levels or
 *   10,000 objects in one value, objects show as the name of their class.
 *
 * @example Records with data
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
