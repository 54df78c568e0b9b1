import type { FnContext } from "../function/context.ts";
import { invalid, kindOf } from "../function/read.ts";
import type { FnProxyEvent } from "./event/proxy_event.ts";
import { makeHandler, type ProxyHandler, type StreamHandler } from "./handler.ts";
import { type HandlerOptions, readOptions } from "./handler_options.ts";
import type { HttpResponse } from "./response/http_response.ts";
import type { Reply } from "./response/reply.ts";
import type { Transformed } from "./response/response.ts";
import type { StreamBody } from "./response/stream_body.ts";
import type { CustomTransformers, SimpleMessage } from "./response/transformer.ts";

/**
 * The return value of a route: a payload, nothing, a {@linkcode reply}, a standard `Response`, bytes, a stream, or a
 * response that `buildHttpResponse()` or `asResponse()` made.
 */
export type ProxyResult = string | number | boolean | object | null | undefined | void;

/**
 * The work of a handler of HTTP requests.
 *
 * @typeParam Result The type of the return value.
 * @param event The request.
 * @param context The facts of the platform about the invocation; absent if the caller of the handler gave none.
 */
export type ProxyRoute<Result extends ProxyResult = ProxyResult> = (
  event: FnProxyEvent,
  context: FnContext,
) => Result | Promise<Result>;

/**
 * The payload that a transformer gets for the return value of a route.
 *
 * @typeParam Result The type of the return value.
 */
export type RoutePayload<Result> = Result extends Reply<infer Payload> ? RoutePayload<Payload>
  : Result extends HttpResponse | Response | Uint8Array | StreamBody | undefined | void ? never
  : Transformed<Result>;

/**
 * The options of {@linkcode proxyHandler}.
 *
 * @typeParam Result The type of the return value of the route; anything unless given.
 */
export interface ProxyHandlerOptions<Result = unknown> extends HandlerOptions {
  /** Transformers by the media type that they make, besides `application/json`. They get the messages of errors too. */
  readonly customTransformers?:
    | CustomTransformers<RoutePayload<Result> | SimpleMessage>
    | undefined;
  /**
   * The types that the route can send, in place of JSON and the types of the transformers. A request that accepts none
   * of them is answered with 406 before the route runs. Errors are JSON all the same.
   */
  readonly types?: readonly string[] | undefined;
}

/**
 * Makes a handler of HTTP requests: wraps the event, runs the route, and turns its result into the response that the
 * gateway of the request takes.
 *
 * - A request whose `Accept` fits none of the available types is answered with 406 before the route runs.
 * - The return value of the route is answered with 200, and `undefined` with 204. A {@linkcode reply} has its own status,
 *   headers and cookies. A standard `Response`, bytes and streams are sent as they are.
 * - A response that `buildHttpResponse()` or `asResponse()` made is sent as it is. An object that merely looks like one
 *   is an error, because it may be data of a client.
 * - An {@linkcode HttpClientError} is answered with its status and message, an {@linkcode HttpServerError} with its
 *   status and the client message, any other thrown value with 500 and the client message. All are logged.
 * - Every record that is logged meanwhile carries the request id of the invocation.
 *
 * @typeParam Result The type of the return value of the route.
 * @param route The work, sync or async.
 * @param options The options; they are read once.
 * @returns The handler. It never rejects, whatever the event, the context or the route.
 * @throws {TypeError} If the route is not a function, an option is invalid, or two options contradict each other.
 *
 * @example A handler with an error that the client may read
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpNotFoundError, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const prices: Record<string, number> = { soup: 9.5 };
 *
 * const handler = proxyHandler((event) => {
 *   const dish = event.queryPath().at(-1) ?? "";
 *   if (!Object.hasOwn(prices, dish)) throw new HttpNotFoundError("No such dish");
 *   return { dish, price: prices[dish] };
 * });
 *
 * const found = await call(handler, { url: "/menu/soup" });
 * assertEquals([found.status, await found.json()], [200, { dish: "soup", price: 9.5 }]);
 * const lost = await call(handler, { url: "/menu/stew" });
 * assertEquals([lost.status, await lost.json()], [404, { Message: "No such dish" }]);
 * ```
 */
export function proxyHandler<Result extends ProxyResult>(
  route: ProxyRoute<Result>,
  options: NoInfer<ProxyHandlerOptions<Result>> & { readonly stream: true },
): StreamHandler;
/** Makes a handler of HTTP requests that does not stream. */
export function proxyHandler<Result extends ProxyResult>(
  route: ProxyRoute<Result>,
  options?: NoInfer<ProxyHandlerOptions<Result>>,
): ProxyHandler;
/** Makes a handler of either kind. */
export function proxyHandler<Result extends ProxyResult>(
  route: ProxyRoute<Result>,
  options: NoInfer<ProxyHandlerOptions<Result>> = {},
): ProxyHandler & StreamHandler {
  if (typeof route !== "function") throw invalid("route", `a function, got ${kindOf(route)}`);
  return makeHandler(route, readOptions(options, true));
}
