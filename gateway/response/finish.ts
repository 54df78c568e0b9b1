import { HttpPreconditionFailedError } from "../errors/client_errors.ts";
import { decodeUtf8 } from "../event/body.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { isBinary } from "../negotiation/media_type.ts";
import { type Coding, compressSoon, streamCompressor } from "./compress.ts";
import { evaluatePreconditions, tagContent } from "./conditional.ts";
import { toBytes } from "./content_body.ts";
import type { Answer } from "./answer.ts";
import { type HeaderMap, setField, valueOf } from "./headers.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { isStreaming, openStream } from "./stream_response.ts";
import { agreeOnCoding } from "./response.ts";
import type { Content } from "./result.ts";
import { chunksOf, collect, isWebResponse, type StreamBody } from "./stream_body.ts";

/** How a handler finishes its responses. */
export interface FinishOptions {
  /** Whether to tag the content and evaluate preconditions. */
  readonly etag?: boolean | undefined;
  /** The codings to choose from, and the least number of bytes that is compressed. */
  readonly compression: { readonly from: number; readonly codings: readonly Coding[] };
}

// These are compressed already. Server-sent events must arrive one by one.
const INCOMPRESSIBLE =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/woff|text\/event-stream|application\/(?:gzip|zip|zstd|x-(?:7z|bzip|gzip|rar|xz)|vnd\.rar|pdf))/i;

/** Collects a content that is a stream, and reads it as text if it is text. */
async function collectContent(
  { contentType, fields }: Answer<Content>,
  content: StreamBody | Response,
): Promise<string | Uint8Array> {
  const bytes = isWebResponse(content)
    ? new Uint8Array(await content.arrayBuffer())
    : await collect(chunksOf(content));
  if (bytes.length === 0) return "";
  if (!fields.has("content-type")) setField(fields, "Content-Type", contentType);
  return isBinary(contentType) ? bytes : decodeUtf8(bytes) ?? bytes;
}

/** The codings that make a content of the response's type shorter. */
function codingsFor(fields: HeaderMap, codings: readonly Coding[]): readonly Coding[] {
  const type = valueOf(fields, "content-type") ?? "";
  // To compile the expression would delay the first reply, which is mostly JSON.
  return type !== JSON_CONTENT_TYPE && INCOMPRESSIBLE.test(type) ? [] : codings;
}

/** Opens a content that is streamed, and compresses its chunks. */
export async function finishStream(
  answer: Answer<StreamBody | Response>,
  { compression: { codings } }: FinishOptions,
  event: FnProxyEvent | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const { content, fields } = answer;
  const isEmpty = isWebResponse(content) && !content.body;
  const coding = agreeOnCoding(answer, event, codingsFor(fields, codings), !isEmpty);
  // Before the stream is opened, because the runtime may lack the coding.
  const compress = coding && streamCompressor(coding);
  const chunks = await openStream(content);
  return compress ? compress(chunks) : chunks;
}

/**
 * Collects the content, tags it, evaluates the preconditions of the request, and compresses it.
 *
 * @throws {HttpPreconditionFailedError} If a precondition of the request is false.
 */
export async function finishContent(
  answer: Answer<Content>,
  { etag, compression: { codings, from } }: FinishOptions,
  event: FnProxyEvent | undefined,
): Promise<Answer> {
  const { status, fields, content: given } = answer;
  // A copy of bytes, because a transformer may use them again before they are sent.
  const content = isStreaming(given) ? await collectContent(answer, given) : given.slice();
  // An empty stream is not base64, whatever its type.
  const contentType = isStreaming(given) && !content.length
    ? JSON_CONTENT_TYPE
    : answer.contentType;
  const isTagged = etag && status === 200 && event && /^(?:GET|HEAD)$/.test(event.httpMethod());
  if (isTagged && !fields.has("etag")) setField(fields, "ETag", await tagContent(toBytes(content)));
  // A character has at most three bytes of UTF-8.
  const isLong = content.length >= from ||
    (content.length * 3 >= from && toBytes(content).length >= from);
  const coding = agreeOnCoding(answer, event, codingsFor(fields, codings), isLong);
  const result = isTagged &&
    evaluatePreconditions(event, valueOf(fields, "etag")!, valueOf(fields, "last-modified"));
  if (result === 412) {
    throw new HttpPreconditionFailedError("The resource is not as the request expects it");
  }
  if (result === 304) {
    fields.delete("content-encoding");
    fields.delete("content-length");
    return { status: 304, fields, content: "", contentType: JSON_CONTENT_TYPE };
  }
  const sent = coding ? await compressSoon(content, coding) : content;
  return { status, fields, content: sent, contentType };
}
