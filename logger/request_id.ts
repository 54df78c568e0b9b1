import { type LoggerState, loggerState, type RequestIdStore } from "./state.ts";

/**
 * Runs a function whose records all carry a request id, whatever it awaits, also while other scopes are
 * open in the same process.
 *
 * The gateway's `proxyHandler` and the custom runtime open such a scope by themselves; handlers of one's own
 * on another runtime can do it so. Within a scope another may be opened; the inner id counts until it ends.
 *
 * @typeParam T What the function returns.
 * @param id The request id, such as `context.awsRequestId`; empty for none.
 * @param fn The function, sync or async; the scope lasts until what it returns is settled.
 * @returns What the function returns; in place of a promise or a thenable maybe another promise, of the same outcome.
 * @throws {TypeError} If the id is no string. What the function throws passes through.
 *
 * @example A handler of one's own
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
    throw new TypeError(
      `Cannot open a scope: expected the request id as a string, got ${typeof id}`,
    );
  }
  const state = loggerState();
  // One scope at a time, the rule where each sandbox serves one invocation, needs but a variable: loading
  // `AsyncLocalStorage` costs milliseconds. A scope of the id already in scope is part of that one.
  if (!state.store && (state.openScopes === 0 || state.scopedId === id)) {
    return withVariable(state, id, fn);
  }
  state.store ??= createStore();
  return state.store ? state.store.run(id, fn) : withVariable(state, id, fn);
}

/** The request id in scope; empty where there is none. */
export function currentRequestId(state: LoggerState): string {
  return state.store?.getStore() ??
    (state.openScopes > 0 ? state.scopedId : undefined) ??
    state.requestId ??
    managedRequestId();
}

function withVariable<T>(state: LoggerState, id: string, fn: () => T): T {
  // Another scope is open here only where there is no `AsyncLocalStorage`: it gets its id back.
  const outer = state.openScopes > 0 ? state.scopedId : id;
  state.openScopes++;
  state.scopedId = id;
  const close = () => {
    state.openScopes--;
    if (outer !== id) state.scopedId = outer;
  };
  let result: T;
  let settlesLater: boolean;
  try {
    result = fn();
    settlesLater = isThenable(result);
  } catch (error) {
    close();
    throw error;
  }
  if (!settlesLater) {
    close();
    return result;
  }
  // A promise is handed on, not watched aside: watching would hide a rejection that nobody handles.
  // `finally()` would take twice as long.
  return Promise.resolve(result).then((value) => {
    close();
    return value;
  }, (reason) => {
    close();
    throw reason;
  }) as T;
}

function isThenable(value: unknown): boolean {
  return (typeof value === "object" && value !== null || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function";
}

function createStore(): RequestIdStore | undefined {
  const { process } = globalThis as {
    process?: {
      getBuiltinModule?(
        name: "node:async_hooks",
      ): { AsyncLocalStorage: new () => RequestIdStore };
    };
  };
  const hooks = process?.getBuiltinModule?.("node:async_hooks");
  return hooks && new hooks.AsyncLocalStorage();
}

/** What the managed Node.js runtime says about the invocation under way, from its version 22 on. */
function managedRequestId(): string {
  const { awslambda } = globalThis as {
    awslambda?: { InvokeStore?: { getRequestId?(): string } };
  };
  const id = awslambda?.InvokeStore?.getRequestId?.();
  return id === undefined || id === "-" ? "" : id; // the store's word for none
}
