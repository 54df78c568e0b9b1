import { invalid, isPlainObject } from "../../function/read.ts";
import type { HttpError } from "../errors/http_error.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { JSON_TYPE } from "../negotiation/choose_type.ts";
import { isFieldValue, isToken } from "./headers.ts";
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
 * @typeParam Payload The type of the payloads: the payloads of the route, and the messages of errors, see
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

/** The types that a payload can be sent as. */
export interface Menu {
  /** The media types, in lower case. */
  readonly types: readonly string[];
  /** The transformers by their types; a type without one is `application/json`. */
  readonly transformers: CustomTransformers;
  /** The indentation of JSON. */
  readonly indent: number;
}

/**
 * Makes the menu of JSON and the types of transformers. The transformers are copied, so that later changes by the caller
 * do not count.
 *
 * @throws {TypeError} If a key is not a media type, or a transformer is not a function.
 */
export function readMenu(customTransformers: CustomTransformers<never> = {}, indent = 2): Menu {
  if (!isPlainObject(customTransformers)) throw invalid("customTransformers", "a plain object");
  const transformers: Record<string, Transformer> = {};
  for (const [key, transformer] of Object.entries<unknown>(customTransformers)) {
    const type = checkType(key, "key", "customTransformers");
    if (typeof transformer !== "function") {
      throw invalid("customTransformers", `a function for "${key}"`);
    }
    // Payloads and transformers come from one caller, whose types go together.
    transformers[type] = transformer as Transformer;
  }
  const types = [...new Set([JSON_TYPE, ...Object.keys(transformers)])];
  return { types, transformers, indent };
}

/**
 * Returns a media type or range of an option in lower case.
 *
 * @throws {TypeError} If it is neither.
 */
export function checkType(type: string, kind: "key" | "item", option: string): string {
  // A star stands for a whole part, and for the second one only if it does not stand for the first one alone.
  const isRange = /^(?:\*\/\*|[^*/]+\/(?:\*|[^*/]+))$/.test(type);
  if (isRange && type.split("/").every(isToken)) return type.toLowerCase();
  const what = `${kind} ${JSON.stringify(type)} in ${option}`;
  throw invalid(what, "a media type such as text/html");
}

/**
 * Turns a payload into the content of one of the types of the menu.
 *
 * @throws {TypeError} If the transformer returns something else than content and type.
 */
export function transform(
  payload: unknown,
  type: string,
  { transformers, indent }: Menu,
  info: TransformerInfo,
): readonly [content: string | Uint8Array, contentType: string] {
  const transformer = transformers[type];
  if (!transformer) return [writeJson(payload, indent), JSON_CONTENT_TYPE];
  const result: unknown = transformer(payload, info);
  const [content, contentType] = Array.isArray(result) ? result as unknown[] : [];
  if (
    isFieldValue(contentType) && contentType && (typeof content === "string" || isBytes(content))
  ) {
    // A copy, because a transformer may use the bytes again before they are sent.
    return [content.slice(), contentType];
  }
  throw invalid(
    `result of the transformer of "${type}"`,
    "[content, content type] with a string or a Uint8Array",
  );
}
