import { type AsyncStore, type LoggerState, loggerState } from "./state.ts";

/**
 * Runs a function, and gives a request id to all records that the function writes, also after an `await` and while other
 * scopes are open in the same process.
 *
 * `proxyHandler` and the custom runtime call this function. On another runtime, call it in your handler. Scopes nest: the
 * inner id counts until the inner scope ends.
 *
 * Work that goes on after the end of its scope keeps the id of the scope or loses the id. On a runtime with
 * `AsyncLocalStorage`, such work never gets the id of a later scope.
 *
 * @typeParam T The type of the result.
 * @param id The request id, such as `context.awsRequestId`; `""` for none.
 * @param fn The function, sync or async. The scope lasts until the result of the function is settled.
 * @returns The result of the function. If the result is a promise, another promise with the same outcome.
 * @throws {TypeError} If the id is not a string. An error of the function passes through.
 *
 * @example Your own handler
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { logger, withRequestId } from "@mate/core/logger";
 *
 * function handler(event: { name: string }, context: { awsRequestId: string }): Promise<string> {
 *   return withRequestId(context.awsRequestId, async () => {
 *     logger.info("Asked for a greeting", event);
 *     return await Promise.resolve(`Hello ${event.name}`);
 *   });
 * }
 *
 * assertEquals(await handler({ name: "Ada" }, { awsRequestId: "8f5e" }), "Hello Ada");
 * ```
 */
export function withRequestId<T>(id: string, fn: () => T): T {
  if (typeof id !== "string") {
    throw new TypeError(`Cannot open a scope: expected a string as request id, got ${typeof id}`);
  }
  const state = loggerState();
  // A variable is enough for the first id of a process, and loading `AsyncLocalStorage` would take 12 ms of a cold start.
  // Later ids need the store, because work of the first invocation may still write records.
  if (!state.store && (state.firstId === undefined || state.firstId === id)) {
    return withVariable(state, id, fn);
  }
  state.store ??= createStore();
  return state.store ? state.store.run(id, fn) : withVariable(state, id, fn);
}

/** The request id of the work that calls this function; `""` if the work belongs to no request. */
export function currentRequestId(): string {
  const state = loggerState();
  return state.store?.getStore() ??
    (state.openScopes > 0 ? state.firstId : undefined) ??
    managedRequestId();
}

function withVariable<T>(state: LoggerState, id: string, fn: () => T): T {
  const outer = state.firstId ?? id; // differs from `id` only if there is no `AsyncLocalStorage`
  state.openScopes++;
  state.firstId = id;
  const close = () => {
    state.openScopes--;
    state.firstId = outer;
  };
  let result: T;
  try {
    result = fn();
  } catch (error) {
    close();
    throw error;
  }
  if (isThenable(result)) return closeLater(result, close) as T;
  close();
  return result;
}

/** Returns another promise. A listener on the original promise would count as a handler of its rejection. */
async function closeLater(result: unknown, close: () => void): Promise<unknown> {
  try {
    return await result;
  } finally {
    close();
  }
}

function isThenable(value: unknown): boolean {
  return typeof Object(value).then === "function";
}

/** Makes a store, if the runtime has `AsyncLocalStorage`. */
export function createStore<Value>(): AsyncStore<Value> | undefined {
  const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
  return hooks && new hooks.AsyncLocalStorage<Value>();
}

/** The id that the managed Node.js runtime gives the invocation under way, from Node.js 22 on. */
function managedRequestId(): string {
  const { awslambda } = globalThis as {
    awslambda?: { InvokeStore?: { getRequestId?(): string } };
  };
  const id = awslambda?.InvokeStore?.getRequestId?.();
  return !id || id === "-" ? "" : id; // "-" stands for none
}
