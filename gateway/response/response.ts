import type { HttpError } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseType, JSON_TYPE } from "../negotiation/choose_type.ts";
import { type Answer, checkStatus, isBodyless, requestHeader } from "./answer.ts";
import { answerPayload } from "./answer_payload.ts";
import { encode, GZIP } from "./codec.ts";
import { negotiateCodec } from "./coding.ts";
import { listAvailable } from "./content_type.ts";
import { exchangeOf } from "./exchange.ts";
import { formResponse } from "./form.ts";
import { addFields, AnswerHeaders, headersOf, type HeaderValues } from "./headers.ts";
import { type HttpResponse, markBuilt } from "./http_response.ts";
import { type CustomTransformers, readMenu, type SimpleMessage } from "./transformer.ts";

/** The payload that a transformer gets: a string arrives as a {@linkcode SimpleMessage}. */
export type Transformed<Payload> = Payload extends string ? SimpleMessage : Payload;

/**
 * The options of {@linkcode buildHttpResponse}.
 *
 * @typeParam Payload The payload of the response; any unless given.
 */
export interface ResponseOptions<Payload = unknown> {
  /** The request. Without it, the response is JSON, is not compressed, and has the form of REST APIs. */
  readonly event?: FnProxyEvent | undefined;
  /**
   * Transformers by the media type that they make, besides `application/json`. By default, they are the transformers
   * of the `proxyHandler()` that the event comes from.
   */
  readonly customTransformers?: CustomTransformers<Transformed<Payload>> | undefined;
  /** Header fields to add. They replace generated fields of the same names, in any case. An array makes several fields. */
  readonly extraHeaders?: HeaderValues | undefined;
}

/**
 * Builds a response: negotiates its media type, transforms the payload, compresses the content.
 *
 * - If no type is acceptable, the response is a 406 in JSON that lists the available types, whatever the status. Extra
 *   headers that describe the content, such as `Content-Encoding`, are left out of it.
 * - The content is compressed with gzip if the request allows it, unless the extra headers have a `Content-Encoding`.
 *   `Vary` names the request headers that were consulted, after those in the extra headers. A REST API must be set to
 *   send binary bodies.
 * - A response with status 1xx, 204, 205 or 304 has no content, and the payload is not used. It has a `Content-Type`
 *   all the same, because the gateway would add its own. In a 304 pass the type of the resource, because caches take it
 *   over (RFC 9111 §3.2).
 * - A strong `ETag` becomes weak if the content is compressed, because two contents never share a strong one.
 * - The response to HEAD is the response to GET (RFC 9110 §9.3.2): the gateway leaves out the content.
 * - An event with unusable headers causes an error, unless the status is 400 or above. Then the headers count as
 *   absent, because an error is answered whatever the event.
 *
 * @typeParam Payload The type of the payload; a string reaches the transformers as a {@linkcode SimpleMessage}.
 * @param status The status code (RFC 9110 §15), a whole number from 100 to 599.
 * @param payload The payload: JSON, or anything that the transformers take. A string is wrapped by `simpleMessage()`.
 * @param options The request, transformers, and further headers; none is changed.
 * @returns The response, for the function to return, in the form that the gateway of the request takes.
 * @throws {RangeError} If the status is not a whole number from 100 to 599.
 * @throws {TypeError} If the payload, a transformer, its result or an extra header is invalid.
 * @throws {CloudEventSpecificationError} If the headers of the event are absent or malformed.
 *
 * @example Answering a request
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { buildHttpResponse, FnProxyEvent } from "@mate/core/gateway";
 * import { proxyEvent } from "@mate/core/testing";
 *
 * const headers = { Accept: "application/json" };
 * const event = new FnProxyEvent(await proxyEvent({ url: "/orders", headers }));
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
  return buildWithHeaders(status, payload, options, new AnswerHeaders());
}

// Header fields that describe one content (RFC 9110 §8) are wrong for another.
const CONTENT_FIELD =
  /^(?:content-(?:disposition|encoding|language|length|location|range|type)|etag|last-modified)$/i;

/** Builds a response with the header fields of an error, which win over the extra headers. */
export function buildWithHeaders<Payload>(
  status: number,
  payload: Payload,
  { event, customTransformers, extraHeaders }: ResponseOptions<Payload>,
  headers: AnswerHeaders,
  error?: HttpError,
): HttpResponse {
  checkStatus(status);
  addFields(headers, headersOf(extraHeaders));
  const settings = customTransformers ? undefined : exchangeOf(event)?.settings;
  const menu = settings?.[error ? "errors" : "payloads"] ?? readMenu(customTransformers);
  const fallback = settings && error && JSON_TYPE;
  const type = isBodyless(status)
    ? JSON_TYPE
    : chooseType(requestHeader(event, "accept", status), menu.types) ?? fallback;
  let answer: Answer;
  if (type !== undefined || menu.types.length === 0) {
    answer = answerPayload(status, payload, menu, headers, { event, type, error });
  } else {
    for (const [name] of [...headers]) if (CONTENT_FIELD.test(name)) headers.delete(name);
    answer = answerPayload(406, listAvailable(menu.types), readMenu(), headers, {
      event,
      type: JSON_TYPE,
    });
  }
  const codec = negotiateCodec(answer, event, [GZIP]);
  const content = answer.content as string | Uint8Array; // transformers make no streams
  return markBuilt(formResponse(answer, codec ? encode(content, codec) : content, event));
}
