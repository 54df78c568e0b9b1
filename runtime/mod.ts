/**
 * A custom runtime for AWS Lambda: fetches invocations from the Runtime API, runs a handler, and reports its result.
 *
 * `serve` makes one file a whole function. `run` is the loop alone. A handler answers with JSON or with a stream.
 * `httpStream` gives a stream the status, header fields and cookies of an HTTP response.
 *
 * @example A handler that streams
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { serve } from "@mate/core/runtime";
 *
 * async function* handler(event: { to: number }): AsyncGenerator<string> {
 *   for (let i = 1; i <= event.to; i++) yield await Promise.resolve(`${i}\n`);
 * }
 *
 * if (Deno.env.has("AWS_LAMBDA_RUNTIME_API")) serve(handler);
 *
 * assertEquals(await Array.fromAsync(handler({ to: 2 })), ["1\n", "2\n"]);
 * ```
 *
 * @module
 */
export {
  type HttpPrelude,
  type HttpStream,
  httpStream,
  type StreamBody,
  type StreamChunk,
} from "./http_stream.ts";
export { run, type RunOptions } from "./run.ts";
export { RuntimeApiError } from "./response.ts";
export { serve, type ServeOptions } from "./serve.ts";
