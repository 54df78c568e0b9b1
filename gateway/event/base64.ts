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
  if (text.length % 4 !== 0) return;
  const decoder: Base64Decoder = Uint8Array;
  if (decoder.fromBase64) return decodeStrictly(text, decoder as Required<Base64Decoder>);
  // What other runtimes have, loaded or not, forgives nearly everything.
  return BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
}

function decodeStrictly(
  text: string,
  decoder: Required<Base64Decoder>,
): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = decoder.fromBase64(text, { lastChunkHandling: "strict" });
    // It forgives white space, for which there are bytes too few.
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    return bytes.length === text.length / 4 * 3 - padding ? bytes : undefined;
  } catch {
    return; // no base64
  }
}
