import { isPlainObject } from "../../function/read.ts";
import type { HttpError } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { JSON_TYPE } from "../negotiation/choose_type.ts";
import { JSON_CONTENT_TYPE, writeJson } from "./json_transformer.ts";
import { isBytes } from "./stream_body.ts";

/** The response that a transformer makes the content of. */
export interface TransformerInfo {
  /** The status code of the response. */
  readonly status: number;
  /** The error that the response answers; absent if nothing failed. */
  readonly error?: HttpError | undefined;
  /** The request, if there is one. */
  readonly event?: FnProxyEvent | undefined;
}

/**
 * Turns a payload into the content of a response of one media type.
 *
 * @typeParam Payload The type of the payloads: those of the route, and the messages of errors, see
 * {@linkcode SimpleMessage}.
 * @param payload The payload of the response.
 * @param info The status, the error and the request.
 * @returns The content and its `Content-Type`, with the `charset` if there is one:
 * `["<p>…</p>", "text/html; charset=utf-8"]`. A string is sent as UTF-8, bytes are sent as they are.
 */
export type Transformer<Payload = unknown> = (
  payload: Payload,
  info: TransformerInfo,
) => readonly [content: string | Uint8Array, contentTypeWithEncoding: string];

/**
 * Transformers by the media type that they make, such as `text/html`, in any case and without parameters. A range
 * such as `image/*` serves requests that accept that very range.
 *
 * @typeParam Payload The type of the payloads that each of them takes; any payload unless given.
 */
export type CustomTransformers<Payload = unknown> = Readonly<Record<string, Transformer<Payload>>>;

/** The payload that a string becomes. */
export interface SimpleMessage {
  /** The text. */
  readonly Message: string;
  /** The details of a client error, if it has some. */
  readonly Details?: Readonly<Record<string, unknown>>;
}

/**
 * Wraps a text in a JSON object.
 *
 * @param message The text.
 * @returns An object with this one member.
 *
 * @example The payload of an error
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { simpleMessage } from "@mate/core/gateway";
 *
 * assertEquals(simpleMessage("No such order"), { Message: "No such order" });
 * ```
 */
export function simpleMessage(message: string): SimpleMessage {
  return { Message: message };
}

/**
 * Copies transformers, so that later changes by the caller do not count.
 *
 * @throws {TypeError} If a transformer is not a function.
 */
export function readTransformers(
  transformers: CustomTransformers<never> | undefined,
): CustomTransformers | undefined {
  if (!isPlainObject(transformers)) return transformers; // `availableTypes()` refuses it
  for (const [type, transformer] of Object.entries<unknown>(transformers)) {
    if (typeof transformer === "function") continue;
    throw new TypeError(`Invalid customTransformers: expected a function for "${type}"`);
  }
  // Payloads and transformers come from one caller, whose types go together.
  return { ...transformers } as CustomTransformers;
}

/**
 * Turns a payload into the content of a type.
 *
 * @param payload The payload.
 * @param type One of the available types, in lower case.
 * @param customTransformers The transformers; a type without one is `application/json`.
 * @param indent The indentation of JSON.
 * @throws {TypeError} If the transformer is not a function, or returns something else than content and type.
 */
export function transform(
  payload: unknown,
  type: string,
  customTransformers: CustomTransformers | undefined,
  indent: number,
  info: TransformerInfo,
): readonly [content: string | Uint8Array, contentType: string] {
  const key = customTransformers &&
    Object.keys(customTransformers).find((key) => key.toLowerCase() === type);
  if (key === undefined && type === JSON_TYPE) {
    return [writeJson(payload, indent), JSON_CONTENT_TYPE];
  }
  const result: unknown = customTransformers![key!]!(payload, info);
  const [content, contentType] = Array.isArray(result) ? result as unknown[] : [];
  const isContent = typeof content === "string" || isBytes(content);
  if (isContent && typeof contentType === "string" && /^[^\r\n\0]+$/.test(contentType)) {
    return [content as string | Uint8Array, contentType];
  }
  throw new TypeError(
    `Invalid result of the transformer of "${type}": expected [content, content type], the content a string or a Uint8Array`,
  );
}
