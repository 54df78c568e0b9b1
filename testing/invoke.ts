import type { FnContext } from "../function/event.ts";
import { invalid, isThenable, kindOf } from "../function/arguments.ts";
import { withRequestId } from "../logger/mod.ts";
import { createContext } from "./call.ts";
import { isStreamed, openResult, toStreamedResponse } from "./streamed_response.ts";

/**
 * The result of a handler: a standard `Response` if it is streamed. A handler that takes a callback and returns nothing
 * has an unknown result.
 *
 * @typeParam Returned What the handler returns.
 */
export type InvokeResult<Returned> = Awaited<Returned> extends infer Result
  ? unknown extends Result ? Result
  : [Exclude<Result, void>] extends [never] ? unknown
  : Exclude<Result, void> extends infer Value
    ? Value extends AsyncIterable<unknown> | { readonly prelude: object; readonly body: unknown }
      ? Response
    : Value
  : never
  : never;

/**
 * Calls a handler of any kind as AWS Lambda does, with an event as it was recorded.
 *
 * - The handler gets a copy of the event, as JSON carries it, so a recorded event stays as it is.
 * - A handler with a third parameter may call it back, as the managed Node.js runtime allows.
 * - A stream becomes a standard `Response`, as a function URL sends it.
 * - Every record that is logged meanwhile carries the request id of the context.
 *
 * @typeParam Returned What the handler returns.
 * @param handler The handler: one of this library, or any other function of an event and a context.
 * @param event The event, a value of JSON.
 * @param context The members of the context that the test cares about, or the result of {@linkcode createContext}.
 * @returns The result of the handler. The promise rejects with the error that the handler throws or calls back with.
 * @throws {TypeError} If the handler is not a function, or the event is not JSON.
 *
 * @example A recorded event of a queue
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { queueHandler } from "@mate/core/queue";
 * import { invoke, queueEvent } from "@mate/core/testing";
 *
 * const recorded = queueEvent([{ messageId: "1" }, { messageId: "2" }]); // or a JSON file
 * const handler = queueHandler((record) => {
 *   if (record.messageId() === "2") throw new Error("Out of stock");
 * });
 *
 * const { batchItemFailures } = await invoke(handler, recorded);
 * assertEquals(batchItemFailures, [{ itemIdentifier: "2" }]);
 * ```
 */
export async function invoke<Returned>(
  // deno-lint-ignore no-explicit-any -- handlers type their events and contexts differently
  handler: (event: any, context: any, callback: any) => Returned,
  event: unknown,
  context: Partial<FnContext> = {},
): Promise<InvokeResult<Returned>> {
  if (typeof handler !== "function") throw invalid("handler", `a function, got ${kindOf(handler)}`);
  const copy = copyEvent(event);
  const whole = createContext(context);
  const result: unknown = await withRequestId(whole.awsRequestId, () => {
    return new Promise((resolve, reject) => {
      const callback = (error: unknown, value: unknown) => {
        if (error === undefined || error === null) resolve(value);
        else reject(error);
      };
      const returned: unknown = handler(copy, whole, callback);
      // A handler that takes a callback and returns no promise ends with the callback.
      if (handler.length < 3 || isThenable(returned)) resolve(returned);
    });
  });
  const answer = isStreamed(result) ? toStreamedResponse(await openResult(result), "url") : result;
  return answer as InvokeResult<Returned>;
}

/** Copies an event as JSON carries it. */
function copyEvent(event: unknown): unknown {
  let json: string | undefined;
  try {
    json = JSON.stringify(event);
  } catch (cause) {
    throw new TypeError("Invalid event: expected a value that JSON can carry", { cause });
  }
  if (json === undefined) {
    throw invalid("event", `a value that JSON can carry, got ${kindOf(event)}`);
  }
  return JSON.parse(json);
}
