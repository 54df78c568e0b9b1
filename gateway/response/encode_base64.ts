import { bufferClass } from "../../function/base64.ts";

/** What is new in ECMAScript 2026, and not yet in every runtime. */
interface Base64Encoder {
  toBase64?(): string;
}

/**
 * Encodes bytes as base64: the standard alphabet, padded (RFC 4648 §4).
 *
 * @param bytes The bytes.
 * @returns The text.
 */
export function encodeBase64(bytes: Uint8Array): string {
  const encoder = bytes as Base64Encoder;
  if (encoder.toBase64) return encoder.toBase64();
  // Runtimes without the former have this one, loaded or not. A view of the bytes, no copy.
  return bufferClass().from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
