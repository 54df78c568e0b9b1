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
  buildHttpClientErrorResponse,
  buildHttpServerErrorResponse,
  type ClientErrorLevel,
  type ErrorResponseOptions,
  type ServerErrorResponseOptions,
} from "./response/error_response.ts";
export {
  HttpClientError,
  HttpError,
  type HttpErrorOptions,
  HttpServerError,
} from "./errors/http_error.ts";
export type { HttpResponse } from "./response/http_response.ts";
export type { EventFormat } from "./event/formats/format.ts";
export * from "./event/ip_address.ts";
export { jsonTransformer } from "./response/json_transformer.ts";
export * from "./event/malformed_payload_error.ts";
export * from "./negotiation/media_type.ts";
export { determineContentType, type NegotiationOptions } from "./response/content_type.ts";
export type { Preference } from "./negotiation/preferences.ts";
export * from "./event/proxy_event.ts";
export type { Coding } from "./response/compress.ts";
export type { CorsOptions } from "./response/cors.ts";
export type { ProxyHandler, StreamHandler } from "./handler.ts";
export type { CompressionOptions, HandlerOptions } from "./handler_options.ts";
export * from "./proxy_handler.ts";
export * from "./routes.ts";
export * from "./fetch_handler.ts";
export type { HeaderValues } from "./response/headers.ts";
export { asResponse, type Reply, reply, type ReplyOptions } from "./response/reply.ts";
export { buildHttpResponse, type ResponseOptions, type Transformed } from "./response/response.ts";
export type { StreamedResponse, StreamPrelude } from "./response/stream_response.ts";
export type { StreamBody } from "./response/stream_body.ts";
export * from "./errors/server_errors.ts";
export {
  type CustomTransformers,
  type SimpleMessage,
  simpleMessage,
  type Transformer,
  type TransformerInfo,
} from "./response/transformer.ts";
