/**
 * Turns a payload into the content of a response of one media type.
 *
 * @typeParam Payload What it takes. Next to the payloads of one's own these are the messages of errors; see
 * {@linkcode SimpleMessage}.
 * @param payload The payload of the response.
 * @returns The content, a string that is sent as UTF-8 or bytes that are sent as they are, and its
 * `Content-Type`, with the `charset` where that is of use: `["<p>…</p>", "text/html; charset=utf-8"]`.
 */
export type Transformer<Payload = unknown> = (
  payload: Payload,
) => readonly [content: string | Uint8Array, contentTypeWithEncoding: string];

/**
 * Transformers by the media type they make, such as `text/html`, in any case and without parameters. A range
 * such as `image/*` serves requests that accept that very range.
 *
 * @typeParam Payload What all of them take; any payload unless given.
 */
export type CustomTransformers<Payload = unknown> = Readonly<Record<string, Transformer<Payload>>>;

/** What a payload that is a string becomes. */
export interface SimpleMessage {
  /** The text. */
  readonly Message: string;
}

/**
 * Wraps a text, so that it makes a JSON object.
 *
 * @param message The text.
 * @returns An object that holds nothing else.
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
