import { invalid, kindOf, tagOf } from "../../function/read.ts";

/** A content that is made while it is sent: text is sent as UTF-8, bytes are sent as they are. */
export type StreamBody = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** Whether a value is a stream of chunks. */
export function isStream(value: unknown): value is StreamBody {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Whether a value is a `Uint8Array`, also of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && tagOf(value) === "Uint8Array";
}

/** Whether a value is a standard `Response`, also of another realm. To read its tag would take five times as long. */
export function isWebResponse(value: unknown): value is Response {
  return typeof Object(value).arrayBuffer === "function" && "redirected" in (value as object);
}

/**
 * The chunks of a stream as bytes.
 *
 * @throws {TypeError} If a chunk is neither a string nor a `Uint8Array`.
 */
export async function* chunksOf(body: StreamBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as AsyncIterable<unknown>) {
    if (typeof chunk === "string") yield new TextEncoder().encode(chunk);
    else if (isBytes(chunk)) yield chunk;
    else throw invalid("chunk of a stream", `a string or a Uint8Array, got ${kindOf(chunk)}`);
  }
}

/** All bytes of a stream. */
export async function collect(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
    parts.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  for (const part of parts.reverse()) bytes.set(part, length -= part.length);
  return bytes;
}

/** Tells a content that is streamed to stop, because nobody will read it. */
export function stopStream(content: unknown): void {
  // A failure of the source while it stops concerns nobody any more.
  if (isStream(content)) {
    (content as AsyncIterable<unknown>)[Symbol.asyncIterator]().return?.().catch(() => {});
  }
}
