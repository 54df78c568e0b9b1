/** What is new in ECMAScript 2026, and not yet in every runtime. */
interface Base64Decoder {
  fromBase64?(text: string, options: { lastChunkHandling: "strict" }): Uint8Array<ArrayBuffer>;
}

/**
 * Base64 with its padding, and zeros for the bits that the last character has in excess (RFC 4648 §4, §3.5):
 * one text for the same bytes. Together with a length that is a multiple of four.
 */
const BASE64 = /^[A-Za-z0-9+/]*(?:[AEIMQUYcgkosw048]=|[AQgw]==)?$/;

/**
 * Decodes base64: the standard alphabet, padded, nothing else.
 *
 * @param text The base64 text.
 * @returns The bytes, or `undefined` if the text is anything else.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  // The decoders below forgive white space and more.
  if (text.length % 4 !== 0 || !BASE64.test(text)) return;
  const decoder = Uint8Array as Base64Decoder;
  if (decoder.fromBase64) return decoder.fromBase64(text, { lastChunkHandling: "strict" });
  return Buffer.from(text, "base64"); // runtimes without the former have this one, loaded or not
}
