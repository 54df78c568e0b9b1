import type { FnContext } from "../function/mod.ts";
import { checkNames, invalid, kindOf } from "../function/read.ts";
import { readEnvironment } from "../logger/state.ts";
import { IdempotencyInProgressError, IdempotencyPayloadError } from "./errors.ts";
import { canonicalJson } from "./json.ts";
import { readResult, writeResult } from "./result.ts";
import type { IdempotencyStore } from "./store.ts";

/**
 * The options of {@linkcode idempotent}.
 *
 * @typeParam Input The first argument of the work.
 */
export interface IdempotencyOptions<Input = unknown> {
  /** Where the results are kept. */
  readonly store: IdempotencyStore;
  /**
   * Names the request or message: an order number, the header `Idempotency-Key`, a message id. If the result is
   * `undefined`, this input is not guarded, and the work runs.
   */
  readonly key: (
    input: Input,
    context: FnContext,
  ) => string | undefined | Promise<string | undefined>;
  /** What must be equal for an equal key, such as the body of a request. By default, nothing is compared. */
  readonly payload?: ((input: Input) => unknown) | undefined;
  /** The number of seconds for which a result is kept, a whole number from 1. The default is 3,600. */
  readonly expires?: number | undefined;
}

/** The longest time of an invocation, in milliseconds. A claim without a context ends after it. */
const LONGEST_INVOCATION = 900_000;

/**
 * Runs work once for each key, however often the returned function is called. The work can be a route, the work of
 * `queueHandler()` or `tableHandler()`, or a whole handler.
 *
 * - The first call claims the key until the deadline of the invocation, runs the work, and keeps the result as JSON.
 * - A later call gets the kept result, and the work does not run.
 * - If the work throws, or if its result is not a value of JSON, the key is free again, and the error passes on. If the
 *   process dies, the key is free after the deadline.
 * - If the store fails, its error passes on. Before the work, this means that the work does not run. After the work, the
 *   claim stays until the deadline, because the work is done.
 *
 * Keys are hashed (SHA-256), with the name of the function in front. Two guarded works of one function need keys that
 * differ, such as `"refund:" + id`.
 *
 * @typeParam Input The first argument of the work.
 * @typeParam Result The result of the work.
 * @param work The work, sync or async.
 * @param options The store, the key, the payload, and how long a result is kept.
 * @returns The guarded work. It rejects with an {@linkcode IdempotencyInProgressError} if another call works on the key or
 * has taken over its claim, with an {@linkcode IdempotencyPayloadError} if the key was used with another payload, with a
 * `TypeError` if the key is not text or the result is not a value of JSON, and with the error of the store if the store
 * fails. Then the work does not run unguarded.
 * @throws {TypeError} If the work or an option is invalid.
 *
 * @example A message that is delivered twice
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { idempotent, memoryStore } from "@mate/core/idempotency";
 * import { type FnQueueRecord, queueHandler } from "@mate/core/queue";
 * import { createContext, queueEvent } from "@mate/core/testing";
 *
 * let count = 0;
 * const handler = queueHandler(idempotent((_record: FnQueueRecord) => {
 *   count++;
 * }, { store: memoryStore(), key: (record) => record.messageId() }));
 *
 * const event = queueEvent();
 * await handler(event, createContext());
 * await handler(event, createContext());
 * assertEquals(count, 1);
 * ```
 */
export function idempotent<Input, Result>(
  work: (input: Input, context: FnContext) => Result | Promise<Result>,
  options: IdempotencyOptions<Input>,
): (input: Input, context: FnContext) => Promise<Result> {
  const { store, key, payload, expires = 3_600 } = checkOptions(work, options);
  return async (input, context) => {
    const name = await key(input, context);
    if (name === undefined) return await work(input, context);
    if (typeof name !== "string" || name === "") {
      const got = name === "" ? "an empty string" : kindOf(name);
      throw new TypeError(`Invalid key: expected text that is not empty, or undefined, got ${got}`);
    }
    // The id of each function is its own, so that functions can share a store.
    const id = `${readEnvironment("AWS_LAMBDA_FUNCTION_NAME") ?? ""}#${await hash(name)}`;
    const compared = payload && await hash(String(canonicalJson(await payload(input))));
    const left = context?.getRemainingTimeInMillis?.() ?? LONGEST_INVOCATION;
    const claim = await store.claim(id, { until: Date.now() + left, payload: compared });
    if (claim.state === "inProgress") throw new IdempotencyInProgressError();
    if (claim.state === "done") {
      const isOther = compared !== undefined && claim.payload !== undefined &&
        claim.payload !== compared;
      if (isOther) throw new IdempotencyPayloadError();
      return readResult(claim.result) as Result;
    }
    const { token } = claim;
    let result: Result;
    let text: string | undefined;
    try {
      result = await work(input, context);
      text = writeResult(result);
    } catch (error) {
      // The first error matters more than that of a store that cannot release.
      await store.release(id, token).catch(() => {});
      throw error;
    }
    // If this fails, the claim stays: the work is done, and must not run again at once.
    await store.complete(id, token, {
      result: text,
      expires: Math.floor(Date.now() / 1_000) + expires,
    });
    return result;
  };
}

function checkOptions<Input>(
  work: unknown,
  options: IdempotencyOptions<Input>,
): IdempotencyOptions<Input> {
  if (typeof work !== "function") throw invalid("work", `a function, got ${kindOf(work)}`);
  checkNames(options, ["store", "key", "payload", "expires"]);
  const { store, key, payload, expires } = options;
  for (const method of ["claim", "complete", "release"] as const) {
    if (typeof (store as IdempotencyStore | undefined)?.[method] !== "function") {
      throw invalid("store", `an object with claim(), complete() and release()`);
    }
  }
  if (typeof key !== "function") throw invalid("key", `a function, got ${kindOf(key)}`);
  if (payload !== undefined && typeof payload !== "function") {
    throw invalid("payload", `a function, got ${kindOf(payload)}`);
  }
  if (expires !== undefined && !(Number.isSafeInteger(expires) && expires > 0)) {
    throw invalid(`expires ${expires}`, "a whole number of seconds from 1");
  }
  return options;
}

/** The SHA-256 of a text, in hexadecimal digits. */
async function hash(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
