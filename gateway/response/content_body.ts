import { isBinary } from "../negotiation/media_type.ts";
import { encodeBase64 } from "../../function/base64.ts";

/**
 * Turns the content of a response into the body of a result.
 *
 * @returns The body, and whether the body is base64: if the type is binary or the content is bytes.
 */
export function encodeBody(
  content: string | Uint8Array,
  contentType: string,
): readonly [body: string, isBase64Encoded: boolean] {
  if (typeof content === "string" && !isBinary(contentType)) return [content, false];
  return [encodeBase64(toBytes(content)), true];
}

/** The bytes of a content: the UTF-8 of a text. */
export function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
