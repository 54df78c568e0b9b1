import { chooseType, JSON_TYPE } from "../negotiation/choose_type.ts";
import { chooseCoding } from "../negotiation/content_coding.ts";
import { encodeBase64 } from "./encode_base64.ts";
import { type Fields, withoutContentFields } from "./extra_headers.ts";
import { gzip, gzipStream, isStreamSooner } from "./gzip.ts";
import { findHeader } from "../event/headers.ts";
import type { Settings } from "./settings.ts";
import { transform } from "./transform.ts";
import { mergeVary } from "./vary.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import type { HttpResponse } from "./http_response.ts";
import { isBinary } from "../negotiation/media_type.ts";
import { listAvailable } from "./content_type.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { simpleMessage } from "./transformer.ts";

/** A response that lacks at most its body. */
export interface Draft {
  /** The response; without its body if that has to be compressed. */
  readonly response: HttpResponse;
  /** What has to be compressed for the body. */
  readonly uncompressed: string | Uint8Array | undefined;
}

/**
 * Makes a response but for its compression, of settings that were checked: the work of `buildHttpResponse()`.
 *
 * @param status The status code.
 * @param payload What to answer.
 * @param settings What to make the response with.
 * @param event The request, if there is one.
 * @param chosen The media type, if it was chosen for this request before.
 * @throws {RangeError} If the status is none.
 */
export function draftResponse(
  status: number,
  payload: unknown,
  settings: Settings,
  event: FnProxyEvent | undefined,
  chosen?: string,
): Draft {
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    const given = typeof status === "string" ? JSON.stringify(status) : String(status);
    throw new RangeError(
      `Cannot build the response: the status is ${given}, not a whole number from 100 to 599`,
    );
  }
  const { types, customTransformers } = settings;
  let { extra } = settings;
  if (status < 200 || status === 204 || status === 205 || status === 304) {
    const headers = buildHeaders(JSON_CONTENT_TYPE, false, undefined, extra);
    const response = { statusCode: status, headers, body: "", isBase64Encoded: false };
    return { response, uncompressed: undefined };
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
  const isGzipped = !isEncodedByCaller &&
    chooseCoding(headerOf(event, "accept-encoding", status), ["gzip"]) === "gzip";
  const consulted = event && (isEncodedByCaller ? "Accept" : "Accept, Accept-Encoding");
  const isText = !isGzipped && typeof content === "string" &&
    (contentType === JSON_CONTENT_TYPE || !isBinary(contentType));
  return {
    response: {
      statusCode: type === undefined ? 406 : status,
      headers: buildHeaders(contentType, isGzipped, consulted, extra),
      body: isText ? content : isGzipped ? "" : encodeBase64(toBytes(content)),
      isBase64Encoded: !isText,
    },
    uncompressed: isGzipped ? content : undefined,
  };
}

/** Finishes a response at once. */
export function finish({ response, uncompressed }: Draft): HttpResponse {
  if (uncompressed !== undefined) response.body = encodeBase64(gzip(toBytes(uncompressed)));
  return response;
}

/** Finishes a response in the way that takes the least time; only that of a compressed one may be later. */
export function finishSoon(draft: Draft): HttpResponse | Promise<HttpResponse> {
  const { response, uncompressed } = draft;
  if (uncompressed === undefined || !isStreamSooner()) return finish(draft);
  // A copy of what belongs to a transformer, which may use it again before the stream gets to it.
  const bytes = typeof uncompressed === "string"
    ? toBytes(uncompressed)
    : new Uint8Array(uncompressed);
  return gzipStream(bytes).then((file) => {
    response.body = encodeBase64(file);
    return response;
  });
}

function headerOf(
  event: FnProxyEvent | undefined,
  name: string,
  status: number,
): string | undefined {
  if (event === undefined) return undefined;
  try {
    return findHeader(event.rawEvent, name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined; // an error is answered whatever the event
  }
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
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
