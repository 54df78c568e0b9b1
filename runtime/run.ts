import type { FnHandler } from "../function/context.ts";
import { checkHandler } from "./handler.ts";
import { currentHost, type Host } from "./host.ts";
import { readConcurrency, Session } from "./session.ts";

/** The options of {@linkcode run}. */
export interface RunOptions {
  /** The host and port of the Runtime API, such as `127.0.0.1:9001`. The default is `AWS_LAMBDA_RUNTIME_API`. */
  readonly api?: string | undefined;
}

/**
 * Serves the invocations of an AWS Lambda Runtime API with a handler: one after the other, or as many at once as
 * `AWS_LAMBDA_MAX_CONCURRENCY` says.
 *
 * This is only the loop, for your own runtimes and tests. The loop does not end the process and does not watch for
 * errors outside the handler. A function uses {@linkcode serve}.
 *
 * @typeParam Event The type of the events.
 * @typeParam Result The type of the handler's results.
 * @param handler The handler.
 * @param options The address of the Runtime API.
 * @returns Never. The promise rejects when the Runtime API ends the loop. Then no invocation is fetched any more, and the
 * invocations under way are reported as failed.
 * @throws {RuntimeApiError} If the Runtime API cannot be reached, sends a malformed response, or refuses the next
 * invocation.
 * @throws {TypeError} If the address or the concurrency is malformed.
 * @throws {Error} If the handler is not a function or takes a callback, or if neither `api` nor
 * `AWS_LAMBDA_RUNTIME_API` is set.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 *
 * @example One invocation from your own Runtime API
 * ```ts
 * import { assertEquals, assertRejects } from "@std/assert";
 * import { run, RuntimeApiError } from "@mate/core/runtime";
 *
 * const events = ['{"name":"Ada"}'];
 * const answers: string[] = [];
 * await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
 *   if (request.method === "POST") {
 *     answers.push(await request.text());
 *     return new Response(null, { status: 202 });
 *   }
 *   const headers = { "Lambda-Runtime-Aws-Request-Id": "8476a536" };
 *   const event = events.shift();
 *   return event ? new Response(event, { headers }) : new Response("no more", { status: 410 });
 * });
 *
 * const greet = (event: { name: string }) => `Hello ${event.name}`;
 * await assertRejects(() => run(greet, { api: `127.0.0.1:${server.addr.port}` }), RuntimeApiError);
 * assertEquals(answers, ['"Hello Ada"']);
 * ```
 */
export async function run<Event, Result>(
  handler: FnHandler<Event, Result>,
  options: RunOptions = {},
): Promise<never> {
  const host = currentHost();
  checkHandler(handler, "handler");
  const session = new Session(host, options.api ?? readApi(host));
  return await session.run(handler as FnHandler, readConcurrency(host)) as never; // it ends only with an error
}

export function readApi(host: Host): string {
  const api = host.getEnv("AWS_LAMBDA_RUNTIME_API");
  if (api) return api;
  throw new Error(
    "Cannot serve invocations: AWS_LAMBDA_RUNTIME_API is not set; AWS Lambda sets it when it runs a function",
  );
}
