import { describeError, isError } from "./error.ts";
import { redactedKeys } from "./state.ts";
import { cutText, nameOf, readProperty, textOf } from "./text.ts";

/** A value that `JSON.stringify()` writes as it is: without `toJSON()`, cycles and bigints. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

// The platform's limit is 256 KiB. The frame of the record and the texts that say what was cut take the rest.
const MAX_BYTES = 245_760;
const MAX_DEPTH = 100;

type Bytes = ArrayBufferLike & Partial<ArrayBufferView>;

/** Renders any value as JSON (RFC 8259) on one line, in at most 256 KiB, as {@linkcode Renderer} copies it. */
export function renderJson(value: unknown): string {
  return JSON.stringify(new Renderer().plain(value));
}

/**
 * Copies any values of one record to what `JSON.stringify()` can write. A cycle becomes `[Circular]`, a bigint
 * its digits, a map an object, a set an array, an error an object of its parts, and bytes become their length and
 * the first of them in hex. Unreadable values say why they are unreadable. Values of secret keys are left out.
 *
 * All copies of one renderer together take at most 256 KiB of JSON. The rest is cut, and a text says how much.
 */
export class Renderer {
  #left = MAX_BYTES;
  readonly #ancestors: object[] = [];
  readonly #redacted = redactedKeys();

  /** True if no further value fits. */
  get isFull(): boolean {
    return this.#left < 32;
  }

  /** Copies a value. */
  plain(value: unknown): Plain {
    if (typeof value === "object" && value !== null) return this.#object(value);
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "function") return this.#text(`[Function: ${nameOf(value)}]`);
    const text = this.#text(String(value));
    return value === null || typeof value === "boolean" || Number.isFinite(value)
      ? value as Plain
      : text;
  }

  /** Copies a text. It takes at most three quarters of the room left, so that later values are not cut altogether. */
  #text(text: string): string {
    const reserve = this.#left / 4;
    let end = 0;
    for (this.#left -= 3; end < text.length; end++) { // quotes and comma
      const bytes = bytesInJson(text.charCodeAt(end));
      if (this.#left - bytes < reserve) break;
      this.#left -= bytes;
    }
    return cutText(text, end);
  }

  #object(value: object): Plain {
    if (this.#ancestors.includes(value)) return this.#text("[Circular]");
    if (this.#ancestors.length === MAX_DEPTH) return this.#text("[cut: more]");
    this.#ancestors.push(value);
    this.#left -= 3; // brackets and comma
    try {
      return this.#content(value);
    } catch (thrown) {
      return this.#text(`[Unreadable: ${textOf(thrown)}]`);
    } finally {
      this.#ancestors.pop();
    }
  }

  #content(value: object): Plain {
    if (isError(value)) return this.#members(describeError(value));
    if (Array.isArray(value)) return this.#list(value, value.length);
    if (ArrayBuffer.isView(value)) return this.#text(describeBytes(value as unknown as Bytes));
    const converted = convert(value);
    if (converted === null && value instanceof Date) return this.#text(String(value)); // Invalid Date
    return converted === value ? this.#tagged(value) : this.plain(converted);
  }

  /** Goes by the tag of an object, which is the same in every realm. */
  #tagged(value: object): Plain {
    switch (Object.prototype.toString.call(value).slice(8, -1)) {
      case "Object":
        return this.#members(value);
      case "Map":
        return this.#map(value as Map<unknown, unknown>);
      case "Set":
        return this.#list(value as Set<unknown>, (value as Set<unknown>).size);
      case "Headers":
      case "FormData": {
        const entries = [...value as Headers];
        return this.#entries(entries, entries.length);
      }
      case "ArrayBuffer":
      case "SharedArrayBuffer":
        return this.#text(describeBytes(value as Bytes));
    }
    return Object.keys(value).length > 0 ? this.#members(value) : this.#opaque(value);
  }

  #list(items: Iterable<unknown>, size: number): Plain[] {
    const list: Plain[] = [];
    for (const item of items) {
      if (this.isFull) {
        list.push(`[cut: ${size - list.length} more]`);
        break;
      }
      list.push(this.plain(item));
    }
    return list;
  }

  #members(object: object): Plain {
    const keys = Object.keys(object);
    return Object.fromEntries(this.#entries(membersOf(object, keys), keys.length));
  }

  /** A map is an object if all its keys are texts. */
  #map(map: Map<unknown, unknown>): Plain {
    const entries = this.#entries(map, map.size);
    return entries.every(([key]) => typeof key === "string")
      ? Object.fromEntries(entries as [string, Plain][])
      : entries;
  }

  #entries(entries: Iterable<readonly [unknown, unknown]>, size: number): [string, Plain][] {
    const copies: [string, Plain][] = [];
    for (const [key, value] of entries) {
      if (this.isFull) {
        copies.push(["…", `[cut: ${size - copies.length} more]`]);
        break;
      }
      const isSecret = typeof key === "string" && this.#redacted.includes(key.toLowerCase());
      copies.push([this.plain(key) as string, this.plain(isSecret ? "[redacted]" : value)]);
    }
    return copies;
  }

  /** An object that shows nothing of itself becomes its text, or the name of its class. */
  #opaque(value: object): string {
    const text = String(value);
    return this.#text(text.startsWith("[object ") ? `[${nameOf(value.constructor)}]` : text);
  }
}

function* membersOf(object: object, keys: readonly string[]): Iterable<[string, unknown]> {
  for (const key of keys) yield [key, readProperty(object, key)];
}

/** The result of `toJSON()`; the value itself if that method is missing or throws. */
function convert(value: { toJSON?: unknown }): unknown {
  try {
    return typeof value.toJSON === "function" ? value.toJSON("") : value;
  } catch {
    return value;
  }
}

function describeBytes(value: Bytes): string {
  const bytes = new Uint8Array(value.buffer ?? value, value.byteOffset, value.byteLength);
  const hex = Array.from(bytes.subarray(0, 100), (byte) => (byte + 256).toString(16).slice(1));
  const rest = bytes.length > 100 ? "…" : "";
  return `[${nameOf(value.constructor)}, ${bytes.length} bytes: ${hex.join("")}${rest}]`;
}

/** The bytes that a UTF-16 unit takes at most in JSON and UTF-8. */
function bytesInJson(unit: number): number {
  if (unit < 0x20 || unit >= 0xd800 && unit <= 0xdfff) return 6; // \u0000
  if (unit === 0x22 || unit === 0x5c) return 2; // \" and \\
  return unit < 0x80 ? 1 : 3;
}

/** Throws an error that says what the caller expected and got, unless the value is valid. */
export function expect(isValid: unknown, action: string, expected: string, got: unknown): void {
  if (!isValid) {
    throw new TypeError(`Cannot ${action}: expected ${expected}, got ${renderJson(got)}`);
  }
}
