import type { HttpError } from "../errors/http_error.ts";
import { findHeader } from "../event/headers.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseType, JSON_TYPE } from "../negotiation/choose_type.ts";
import { listAvailable } from "./content_type.ts";
import { addVary, type HeaderMap } from "./headers.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { type Menu, readMenu, simpleMessage, transform } from "./transformer.ts";

/** A response before its content is compressed and before it takes the form of a gateway. */
export interface Answer<Content = string | Uint8Array> {
  readonly status: number;
  readonly fields: HeaderMap;
  readonly content: Content;
  /** The type of the content, which decides whether the body is base64; an extra header does not. */
  readonly contentType: string;
}

/** The request that a response answers. */
export interface Exchange {
  readonly event?: FnProxyEvent | undefined;
  /** The type that was chosen for this request already. */
  readonly type?: string | undefined;
  /** The error that the response answers. */
  readonly error?: HttpError | undefined;
}

/** Whether a response can have this status. */
export function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && 100 <= (status as number) && (status as number) <= 599;
}

/** Throws if a response cannot have this status. */
export function checkStatus(status: unknown): void {
  if (isStatus(status)) return;
  const given = typeof status === "string" ? JSON.stringify(status) : String(status);
  throw new RangeError(`Invalid status ${given}: expected a whole number from 100 to 599`);
}

/** Whether a response with this status has no content (RFC 9110 §15). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/**
 * Makes the response of a payload whose type is negotiated.
 *
 * @param status The status code.
 * @param payload The payload; a string becomes a `SimpleMessage`.
 * @param menu The types that the payload can be sent as.
 * @param extra The header fields that win over the generated ones.
 */
export function answerPayload(
  status: number,
  payload: unknown,
  menu: Menu,
  extra: HeaderMap,
  { event, type: chosen, error }: Exchange,
): Answer {
  checkStatus(status);
  if (isBodyless(status)) return makeAnswer(status, extra, "", JSON_CONTENT_TYPE, event);
  const { types, fallback } = menu;
  if (types.length === 0) {
    throw new TypeError(`Cannot send the payload as "${JSON_TYPE}": it is not among the types`);
  }
  const type = chosen && types.includes(chosen)
    ? chosen
    : chooseType(requestHeader(event, "accept", status), types) ?? fallback;
  if (type === undefined) {
    const { refusal = { ...readMenu(), fallback: JSON_TYPE } } = menu;
    const fields = new Map([...extra].filter(([name]) => !CONTENT_FIELD.test(name)));
    return answerPayload(406, listAvailable(types), refusal, fields, { event, error });
  }
  const wrapped = typeof payload === "string" ? simpleMessage(payload) : payload;
  const [content, contentType] = transform(wrapped, type, menu, { status, error, event });
  return makeAnswer(status, extra, content, contentType, event);
}

// Header fields that describe one content (RFC 9110 §8) are wrong for another.
const CONTENT_FIELD =
  /^(?:content-(?:disposition|encoding|language|length|location|range|type)|etag|last-modified)$/;

/**
 * Makes a response of its parts.
 *
 * @param extra The header fields. They get a `Content-Type` if they have none.
 * @param negotiated Whatever tells that the type was negotiated with the client.
 */
export function makeAnswer<Content>(
  status: number,
  extra: HeaderMap,
  content: Content,
  contentType: string,
  negotiated: unknown,
): Answer<Content> {
  const type = ["content-type", ["Content-Type", [contentType]]] as const;
  const fields: HeaderMap = new Map([type, ...extra]);
  if (negotiated && isDescribed(status)) addVary(fields, "Accept");
  return { status, fields, content, contentType };
}

/** Whether the header fields of a response describe a content: its own, or the one that the client has already. */
export function isDescribed(status: number): boolean {
  return !isBodyless(status) || status === 304;
}

/**
 * Reads a header of the request that decides about the response. If the response is an error, an unusable header
 * counts as absent, because an error is answered whatever the event.
 */
export function requestHeader(
  event: FnProxyEvent | undefined,
  name: string,
  status: number,
): string | undefined {
  try {
    return event && findHeader(event.rawEvent, name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined;
  }
}
