import type { FnContext } from "../function/context.ts";
import { invalid } from "../function/read.ts";
import type { FnProxyEvent } from "./event/proxy_event.ts";
import { readRequest, readRoutePath } from "./event/request.ts";
import { makeHandler, type ProxyHandler, type StreamHandler } from "./handler.ts";
import { type HandlerOptions, readOptions } from "./handler_options.ts";
import { isWebResponse } from "./response/stream_body.ts";

/** The second argument of an application behind {@linkcode fetchHandler}. */
export interface FetchInfo {
  /** The event of the request. */
  readonly event: FnProxyEvent;
  /** The facts of the platform about the invocation. */
  readonly context: FnContext;
}

/** An application that answers a standard `Request` with a standard `Response`. */
export type Fetch = (request: Request, info: FetchInfo) => Response | Promise<Response>;

/**
 * Makes a handler of an application that answers standard requests: one of Hono, oak, itty-router or `Deno.serve()`.
 *
 * The application sees the path below the stage, with every gateway. Its response is sent with its status, its headers
 * (each `Set-Cookie` is kept) and its exact bytes. If it throws an `HttpError`, the error is answered as
 * `proxyHandler()` does.
 *
 * @param application The function, or an object with the function as its `fetch`.
 * @param options The options; they are read once.
 * @returns The handler. It never rejects.
 * @throws {TypeError} If the application is neither a function nor an object with `fetch`, or if an option is invalid.
 *
 * @example An application behind any gateway
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { fetchHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const app = { fetch: (request: Request) => new Response(`Hello ${new URL(request.url).pathname}`) };
 * const handler = fetchHandler(app);
 *
 * const response = await call(handler, { url: "/prod/ada" }, { stage: "prod" });
 * assertEquals([response.status, await response.text()], [200, "Hello /ada"]);
 * ```
 */
export function fetchHandler(
  application: Fetch | { readonly fetch: Fetch },
  options: HandlerOptions & { readonly stream: true },
): StreamHandler;
/** Makes a handler of an application that does not stream. */
export function fetchHandler(
  application: Fetch | { readonly fetch: Fetch },
  options?: HandlerOptions,
): ProxyHandler;
/** Makes a handler of either kind. */
export function fetchHandler(
  application: Fetch | { readonly fetch: Fetch },
  options: HandlerOptions = {},
): ProxyHandler & StreamHandler {
  const fetch = typeof application === "function" ? application : application?.fetch;
  if (typeof fetch !== "function") {
    throw invalid("application", "a function or an object with fetch()");
  }
  return makeHandler(async (event, context) => {
    const request = readRequest(event.rawEvent, readRoutePath(event.rawEvent));
    const response: unknown = await fetch.call(application, request, { event, context });
    if (isWebResponse(response)) return response;
    throw invalid("result of the application", "a Response");
  }, readOptions(options, false));
}
