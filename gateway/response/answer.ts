import type { HttpError } from "../errors/http_error.ts";
import { findHeader } from "../event/headers.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseType, JSON_TYPE } from "../negotiation/choose_type.ts";
import { listAvailable } from "./content_type.ts";
import { type HeaderMap, withoutContentFields } from "./headers.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { type CustomTransformers, simpleMessage, transform } from "./transformer.ts";

/** A response before its content is compressed and before it takes the form of a gateway. */
export interface Answer<Content = string | Uint8Array> {
  readonly status: number;
  /** The header fields, `Content-Type` among them. */
  readonly fields: HeaderMap;
  readonly content: Content;
  /** The type of the content, which decides whether the body is base64; an extra header does not. */
  readonly contentType: string;
  /** The request headers that decided about the response so far, as a value of `Vary`. */
  readonly vary: string;
}

/** The types that a payload can be sent as. */
export interface Menu {
  /** The media types, in lower case. */
  readonly types: readonly string[];
  readonly customTransformers: CustomTransformers | undefined;
  /** The indentation of JSON. */
  readonly indent: number;
  /** The type of a payload that the client accepts no type for; if absent, the response is a 406. */
  readonly fallback?: string | undefined;
  /** The transformers of a 406; only JSON if absent. */
  readonly refusal?: CustomTransformers | undefined;
}

/** JSON and nothing else. */
export const JSON_MENU: Menu = { types: [JSON_TYPE], customTransformers: undefined, indent: 2 };

/** The request that a response answers. */
export interface Exchange {
  readonly event?: FnProxyEvent | undefined;
  /** The type that was chosen for this request already. */
  readonly type?: string | undefined;
  /** The error that the response answers. */
  readonly error?: HttpError | undefined;
}

/** Throws if a status is not one that a response can have. */
export function checkStatus(status: unknown): void {
  if (Number.isInteger(status) && 100 <= (status as number) && (status as number) <= 599) return;
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
  const vary = event ? "Accept" : "";
  if (isBodyless(status)) {
    const contentType = JSON_CONTENT_TYPE;
    const fields = withType(contentType, extra);
    return { status, fields, content: "", contentType, vary: status === 304 ? vary : "" };
  }
  const { types, customTransformers, indent, refusal } = menu;
  if (types.length === 0) {
    throw new TypeError(`Cannot send a payload as JSON: "${JSON_TYPE}" is not among the types`);
  }
  const type = chosen !== undefined && types.includes(chosen)
    ? chosen
    : chooseType(requestHeader(event, "accept", status), types) ?? menu.fallback;
  if (type === undefined) {
    const message = simpleMessage(listAvailable(types));
    const [content, contentType] = transform(message, JSON_TYPE, refusal, indent, {
      status: 406,
      error,
      event,
    });
    const fields = withType(contentType, withoutContentFields(extra));
    return { status: 406, fields, content, contentType, vary };
  }
  const wrapped = typeof payload === "string" ? simpleMessage(payload) : payload;
  const info = { status, error, event };
  const [content, contentType] = transform(wrapped, type, customTransformers, indent, info);
  return { status, fields: withType(contentType, extra), content, contentType, vary };
}

/** The fields, with a `Content-Type` if they have none. */
export function withType(contentType: string, fields: HeaderMap): HeaderMap {
  const all: HeaderMap = new Map([["content-type", ["Content-Type", [contentType]]]]);
  for (const [name, field] of fields) all.set(name, field);
  return all;
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
  if (event === undefined) return undefined;
  try {
    return findHeader(event.rawEvent, name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined;
  }
}
