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
  return text.length % 4 === 0 && STRICT.test(text) ? toBytes(text) : undefined;
}

/** Decodes base64 that may have no padding and may have spare bits. The result is `undefined` for any other text. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = LOOSE.exec(text)?.[1];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  return text === digits || text.length % 4 === 0 ? toBytes(digits) : undefined;
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
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
