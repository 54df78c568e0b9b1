/**
 * HTTP functions behind a gateway: validated accessors to the event of a request, weighted preferences,
 * content negotiation, responses, errors, and a handler that puts them together.
 *
 * @example A function that answers in JSON, or in HTML where the client prefers it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpBadRequestError, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * export const handler = proxyHandler((event) => {
 *   const { name } = event.queryStringParameters();
 *   if (!name) throw new HttpBadRequestError("The parameter name is missing");
 *   return { greeting: `Hello ${name}` };
 * }, {
 *   customTransformers: {
 *     "text/html": (payload) => [
 *       `<pre>${JSON.stringify(payload).replaceAll("<", "\\u003c")}</pre>`,
 *       "text/html; charset=utf-8",
 *     ],
 *   },
 *   extraHeaders: { "Access-Control-Allow-Origin": "*" },
 * });
 *
 * const page = await call(handler, { url: "/?name=Ada", headers: { Accept: "text/html" } });
 * assertEquals(await page.text(), '<pre>{"greeting":"Hello Ada"}</pre>');
 * const refused = await call(handler, { url: "/" });
 * assertEquals(refused.status, 400);
 * assertEquals(await refused.json(), { Message: "The parameter name is missing" });
 * ```
 *
 * @module
 */
export * from "./errors/client_errors.ts";
export {
  /** The client made a mistake, status 4xx. The client reads the message and the details. */
  HttpClientError,
  /** An error with an HTTP status: the base class of all errors that a route throws. */
  HttpError,
  /** The options of the errors. */
  type HttpErrorOptions,
  /** The server failed, status 5xx. The client never sees the message and the details. */
  HttpServerError,
} from "./errors/http_error.ts";
export * from "./errors/server_errors.ts";
export type {
  /** The format of an HTTP event. */
  EventFormat,
} from "./event/formats/format.ts";
export * from "./event/ip_address.ts";
export * from "./event/malformed_payload_error.ts";
export * from "./event/proxy_event.ts";
export {
  /** An application that answers a standard `Request` with a standard `Response`. */
  type Fetch,
  /** Makes a handler of an application that answers standard requests. */
  fetchHandler,
  /** The second argument of an application behind `fetchHandler()`. */
  type FetchInfo,
} from "./fetch_handler.ts";
export type {
  /** The options that all handlers share. */
  HandlerOptions,
} from "./handler_options.ts";
export * from "./middleware/compress.ts";
export * from "./middleware/cors.ts";
export * from "./middleware/etag.ts";
export * from "./middleware/event_data.ts";
export type {
  /** Code around a route. */
  Middleware,
} from "./middleware/middleware.ts";
export * from "./middleware/problem_details.ts";
export {
  /** Puts middleware around one route, or around the result of `routes()`. */
  withMiddleware,
} from "./middleware/with_middleware.ts";
export * from "./negotiation/media_type.ts";
export type {
  /** One member of a header such as `Accept-Language`, with its weight. */
  Preference,
} from "./negotiation/preferences.ts";
export {
  /** A handler of HTTP requests, as the platform calls it. */
  type ProxyHandler,
  /** Makes a handler of HTTP requests. */
  proxyHandler,
  /** The options of `proxyHandler()`. */
  type ProxyHandlerOptions,
  /** The payload that a transformer gets for the return value of a route. */
  type RoutePayload,
} from "./proxy_handler.ts";
export type {
  /** What becomes of the reply of a route. */
  Answer,
  /** The content of an answer. */
  AnswerContent,
} from "./response/answer.ts";
export type {
  /** A content coding, and the functions of `node:zlib` that make it. */
  Codec,
  /** The content codings that a response can have. */
  Coding,
  /** How a content is compressed. */
  Compression,
} from "./response/codec.ts";
export {
  /** Chooses the media type of the response by the `Accept` header. */
  determineContentType,
  /** The options of `determineContentType()`. */
  type NegotiationOptions,
} from "./response/content_type.ts";
export {
  /** Builds the response to a mistake of the client. */
  buildHttpClientErrorResponse,
  /** Builds the response to a failure of the server. */
  buildHttpServerErrorResponse,
  /** The options of `buildHttpClientErrorResponse()`. */
  type ErrorResponseOptions,
  /** The options of `buildHttpServerErrorResponse()`. */
  type ServerErrorResponseOptions,
} from "./response/error_response.ts";
export type {
  /** The level of the log record of a client error. */
  ClientErrorLevel,
} from "./response/exchange.ts";
export type {
  /** The header fields of an answer. */
  AnswerHeaders,
  /** Header fields as a caller gives them. */
  HeaderValues,
} from "./response/headers.ts";
export type {
  /** A response in the form in which the gateway of the request takes it. */
  HttpResponse,
} from "./response/http_response.ts";
export {
  /** The transformer of `application/json`. */
  jsonTransformer,
} from "./response/json_transformer.ts";
export {
  /** Says that a hand-written object is a response in the form of the gateway. */
  asResponse,
  /** The answer of a route with a status, headers and cookies. */
  type Reply,
  /** Answers a request with a status, headers and cookies. */
  reply,
  /** The options of `reply()`. */
  type ReplyOptions,
} from "./response/reply.ts";
export {
  /** Builds a response: negotiates its media type, transforms the payload, compresses the content. */
  buildHttpResponse,
  /** The options of `buildHttpResponse()`. */
  type ResponseOptions,
  /** The payload that a transformer gets. */
  type Transformed,
} from "./response/response.ts";
export type {
  /** The return value of a route. */
  ProxyResult,
  /** The work of a handler of HTTP requests. */
  ProxyRoute,
} from "./response/route.ts";
export type {
  /** A content that is made while it is sent. */
  StreamBody,
} from "./response/stream_body.ts";
export type {
  /** A response that is streamed. */
  StreamedResponse,
  /** The status, header fields and cookies of a streamed response. */
  StreamPrelude,
} from "./response/stream_response.ts";
export {
  /** Transformers by the media type that they make, such as `text/html`. */
  type CustomTransformers,
  /** The payload that a string becomes. */
  type SimpleMessage,
  /** Wraps a text in a JSON object. */
  simpleMessage,
  /** Turns a payload into the content of a response of one media type. */
  type Transformer,
  /** The response that a transformer makes the content of. */
  type TransformerInfo,
} from "./response/transformer.ts";
export * from "./routes.ts";
export * from "./stream_handler.ts";
