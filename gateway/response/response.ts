import { draftResponse, finish } from "./respond.ts";
import { readSettings } from "./settings.ts";
import type { HttpResponse } from "./http_response.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { CustomTransformers, SimpleMessage } from "./transformer.ts";

/** What a transformer is given for a payload. */
export type Transformed<Payload> = Payload extends string ? SimpleMessage : Payload;

/**
 * The options of {@linkcode buildHttpResponse}.
 *
 * @typeParam Payload The payload of the response; any unless given.
 */
export interface ResponseOptions<Payload = unknown> {
  /** The request; without it the response is JSON and not compressed. */
  readonly event?: FnProxyEvent | undefined;
  /** Transformers by the media type they make, next to `application/json`. */
  readonly customTransformers?: CustomTransformers<Transformed<Payload>> | undefined;
  /** Header fields to add; they win over those of the response, whatever their case. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
}

/**
 * Builds a response: negotiates its media type, transforms the payload, compresses the content.
 *
 * - Where no type is acceptable the response is a 406 in JSON that lists those available, whatever the
 *   status; extra headers that describe the content, such as `Content-Encoding`, are left out of it.
 * - The content is compressed with gzip where the request allows it, unless the extra headers have a
 *   `Content-Encoding`. `Vary` names the headers of the request that were consulted, after those in the
 *   extra headers. The gateway has to be told to take binary bodies.
 * - A status of 1xx, 204, 205 or 304 has no content: the payload is not looked at. Such a response has a
 *   `Content-Type` too, since the gateway would add its own. In a 304 pass that of the resource, for caches
 *   take it over (RFC 9111 §3.2).
 * - The response to HEAD is that to GET (RFC 9110 §9.3.2): the gateway leaves out the content.
 * - An event whose headers are unusable raises, unless the status is 400 or above: then they count as absent,
 *   since an error has to be answered whatever the event.
 *
 * @typeParam Payload What the transformers take; a string reaches them as a {@linkcode SimpleMessage}.
 * @param status The status code (RFC 9110 §15), a whole number from 100 to 599.
 * @param payload What to answer: JSON, or what the transformers take. A string is wrapped by `simpleMessage()`.
 * @param options The request, transformers, and further headers; none is changed.
 * @returns The response, for the function to return.
 * @throws {RangeError} If the status is none.
 * @throws {TypeError} If the payload, a transformer, what it returns or an extra header is unfit.
 * @throws {CloudEventSpecificationError} If the headers of the event are absent or malformed.
 *
 * @example Answering a request
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { buildHttpResponse, FnProxyEvent } from "@mate/core/gateway";
 *
 * const event = new FnProxyEvent({ headers: { Accept: "application/json" } });
 * const response = buildHttpResponse(201, { id: 7 }, {
 *   event,
 *   extraHeaders: { Location: "/orders/7", Vary: "Origin" },
 * });
 *
 * assertEquals(response, {
 *   statusCode: 201,
 *   headers: {
 *     "Content-Type": "application/json; charset=utf-8",
 *     Location: "/orders/7",
 *     Vary: "Origin, Accept, Accept-Encoding",
 *   },
 *   body: '{\n  "id": 7\n}',
 *   isBase64Encoded: false,
 * });
 * ```
 */
export function buildHttpResponse<Payload>(
  status: number,
  payload: Payload,
  options: ResponseOptions<Payload> = {},
): HttpResponse {
  const { event, customTransformers, extraHeaders } = options;
  const settings = readSettings(customTransformers, extraHeaders);
  return finish(draftResponse(status, payload, settings, event));
}
