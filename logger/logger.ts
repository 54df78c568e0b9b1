import { isPlainObject } from "../function/read.ts";
import { log } from "./record.ts";
import { logMetric, type MetricOptions } from "./metric.ts";
import { expect } from "./render.ts";
import {
  currentLevel,
  LOG_LEVELS,
  loggerState,
  type LogLevel,
  redactedKeys,
  toLevel,
} from "./state.ts";

/** The names of the parts of a record. A field must not replace a part. */
const RESERVED =
  /^(timestamp|level|requestId|message|data|errorType|errorMessage|stackTrace|cause|_aws)$/;

/**
 * Writes one record. The message is not a format: `%` stands for itself.
 *
 * @param message The message: a text, an error or any other value.
 * @param data Further values. If the message or a value is an error, its stack and its causes are written too.
 */
export type LogMethod = (message: unknown, ...data: readonly unknown[]) => void;

/** The type of {@linkcode logger}. */
export class Logger {
  /** Writes a record of level TRACE: one step of the work. */
  declare readonly trace: LogMethod;
  /** Writes a record of level DEBUG: a detail that helps to find a fault. */
  declare readonly debug: LogMethod;
  /** Writes a record of level INFO: a normal event. */
  declare readonly info: LogMethod;
  /** Writes a record of level WARN: something is odd, but the work goes on. */
  declare readonly warn: LogMethod;
  /** Writes a record of level ERROR: the request failed. */
  declare readonly error: LogMethod;
  /** Writes a record of level FATAL: the function itself is at fault. */
  declare readonly fatal: LogMethod;
  /** The same as {@linkcode Logger.fatal}. */
  declare readonly critical: LogMethod;
  readonly #fields: Readonly<Record<string, unknown>> | undefined;

  /**
   * Makes a logger. Use {@linkcode Logger.child} instead.
   *
   * @param fields The fields of all records.
   */
  constructor(fields?: Readonly<Record<string, unknown>>) {
    for (const level of LOG_LEVELS.slice(0, -1)) { // without OFF
      const method: LogMethod = (message, ...data) => log(level, message, data, fields);
      Object.assign(this, { [level.toLowerCase()]: method, critical: method }); // FATAL is the last
    }
    this.#fields = fields;
    Object.freeze(this);
  }

  /**
   * Makes a logger that adds fields to each record. In JSON, the fields are members of the record. In text, the fields
   * follow the message.
   *
   * @param fields The fields. The records also have the fields of this logger. A field with the name of a part of a record,
   * such as `message`, gets the name `message_`.
   * @returns The logger. It has the level and the redacted keys of the process.
   * @throws {TypeError} If the fields are not a plain object.
   *
   * @example Carry the id of an order
   * ```ts
   * import { assertThrows } from "@std/assert";
   * import { logger } from "@mate/core/logger";
   *
   * const order = logger.child({ orderId: "A-1" });
   * order.info("Paid", { total: 5 }); // … "message":"Paid","data":{"total":5},"orderId":"A-1"
   * assertThrows(() => logger.child(["A-1"] as never), TypeError, "expected a plain object");
   * ```
   */
  child(fields: Readonly<Record<string, unknown>>): Logger {
    expect(isPlainObject(fields), "make a child logger", "a plain object", fields);
    const added = Object.entries(fields).map(([name, value]) => [
      name.replace(RESERVED, "$&_"),
      value,
    ]);
    return new Logger({ ...this.#fields, ...Object.fromEntries(added) });
  }

  /**
   * Writes one line of the embedded metric format. Amazon CloudWatch makes a metric from the line. The line is written
   * unless the level is `OFF`.
   *
   * @param name The name of the metric, at most 255 ASCII characters.
   * @param value The value, from -2^360 to 2^360.
   * @param options The unit, the dimensions and the namespace. By default, the namespace is the name of the function, or
   * `local` outside of AWS Lambda.
   * @throws {TypeError} If the metric breaks a rule of Amazon CloudWatch. The message names the rule.
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
   *
   * @example Count orders for each country
   * ```ts
   * import { assertThrows } from "@std/assert";
   * import { logger } from "@mate/core/logger";
   *
   * logger.metric("Orders", 1, { unit: "Count", dimensions: { country: "FR" } });
   * assertThrows(() => logger.metric("Orders", NaN), TypeError, "expected a value up to 2^360");
   * ```
   */
  metric(name: string, value: number, options: MetricOptions = {}): void {
    logMetric(name, value, options, this.#fields);
  }

  /** The least severe level that is written. */
  get level(): LogLevel {
    return currentLevel();
  }

  /**
   * Sets the least severe level that is written, for the whole process.
   *
   * @param name `TRACE`, `DEBUG`, `INFO`, `WARN`, `ERROR`, `FATAL` or `OFF`, in any case.
   * @throws {TypeError} If the name is not one of these.
   */
  set level(name: string) {
    const level = toLevel(name);
    expect(level, "set the level", `one of ${LOG_LEVELS.join(", ")}`, name);
    loggerState().level = level!;
  }

  /** The keys, in lower case, whose values are written as `[redacted]`. */
  get redact(): readonly string[] {
    return redactedKeys();
  }

  /**
   * Replaces the list of keys whose values are written as `[redacted]`, for the whole process. The list applies to the
   * keys of objects and maps and to the names of header fields, at any depth and in any case.
   *
   * @param keys The keys; `[]` for none.
   * @throws {TypeError} If the keys are not an array of strings.
   */
  set redact(keys: readonly string[]) {
    const isValid = Array.isArray(keys) && keys.every((key) => typeof key === "string");
    expect(isValid, "set redact", "an array of strings", keys);
    loggerState().redact = keys.map((key) => key.toLowerCase());
  }
}

/**
 * The logger: one call writes one record to the log of the function. A method that writes a record never throws.
 *
 * The methods of the levels need no `this`, so `const { info } = logger` works. Code that needs a console accepts the
 * logger.
 *
 * - If `AWS_LAMBDA_LOG_FORMAT` is `JSON`, a record is one JSON object on one line: `timestamp`, `level`, `requestId`,
 *   `message` and `data` (one further argument as it is, several as an array). The first error among the arguments adds
 *   `errorType`, `errorMessage`, `stackTrace` and `cause`. The other properties of the error are in `data`.
 * - Otherwise a record is text: time, request id, level and message with data, between tabs. Line ends become carriage
 *   returns.
 * - `AWS_LAMBDA_LOG_LEVEL` is the least severe level that is written. The default, also for an unknown value, is `INFO`.
 * - Values that JSON cannot carry are rendered: cycles, bigints, maps, sets, errors. Bytes become their number and the
 *   first 100 of them in hex.
 * - A record takes at most 256 KiB. Longer values, and objects below 100 levels, are cut, and the record says so.
 * - The values of some keys are written as `[redacted]`: `authorization`, `cookie`, `set-cookie`, `password`, `secret`
 *   and `token`, unless `logger.redact` sets other keys.
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
export const logger: Logger = /* @__PURE__ */ new Logger(); // a bundle that does not use the logger leaves it out
