import { encodeBase64 } from "../../function/base64.ts";
import { decodeUtf8 } from "../../function/utf8.ts";
import { isBinary } from "../negotiation/media_type.ts";
import { chunksOf, collect, isWebResponse, type StreamBody } from "./stream_body.ts";

/**
 * Turns the content of an answer into the body of a response.
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

/** Collects a content, and reads it as text if its type is text. */
export async function collectContent(
  source: StreamBody | Response,
  contentType: string,
): Promise<string | Uint8Array> {
  const bytes = isWebResponse(source)
    ? new Uint8Array(await source.arrayBuffer())
    : await collect(chunksOf(source));
  if (bytes.length === 0) return "";
  return isBinary(contentType) ? bytes : decodeUtf8(bytes) ?? bytes;
}
