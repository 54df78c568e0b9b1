import type { FnHandler } from "../function/context.ts";
import { currentHost } from "./current_host.ts";
import { checkHandler } from "./handler.ts";
import { readConcurrency, Session } from "./session.ts";

/** What the loop may be told. */
export interface RunOptions {
  /** The host and port of the Runtime API, such as `127.0.0.1:9001`; `AWS_LAMBDA_RUNTIME_API` without. */
  readonly api?: string | undefined;
}

/**
 * Serves invocations of a Runtime API with a handler, one after the other, or as many at once as
 * `AWS_LAMBDA_MAX_CONCURRENCY` says.
 *
 * It is the bare loop, for runtimes and tests of one's own: it neither ends the process nor watches for errors
 * outside the handler. A function wants {@linkcode serve}.
 *
 * @typeParam Event What the invocations bring.
 * @typeParam Result What the handler returns.
 * @param handler The handler.
 * @param options Where the Runtime API is.
 * @returns Never: it rejects when the Runtime API ends the loop. Nothing is fetched after that, and what else is under
 * way is reported as failed.
 * @throws {RuntimeApiError} If the Runtime API cannot be reached, breaks HTTP, or refuses the next invocation.
 * @throws {TypeError} If the address or the concurrency is malformed.
 * @throws {Error} If the handler is no function, or takes a callback (`name` is the type the platform records, such as
 * `Runtime.HandlerNotFound`), or no address is given and `AWS_LAMBDA_RUNTIME_API` is not set.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 *
 * @example One invocation, from a Runtime API of one's own
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
  const session = new Session(host, options.api ?? readApi(host.getEnv));
  return await session.run(handler as FnHandler, readConcurrency(host)) as never; // nothing here asks it to end
}

/** Reads where the Runtime API is. */
export function readApi(getEnv: (name: string) => string | undefined): string {
  const api = getEnv("AWS_LAMBDA_RUNTIME_API");
  if (api) return api;
  throw new Error(
    "Cannot serve invocations: AWS_LAMBDA_RUNTIME_API is not set: the platform sets it where it runs a function",
  );
}
