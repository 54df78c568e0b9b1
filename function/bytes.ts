import { invalid, tagOf } from "./arguments.ts";

/** The methods of ECMAScript 2026. Old runtimes lack them. */
interface Base64Methods {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
  toBase64?(): string;
}

/** Base64 without spare bits (RFC 4648 sections 3.5 and 4). The length must be a multiple of 4. */
const STRICT = /^[A-Za-z0-9+/]*([AEIMQUYcgkosw048]=|[AQgw]==)?$/;
const LOOSE = /^([A-Za-z0-9+/]*)={0,2}$/;

/** Decodes padded base64 of the standard alphabet. The result is `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length % 4 === 0 && STRICT.test(text) ? fromBase64(text) : undefined;
}

/** Decodes base64 that may have no padding and may have spare bits. The result is `undefined` for any other text. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = LOOSE.exec(text)?.[1];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  return text === digits || text.length % 4 === 0 ? fromBase64(digits) : undefined;
}

/** Decodes a text that is known to be base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // `Buffer` ignores invalid characters, so the callers check the text first.
  return (Uint8Array as Base64Methods).fromBase64?.(text) ??
    new Uint8Array(bufferClass().from(text, "base64"));
}

/** Encodes bytes as base64 with the standard alphabet and padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return (bytes as Base64Methods).toBase64?.() ??
    bufferClass().from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function bufferClass(): typeof Buffer {
  // `Buffer` is not a global in Deno 2.1 to 2.3.
  return globalThis.Buffer ?? globalThis.process.getBuiltinModule("node:buffer").Buffer;
}

/** Made when it is needed first, because to make it takes as long as to decode a short text. */
let decoder: TextDecoder | undefined;

/** The text whose UTF-8 is exactly these bytes, if there is one. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of a content: the UTF-8 of a text. */
export function toBytes<Bytes extends Uint8Array>(
  content: string | Bytes,
): Bytes | Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** A chunk of a stream: bytes, or text that is sent as UTF-8. */
export type StreamChunk = Uint8Array | string;

/** A content that is made while it is sent: a web stream, or the result of an async generator. */
export type StreamBody = ReadableStream<StreamChunk> | AsyncIterable<StreamChunk>;

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

/** The bytes of a chunk. Throws if it is neither a string nor a `Uint8Array`. */
export function chunkBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === "string" || isBytes(chunk)) return toBytes(chunk);
  throw invalid("chunk of a stream", "a string or a Uint8Array", chunk);
}

/**
 * The chunks of a stream as bytes.
 *
 * @throws {TypeError} If a chunk is neither a string nor a `Uint8Array`.
 */
export async function* chunksOf(body: StreamBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as AsyncIterable<unknown>) {
    yield chunkBytes(chunk);
  }
}

/** All bytes of a stream. */
export async function collect(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
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

/** Tells a content that is streamed to stop, because nobody will read it. Never rejects. */
export async function stopStream(content: unknown): Promise<void> {
  if (!isStream(content)) return;
  try {
    await (content as AsyncIterable<unknown>)[Symbol.asyncIterator]().return?.();
  } catch {
    // A failure of the source while it stops concerns nobody any more. Nor does a stream that somebody else reads.
  }
}
