import type { FnContext } from "../../function/context.ts";
import { invalid, kindOf } from "../../function/read.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { Answer } from "../response/answer.ts";
import { exchangeOf } from "../response/exchange.ts";
import { type ProxyResult, runRoute } from "../response/route.ts";
import { type Middleware, runMiddleware } from "./middleware.ts";

/**
 * Puts middleware around one route, or around the result of `routes()`.
 *
 * The middleware does not see the 406 that the handler answers before the route, and not the 404 and 405 of a table of
 * routes that it stands in.
 *
 * @typeParam Event The event of the route.
 * @param use The middleware; the first is the outermost.
 * @param route The route.
 * @returns A route, for a handler or a table of `routes()`. It gives the answer of the outermost middleware, and never
 * rejects. Outside a handler it throws a `TypeError`.
 * @throws {TypeError} If a middleware or the route is not a function.
 *
 * @example One route of a table needs a password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   HttpUnauthorizedError,
 *   type Middleware,
 *   proxyHandler,
 *   routes,
 *   withMiddleware,
 * } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const secret: Middleware = (event, _context, next) => {
 *   if (event.header("Authorization") !== "Bearer sesame") throw new HttpUnauthorizedError();
 *   return next();
 * };
 *
 * const handler = proxyHandler(routes({
 *   "GET /menu": () => ["soup"],
 *   "DELETE /menu/{dish}": withMiddleware([secret], (event) => ({ gone: event.pathParameters().dish })),
 * }));
 *
 * assertEquals((await call(handler, { url: "/menu" })).status, 200);
 * assertEquals((await call(handler, { method: "DELETE", url: "/menu/soup" })).status, 401);
 * ```
 */
export function withMiddleware<Event extends FnProxyEvent = FnProxyEvent>(
  use: readonly Middleware[],
  route: (event: Event, context: FnContext) => ProxyResult | Promise<ProxyResult>,
): (event: Event, context: FnContext) => Promise<Answer> {
  const middleware = readUse(use);
  if (typeof route !== "function") throw invalid("route", `a function, got ${kindOf(route)}`);
  return (event, context) => {
    const exchange = exchangeOf(event);
    if (!exchange) {
      throw new TypeError("Cannot run middleware: expected an event that a handler made");
    }
    const run = route as (event: FnProxyEvent, context: FnContext) => unknown;
    const inner = (arrive?: (answer: Answer) => void) =>
      runRoute(run, event, context, exchange, arrive);
    return middleware.length === 0
      ? inner()
      : runMiddleware(middleware, event, context, exchange, inner);
  };
}

/**
 * Checks a list of middleware.
 *
 * @returns A copy, so that later changes by the caller do not count.
 * @throws {TypeError} If the value is not an array of functions.
 */
export function readUse(use: readonly Middleware[]): readonly Middleware[] {
  if (!Array.isArray(use)) throw invalid("use", `an array of middleware, got ${kindOf(use)}`);
  for (const middleware of use) {
    if (typeof middleware !== "function") {
      throw invalid("item of use", `a function, got ${kindOf(middleware)}`);
    }
  }
  return [...use];
}
