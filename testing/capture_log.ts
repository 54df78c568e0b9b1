import { createStore } from "../logger/request_id.ts";
import { type AsyncStore, loggerState } from "../logger/state.ts";

/** A record of the logger, as one object. */
export interface CapturedRecord {
  /** The time of the record (RFC 3339). */
  readonly timestamp: string;
  /** The level, such as `ERROR`. */
  readonly level: string;
  /** The request id; `""` if there is none. */
  readonly requestId: string;
  /** The message; absent in a metric. */
  readonly message?: unknown;
  /** One further argument as it is, several as an array. */
  readonly data?: unknown;
  /** The class of the error, if there is an error. */
  readonly errorType?: string;
  /** The message of the error. */
  readonly errorMessage?: string;
  /** The lines of the error's stack. */
  readonly stackTrace?: readonly string[];
  /** The cause of the error. */
  readonly cause?: unknown;
  /** The fields of a child logger. */
  readonly [field: string]: unknown;
}

let store: AsyncStore<CapturedRecord[]> | undefined;
let open = 0;
let restore = () => {};

/**
 * Runs a function and captures its records. Nothing is printed, and records of all levels are captured. Captures may
 * overlap: each gets the records of its own function.
 *
 * @typeParam T The type of the result.
 * @param fn The function, sync or async.
 * @returns The result of the function, and its records as objects. An error of the function passes through.
 *
 * @example Test what a function logs
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { logger } from "@mate/core/logger";
 * import { captureLog } from "@mate/core/testing";
 *
 * const { result, records } = await captureLog(() => {
 *   logger.warn("Stock is low", { left: 3 });
 *   return "ordered";
 * });
 * assertEquals(result, "ordered");
 * assertEquals(records.map(({ level, message, data }) => [level, message, data]), [
 *   ["WARN", "Stock is low", { left: 3 }],
 * ]);
 * ```
 */
export async function captureLog<T>(
  fn: () => T | Promise<T>,
): Promise<{ result: T; records: CapturedRecord[] }> {
  const owners = store ??= createStore();
  if (!owners) {
    throw new Error(
      "Cannot capture the log: this runtime is too old; expected Node.js 20.16, Deno 2 or Bun 1.2",
    );
  }
  const records: CapturedRecord[] = [];
  if (open++ === 0) restore = divertRecords(owners);
  try {
    return { result: await owners.run(records, fn), records };
  } finally {
    if (--open === 0) restore();
  }
}

/** Sends each record to the capture that it belongs to. Records of other code are written as before. */
function divertRecords(owners: AsyncStore<CapturedRecord[]>): () => void {
  const state = loggerState();
  const { format, level, write } = state;
  Object.assign(state, {
    format: "json",
    level: "TRACE",
    write: (line: string) => {
      const records = owners.getStore();
      if (records) records.push(JSON.parse(line));
      else (write ?? console.log)(line);
    },
  });
  return () => {
    for (const [key, value] of Object.entries({ format, level, write })) {
      if (value === undefined) delete state[key as "write"];
      else Object.assign(state, { [key]: value });
    }
  };
}
