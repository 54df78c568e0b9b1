/** What is new in ECMAScript 2026, and not yet in every runtime. */
interface Base64Decoder {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

interface Base64Encoder {
  toBase64?(): string;
}

/** Padded base64 whose last character has no spare bits (RFC 4648 sections 3.5 and 4), if its length is a multiple of 4. */
const STRICT = /^[A-Za-z0-9+/]*([AEIMQUYcgkosw048]=|[AQgw]==)?$/;
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

/** Encodes bytes as base64: the standard alphabet, padded (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  // A view of the bytes, no copy.
  return (bytes as Base64Encoder).toBase64?.() ??
    bufferClass().from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function bufferClass(): typeof Buffer {
  // In Deno 2.1 to 2.3 it is not a global.
  return globalThis.Buffer ?? loadModule<{ Buffer: typeof Buffer }>("node:buffer").Buffer;
}

/**
 * Loads a module of the runtime when it is first needed, because loading takes most of a cold start on Deno.
 *
 * @throws {Error} If the runtime cannot load a module synchronously.
 */
export function loadModule<Module>(name: string): Module {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Module } };
  if (process?.getBuiltinModule) return process.getBuiltinModule(name);
  throw new Error(`Cannot load ${name}: expected Node.js 20.16, 22.3 or Deno 2.1, or later`);
}
