import { checkNames, invalid, isPlainObject } from "../../function/arguments.ts";
import { refuse, validate } from "../../function/schema.ts";
import { HttpBadRequestError } from "../errors/client_errors.ts";
import { errorKind } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { type Middleware, readUse, withMiddleware, WRAPPED } from "../middleware/middleware.ts";
import { Answer } from "../response/answer.ts";
import { BUILT, hasMark } from "../response/http_response.ts";
import { REPLY, type Reply, withOutput } from "../response/reply.ts";
import type { ProxyResult, ProxyRoute } from "../response/route.ts";
import { aboutResult } from "../response/result.ts";
import { isBytes, isStream, isWebResponse } from "../../function/bytes.ts";
import type { ApiDescription, DescribedRoute, RouteDescription } from "./description.ts";
import { readDescription } from "./read_description.ts";

/** The options of {@linkcode implement}. */
export interface ImplementOptions {
  /** Middleware around each route of the table, before the checks of the request; the first is the outermost. */
  readonly use?: readonly Middleware[] | undefined;
}

/**
 * Makes routes of functions and of the description of an API. Each route is checked by its description:
 *
 * - Before the function runs, the schemas of the description check the request, in this order: `path` (404), `query`
 *   (400), `headers` (400), `body` (415, 400 and 422). The first failure is the answer. A part without a schema is not
 *   read.
 * - In the function, `pathParameters()`, `queryStringParameters()`, `httpHeaders()` and `queryPayload()` return the outputs
 *   of the schemas, with their types. Given a schema, an accessor reads what the client sent.
 * - A plain result counts as 200, `undefined` as 204, and a `reply()` as its status. The response of this status is the
 *   output of its schema, so an object loses the members that the schema does not name. If the schema refuses a result,
 *   or if the description lacks the status, the answer is 500, and the log record names the key, the status and the place.
 * - Errors, replies from 400 on, a standard `Response`, bytes, streams and built responses are not checked.
 *
 * The table may have a part of the API; other functions implement the rest.
 *
 * @param api The description.
 * @param table The functions by the keys of the description.
 * @param options Middleware around each route, which runs before the checks.
 * @returns A table for `routes()`, with the keys of `table`.
 * @throws {TypeError} If the API lacks a key, the description of a key is wrong, a value is not a function or is the result
 * of `withMiddleware()`, or an option is invalid. The message names the key.
 *
 * @example An order
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as z from "zod";
 * import { type ApiDescription, implement, proxyHandler, reply, routes } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const Order = z.object({ id: z.number(), item: z.string() });
 * const api = {
 *   "POST /orders": { body: Order.omit({ id: true }), responses: { 201: Order } },
 * } as const satisfies ApiDescription;
 *
 * const table = implement(api, {
 *   "POST /orders": (event) => reply(201, { id: 7, secret: "sesame", ...event.queryPayload() }),
 * });
 * const handler = proxyHandler(routes(table));
 *
 * const ask = async (body: unknown) => {
 *   const response = await call(handler, { method: "POST", url: "/orders", body: JSON.stringify(body) });
 *   return [response.status, await response.json()];
 * };
 * assertEquals(await ask({ item: "tea" }), [201, { id: 7, item: "tea" }]);
 * assertEquals((await ask({ item: 7 }))[0], 422);
 * ```
 */
export function implement<const Api extends ApiDescription, Keys extends keyof Api & string>(
  api: Api,
  table: { readonly [Key in Keys]: DescribedRoute<Key, Api[Key]> },
  options: ImplementOptions = {},
): { readonly [Key in Keys]: ProxyRoute } {
  checkNames(options, ["use"]);
  const use = readUse(options.use ?? []);
  if (!isPlainObject(table) || Object.keys(table).length === 0) {
    throw new TypeError('Invalid table: expected an object such as { "GET /orders/{id}": route }');
  }
  const entries = Object.entries(table).map(([key, route]) => {
    const description = readDescription(api, key);
    const name = `route ${JSON.stringify(key)}`;
    if (typeof route !== "function") throw invalid(name, "a function", route);
    if (hasMark(route, WRAPPED)) throw invalid(name, EXPECTED_USE);
    const checked = checkRoute(key, description, route as ProxyRoute);
    return [key, use.length === 0 ? checked : withMiddleware(use, checked)] as const;
  });
  return Object.fromEntries(entries) as { [Key in Keys]: ProxyRoute };
}

const EXPECTED_USE = "the option use instead of withMiddleware(), which runs after the checks";

function checkRoute(key: string, description: RouteDescription, route: ProxyRoute): ProxyRoute {
  return async (event, context) => {
    checkRequest(event, description);
    const result = await route(event, context);
    try {
      return checkResult(result, description, key) as ProxyResult;
    } catch (thrown) {
      throw aboutResult(thrown);
    }
  };
}

/** Checks a request. The accessors of the event return the outputs of the schemas from then on. */
function checkRequest(
  event: FnProxyEvent,
  { path, query, headers, body }: RouteDescription,
): void {
  if (path) keep(event, "pathParameters", event.pathParameters(path));
  if (query) keep(event, "queryStringParameters", event.queryStringParameters(query));
  if (headers) {
    const toError = refuse(HttpBadRequestError, "header fields");
    keep(event, "httpHeaders", validate(headers, event.httpHeaders(), toError));
  }
  if (body) keep(event, "queryPayload", event.queryPayload(body));
}

/** Gives an accessor of one event the output of a schema. With another schema, it reads the event. */
function keep(
  event: FnProxyEvent,
  name: "pathParameters" | "queryStringParameters" | "httpHeaders" | "queryPayload",
  output: unknown,
): void {
  const read = event[name] as (schema?: unknown) => unknown;
  const value = (schema?: unknown) => schema === undefined ? output : read.call(event, schema);
  event[name] = value as never;
}

/** Checks the result of a route, and gives it the output of the schema. */
function checkResult(
  result: unknown,
  { responses }: RouteDescription,
  key: string,
): Reply | unknown {
  if (isUnchecked(result)) return result;
  const made: Reply = hasMark(result, REPLY)
    ? result
    : { status: result === undefined ? 204 : 200, payload: result };
  const { status, payload } = made;
  if (status >= 400 || isBytes(payload) || isStream(payload)) return result;
  const name = `response of ${JSON.stringify(key)} with the status ${status}`;
  const response = responses[status];
  if (response === undefined) {
    throw invalid(name, `a described status: ${Object.keys(responses).join(", ")}`);
  }
  if (typeof response === "string") {
    if (payload === undefined) return result;
    throw invalid(name, "no payload, because its description is a sentence");
  }
  // The message leaves the issue out, because the issue may quote the value.
  const output = validate(response, payload, ([issue]) => {
    const place = (issue?.path ?? []).map((part) =>
      typeof part === "number" ? `[${part}]` : `.${part}`
    );
    return new TypeError(`Invalid ${name}: "payload${place.join("")}" is refused by the schema`);
  });
  return withOutput(made, output);
}

/** Whether no description speaks of a result. */
function isUnchecked(result: unknown): boolean {
  if (result instanceof Answer) throw invalid("result of a described route", EXPECTED_USE);
  if (typeof result !== "object" || result === null) return false;
  return isBytes(result) || isStream(result) || hasMark(result, BUILT) || isWebResponse(result) ||
    result instanceof Error || errorKind(result) !== undefined;
}
