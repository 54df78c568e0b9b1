import type { FnHandler } from "../function/context.ts";
import { checkHandler } from "./handler.ts";
import { takeOver } from "./process.ts";
import { watchShutdown } from "./shutdown.ts";

/** What a function may ask for beyond being called. */
export interface ServeOptions {
  /**
   * Called once when the platform shuts the sandbox down; the process ends when it has settled. There are 500 ms for it.
   *
   * The platform announces a shutdown to functions with an extension only, so an internal one without events is
   * registered for it, which costs a request at the start.
   */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
}

/**
 * Makes the process a function: serves invocations with a handler until the platform ends it.
 *
 * Whatever ends it earlier is logged, reported to the platform as the failure of every invocation under way or else of
 * the start, and ends the process with status 1: a handler that is none, an error that nobody caught, a rejection that
 * nobody handled, a handler that can never settle, a Runtime API that refuses. The reports may take 2 s.
 * Call it once, last in the module, and do not await it: what the module throws before cannot be reported.
 *
 * It reads `AWS_LAMBDA_RUNTIME_API`, `AWS_LAMBDA_FUNCTION_*`, `AWS_LAMBDA_LOG_*`, `AWS_LAMBDA_MAX_CONCURRENCY` and
 * `LAMBDA_TASK_ROOT`, sets `_X_AMZN_TRACE_ID`, and connects to nothing but the Runtime API: on Deno it needs
 * `--allow-env` and `--allow-net`.
 *
 * @typeParam Event What the invocations bring.
 * @typeParam Result What the handler returns: anything JSON can carry, a {@linkcode StreamBody}, or what
 * {@linkcode httpStream} makes.
 * @param handler The handler.
 * @param options What else the function asks for.
 * @throws {TypeError} If `AWS_LAMBDA_RUNTIME_API` is malformed.
 * @throws {Error} If `AWS_LAMBDA_RUNTIME_API` is not set: the process is no function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
 *
 * @example A function in one file
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { serve } from "@mate/core/runtime";
 *
 * export function handler(event: { name: string }): string {
 *   return `Hello ${event.name}`;
 * }
 *
 * // Only the platform sets it: elsewhere, in a test say, the module only exports its handler.
 * if (Deno.env.has("AWS_LAMBDA_RUNTIME_API")) serve(handler);
 *
 * assertEquals(handler({ name: "Ada" }), "Hello Ada");
 * ```
 */
export function serve<Event, Result>(
  handler: FnHandler<Event, Result>,
  options: ServeOptions = {},
): void {
  const { onShutdown } = options;
  takeOver(
    () => {
      checkHandler(handler, "handler");
      return handler as FnHandler;
    },
    onShutdown && ((host, api) => watchShutdown(host, api, onShutdown)),
  );
}
