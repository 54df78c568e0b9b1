import { IdempotencyInProgressError } from "./errors.ts";
import type { IdempotencyStore } from "./store.ts";

interface Entry {
  readonly token: string;
  readonly payload: string | undefined;
  /** When the claim ends, in milliseconds; `undefined` if the work is done. */
  readonly until?: number;
  /** When the result expires, in seconds. */
  readonly expires?: number;
  readonly result?: string | undefined;
}

/**
 * The bytes of an item of Amazon DynamoDB: 400 KB for the names and values of its attributes. See
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const LARGEST_ITEM = 409_600;

/**
 * Makes a store in the memory of this process, for tests. On AWS Lambda, every process would have a store of its own.
 *
 * @returns The store. It refuses a result for which an item of `tableStore()` is too small (400 KB), so that a test notices.
 *
 * @example Work that runs once
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { idempotent, memoryStore } from "@mate/core/idempotency";
 * import { createContext } from "@mate/core/testing";
 *
 * let count = 0;
 * const pay = idempotent(() => ++count, { store: memoryStore(), key: (id: string) => id });
 * assertEquals([await pay("7", createContext()), await pay("7", createContext())], [1, 1]);
 * ```
 */
export function memoryStore(): IdempotencyStore {
  const entries = new Map<string, Entry>();
  const current = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    const { until = Infinity, expires = Infinity } = entry ?? {};
    return until > Date.now() && expires > Date.now() / 1_000 ? entry : undefined;
  };
  // deno-lint-ignore require-await -- rejects instead of throwing, as a store behind a network does
  const later = async <Value>(step: () => Value): Promise<Value> => step();
  return {
    claim: (key, { until, payload }) =>
      later(() => {
        const entry = current(key);
        if (entry?.until !== undefined) return { state: "inProgress" };
        if (entry) return { state: "done", result: entry.result, payload: entry.payload };
        const token = crypto.randomUUID();
        entries.set(key, { token, until, payload });
        return { state: "claimed", token };
      }),
    complete: (key, token, { result, expires }) =>
      later(() => {
        const entry = entries.get(key);
        if (entry && entry.token !== token) throw new IdempotencyInProgressError();
        const done = { token, payload: entry?.payload, result, expires };
        const item = Object.entries({ id: key, ...done }).flat().join("");
        if (new TextEncoder().encode(item).length > LARGEST_ITEM) {
          throw new RangeError(
            "Cannot keep the result: an item of Amazon DynamoDB has at most 400 KB",
          );
        }
        entries.set(key, done);
      }),
    release: (key, token) =>
      later(() => {
        const entry = entries.get(key);
        if (entry?.token === token && entry.until !== undefined) entries.delete(key);
      }),
  };
}
