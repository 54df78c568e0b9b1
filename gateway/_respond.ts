import { chooseType, JSON_TYPE } from "./_choose_type.ts";
import { acceptsGzip } from "./_content_coding.ts";
import { encodeBase64 } from "./_encode_base64.ts";
import { type Fields, withoutContentFields } from "./_extra_headers.ts";
import { gzip } from "./_gzip.ts";
import { findHeader } from "./_headers.ts";
import { readFields } from "./_http_headers.ts";
import type { Settings } from "./_settings.ts";
import { transform } from "./_transform.ts";
import { mergeVary } from "./_vary.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { isBinary } from "./media_type.ts";
import { listAvailable } from "./negotiation.ts";
import type { FnProxyEvent } from "./proxy_event.ts";
import type { HttpResponse } from "./response.ts";
import { simpleMessage } from "./transformer.ts";

/**
 * Makes a response of what was checked before: does all the work of `buildHttpResponse()`.
 *
 * @param status The status code, a valid one.
 * @param payload What to answer.
 * @param settings What to make the response with.
 * @param event The request, if there is one.
 * @param chosen The media type, if it was chosen for this request before.
 */
export function respond(
  status: number,
  payload: unknown,
  settings: Settings,
  event: FnProxyEvent | undefined,
  chosen?: string,
): HttpResponse {
  const { types, customTransformers } = settings;
  let { extra } = settings;
  if (status < 200 || status === 204 || status === 205 || status === 304) {
    const headers = buildHeaders(JSON_CONTENT_TYPE, false, undefined, extra);
    return { statusCode: status, headers, body: "", isBase64Encoded: false };
  }
  const type = chosen ?? chooseType(headerOf(event, "accept", status), types);
  if (type === undefined) extra = withoutContentFields(extra);
  const [content, contentType] = type === undefined
    ? transform(simpleMessage(listAvailable(types)), JSON_TYPE, undefined)
    : transform(
      typeof payload === "string" ? simpleMessage(payload) : payload,
      type,
      customTransformers,
    );
  const isEncodedByCaller = extra.has("content-encoding");
  const isGzipped = !isEncodedByCaller && acceptsGzip(headerOf(event, "accept-encoding", status));
  const consulted = event && (isEncodedByCaller ? "Accept" : "Accept, Accept-Encoding");
  const isText = !isGzipped && typeof content === "string" &&
    (contentType === JSON_CONTENT_TYPE || !isBinary(contentType));
  return {
    statusCode: type === undefined ? 406 : status,
    headers: buildHeaders(contentType, isGzipped, consulted, extra),
    body: isText ? content : toBase64(content, isGzipped),
    isBase64Encoded: !isText,
  };
}

function headerOf(
  event: FnProxyEvent | undefined,
  name: string,
  status: number,
): string | undefined {
  if (event === undefined) return undefined;
  try {
    return findHeader(readFields(event.rawEvent), name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined; // an error is answered whatever the event
  }
}

function toBase64(content: string | Uint8Array, isGzipped: boolean): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return encodeBase64(isGzipped ? gzip(bytes) : bytes);
}

function buildHeaders(
  contentType: string,
  isGzipped: boolean,
  consulted: string | undefined,
  extra: Fields,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!extra.has("content-type")) headers["Content-Type"] = contentType;
  if (isGzipped) headers["Content-Encoding"] = "gzip";
  for (const [name, value] of extra.values()) {
    // Assigning to `__proto__`, which is a token, would set no field.
    if (name !== "__proto__") headers[name] = value;
    else {Object.defineProperty(headers, name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });}
  }
  if (consulted !== undefined) {
    const [name, value] = extra.get("vary") ?? ["Vary", undefined];
    headers[name] = mergeVary(value, consulted);
  }
  return headers;
}
