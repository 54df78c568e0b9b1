/** What is new in ECMAScript 2026, and not yet in every runtime. */
interface Base64Decoder {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

/** Padded base64 whose last character has no spare bits (RFC 4648 sections 3.5 and 4), if its length is a multiple of 4. */
const STRICT = /^[A-Za-z0-9+/]*(?:[AEIMQUYcgkosw048]=|[AQgw]==)?$/;
const LOOSE = /^([A-Za-z0-9+/]*)={0,2}$/;

/** Decodes padded base64 of the standard alphabet. Any other text gives `undefined`. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length % 4 === 0 && STRICT.test(text) ? toBytes(text) : undefined;
}

/** Decodes base64 that may lack its padding and may have spare bits. Any other text gives `undefined`. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = LOOSE.exec(text)?.[1];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  return text === digits || text.length % 4 === 0 ? toBytes(digits) : undefined;
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const decoder: Base64Decoder = Uint8Array;
  // `Buffer` ignores invalid characters, so the text was checked before.
  return decoder.fromBase64?.(text) ?? new Uint8Array(bufferClass().from(text, "base64"));
}

/** Finds the class `Buffer`. In Deno 2.1 to 2.3 it is not a global. */
export function bufferClass(): typeof Buffer {
  const buffer = globalThis.Buffer ?? globalThis.process.getBuiltinModule?.("node:buffer").Buffer;
  if (buffer) return buffer;
  throw new Error("Cannot convert base64: this runtime is too old; expected Deno 2.1 or later");
}
