import { isPlainObject } from "../function/read.ts";
import type { FnContext } from "../function/context.ts";
import { withRequestId } from "../logger/mod.ts";
import { draftResponse, finishSoon } from "./response/respond.ts";
import { readSettings, type Settings, withoutTransformers } from "./response/settings.ts";
import { reportClientError, reportServerError } from "./response/error_response.ts";
import { HttpClientError, HttpServerError } from "./errors/http_error.ts";
import type { HttpResponse } from "./response/http_response.ts";
import { requireType } from "./response/content_type.ts";
import { FnProxyEvent } from "./event/proxy_event.ts";
import type { Transformed } from "./response/response.ts";
import { HttpInternalServerError } from "./errors/server_errors.ts";
import type { CustomTransformers, SimpleMessage } from "./response/transformer.ts";

/**
 * What a route returns: a payload to answer with 200, nothing to answer with 204, or a built response. It need
 * not be JSON where a transformer makes it so.
 */
export type ProxyResult = string | number | boolean | object | null | undefined | void;

/**
 * The work of a handler of HTTP requests.
 *
 * @typeParam Result What it returns.
 * @param event The request.
 * @param context What the platform says about the invocation; absent where the caller of the handler gave none.
 */
export type ProxyRoute<Result extends ProxyResult = ProxyResult> = (
  event: FnProxyEvent,
  context: FnContext,
) => Result | Promise<Result>;

/**
 * A handler of HTTP requests, as the platform calls it. It never rejects.
 *
 * @param event What the gateway sends.
 * @param context What the platform says about the invocation.
 */
export type ProxyHandler = (event: unknown, context?: FnContext) => Promise<HttpResponse>;

/**
 * The options of {@linkcode proxyHandler}.
 *
 * @typeParam Result What the route returns; anything unless given.
 */
export interface ProxyHandlerOptions<Result = unknown> {
  /** Transformers by the media type they make, next to `application/json`; they are given errors' messages too. */
  readonly customTransformers?:
    | CustomTransformers<
      Transformed<Exclude<Result, HttpResponse | undefined | void>> | SimpleMessage
    >
    | undefined;
  /** Header fields to add to every response but those that the route built. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  /** What the client is told of an error of the server's; unless given, that the server failed, and no more. */
  readonly clientMessage?: string | undefined;
}

/**
 * Makes a handler of HTTP requests: wraps the event, runs the route, and turns whatever comes of it into a
 * response.
 *
 * - A request whose `Accept` fits none of the types available is answered with 406 before the route runs.
 * - What the route returns is answered with 200; `undefined` with 204; a response that it built, an object with an
 *   own `statusCode` that is an integer, is returned as it is.
 * - An {@linkcode HttpClientError} is answered with its status and message, an {@linkcode HttpServerError} with its
 *   status and the client message, anything else that is thrown with 500 and the client message. Both are logged.
 * - Everything logged meanwhile carries the request id of the invocation.
 *
 * @typeParam Result What the route returns.
 * @param route The work, sync or async.
 * @param options Transformers, header fields and the client message; read once.
 * @returns The handler. It never rejects, whatever the event, the context or the route.
 * @throws {TypeError} If the route is no function, or an option unfit: a header is malformed, a key of the
 * transformers no media type or its value no function, the client message no string.
 *
 * @example A handler with an error that the client may read
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpNotFoundError, proxyHandler } from "@mate/core/gateway";
 *
 * const prices: Record<string, number> = { soup: 9.5 };
 *
 * const handler = proxyHandler((event) => {
 *   const dish = event.queryPath().at(-1) ?? "";
 *   if (!Object.hasOwn(prices, dish)) throw new HttpNotFoundError("No such dish");
 *   return { dish, price: prices[dish] };
 * });
 *
 * const request = (path: string) => ({ headers: {}, requestContext: { path } });
 * const found = await handler(request("/v0/menu/soup"));
 * assertEquals([found.statusCode, JSON.parse(found.body)], [200, { dish: "soup", price: 9.5 }]);
 * const lost = await handler(request("/v0/menu/stew"));
 * assertEquals([lost.statusCode, JSON.parse(lost.body)], [404, { Message: "No such dish" }]);
 * ```
 */
export function proxyHandler<Result extends ProxyResult>(
  route: ProxyRoute<Result>,
  options: NoInfer<ProxyHandlerOptions<Result>> = {},
): ProxyHandler {
  if (typeof route !== "function") {
    throw new TypeError(
      `Cannot make the handler: expected a function as route, got ${kindOf(route)}`,
    );
  }
  const setup = readOptions(options);
  return async (event, context) => {
    const answer = () => answerRequest(event, context as FnContext, route, setup);
    const requestId = readRequestId(context);
    const response = requestId === "" ? answer() : withRequestId(requestId, answer);
    return isThenable(response) ? await response : response;
  };
}

/** The options, checked, in copies of their own. */
interface Setup {
  readonly settings: Settings;
  readonly clientMessage: string | undefined;
}

/** Answers at once where it can: a promise takes a tenth of the time of a small response. */
function answerRequest(
  eventObject: unknown,
  context: FnContext,
  route: ProxyRoute,
  setup: Setup,
): HttpResponse | Promise<HttpResponse> {
  let event: FnProxyEvent | undefined;
  try {
    event = new FnProxyEvent(eventObject);
    const type = requireType(event, setup.settings.types);
    const result = route(event, context);
    const answer = isThenable(result) ? result : answerResult(result, setup, event, type);
    return isThenable(answer) ? answerLater(answer, setup, event, type) : answer;
  } catch (error) {
    return answerFailure(error, setup, event);
  }
}

async function answerLater(
  pending: Promise<ProxyResult>,
  setup: Setup,
  event: FnProxyEvent,
  type: string,
): Promise<HttpResponse> {
  try {
    return await answerResult(await pending, setup, event, type);
  } catch (error) {
    return await answerFailure(error, setup, event);
  }
}

function answerResult(
  result: ProxyResult,
  { settings }: Setup,
  event: FnProxyEvent,
  type: string,
): HttpResponse | Promise<HttpResponse> {
  if (isResponse(result)) return result;
  const status = result === undefined ? 204 : 200;
  return finishSoon(draftResponse(status, result, settings, event, type));
}

function answerFailure(
  error: unknown,
  setup: Setup,
  event: FnProxyEvent | undefined,
): HttpResponse | Promise<HttpResponse> {
  try {
    return answerError(toHttpError(error), setup, event);
  } catch (cause) { // a transformer that throws at everything, an error whose status is none
    const message = "Cannot build the response to an error";
    const failure = new HttpInternalServerError(message, { cause });
    return answerError(failure, { ...setup, settings: withoutTransformers(setup.settings) });
  }
}

function answerError(
  error: HttpClientError | HttpServerError,
  { settings, clientMessage }: Setup,
  event?: FnProxyEvent,
): HttpResponse | Promise<HttpResponse> {
  const message = error instanceof HttpServerError
    ? reportServerError(error, clientMessage)
    : reportClientError(error);
  return finishSoon(draftResponse(error.status, message, settings, event));
}

function toHttpError(error: unknown): HttpClientError | HttpServerError {
  if (error instanceof HttpClientError || error instanceof HttpServerError) return error;
  const message = error instanceof Error ? error.message : undefined;
  return new HttpInternalServerError(message, { cause: error });
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return (typeof value === "object" && value !== null || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function";
}

function isResponse(result: unknown): result is HttpResponse {
  return typeof result === "object" && result !== null && Object.hasOwn(result, "statusCode") &&
    Number.isInteger((result as HttpResponse).statusCode);
}

function readRequestId(context: FnContext | undefined): string {
  try {
    const requestId: unknown = context?.awsRequestId;
    return typeof requestId === "string" ? requestId : "";
  } catch {
    return ""; // records without it, rather than no answer
  }
}

function readOptions(options: ProxyHandlerOptions<never>): Setup {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `Cannot make the handler: expected an object of options, got ${kindOf(options)}`,
    );
  }
  const { clientMessage, extraHeaders } = options;
  if (clientMessage !== undefined && typeof clientMessage !== "string") {
    throw new TypeError(
      `Cannot make the handler: expected a string as client message, got ${kindOf(clientMessage)}`,
    );
  }
  const customTransformers = copyTransformers(options.customTransformers);
  return { settings: readSettings(customTransformers, extraHeaders), clientMessage };
}

function copyTransformers(transformers: CustomTransformers<never> | undefined) {
  if (!isPlainObject(transformers)) return transformers; // `readSettings()` says what is wrong with it
  const copy = { ...transformers };
  for (const [type, transformer] of Object.entries<unknown>(copy)) {
    if (typeof transformer === "function") continue;
    const got = kindOf(transformer);
    throw new TypeError(
      `Cannot make the handler: expected a function as transformer of "${type}", got ${got}`,
    );
  }
  return copy;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
