import { describeError, isError } from "./error.ts";
import { redactedKeys } from "./state.ts";
import { cutText, nameOf, readProperty, textOf } from "./text.ts";

/** A value that `JSON.stringify()` writes as it is: without `toJSON()`, cycles and bigints. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

// AWS Lambda allows 256 KiB. The rest is for the time, the level, and the texts that say how much was cut.
const MAX_BYTES = 245_760;
const MAX_DEPTH = 100;

type Bytes = ArrayBufferLike & Partial<ArrayBufferView>;

/** Renders any value as JSON (RFC 8259) on one line of at most 256 KiB; see {@linkcode Renderer}. */
export function renderJson(value: unknown): string {
  return JSON.stringify(new Renderer().plain(value));
}

/**
 * Copies the values of one record, so that `JSON.stringify()` can write the copies. A cycle becomes `[Circular]`, a bigint
 * its digits, a map an object, a set an array, an error an object of its parts, and bytes their number and the first 100
 * in hex. A value that cannot be read becomes the reason. The value of a secret key becomes `[redacted]`.
 *
 * All copies of one renderer together take at most 256 KiB of JSON. The rest is cut, and a text says how much was cut.
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

  /** Copies a text. The copy takes at most three quarters of the room that is left, so that later values have room too. */
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

  /** Copies an object by its tag, because the tag is the same in every realm. */
  #tagged(value: object): Plain {
    switch (Object.prototype.toString.call(value).slice(8, -1)) {
      case "Object":
        return this.#members(value);
      case "Map":
        return this.#map(value as Map<unknown, unknown>);
      case "Set":
        return this.#list(value as Set<unknown>, (value as Set<unknown>).size);
      case "Headers":
      case "URLSearchParams":
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
      const isPair = Array.isArray(item) && item.length === 2;
      list.push(this.plain(isPair && this.#isSecret(item[0]) ? [item[0], "[redacted]"] : item));
    }
    return list;
  }

  #members(object: object): Plain {
    const keys = Object.keys(object);
    return Object.fromEntries(this.#entries(membersOf(object, keys), keys.length));
  }

  /** Copies a map: to an object if all keys are texts, otherwise to a list of entries. */
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
      const shown = this.#isSecret(key) ? "[redacted]" : value;
      copies.push([this.plain(key) as string, this.plain(shown)]);
    }
    return copies;
  }

  #isSecret(key: unknown): boolean {
    return typeof key === "string" && this.#redacted.includes(key.toLowerCase());
  }

  /** Copies an object without enumerable properties: to its text, or to the name of its class. */
  #opaque(value: object): string {
    const text = String(value);
    return this.#text(text.startsWith("[object ") ? `[${nameOf(value.constructor)}]` : text);
  }
}

function* membersOf(object: object, keys: readonly string[]): Iterable<[string, unknown]> {
  for (const key of keys) yield [key, readProperty(object, key)];
}

/** The result of `toJSON()`. If the method is missing or throws, the value itself. */
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

/** The most bytes that a UTF-16 unit takes in JSON as UTF-8. */
function bytesInJson(unit: number): number {
  if (unit < 0x20 || unit >= 0xd800 && unit <= 0xdfff) return 6; // \u0000
  if (unit === 0x22 || unit === 0x5c) return 2; // \" and \\
  return unit < 0x80 ? 1 : 3;
}

/** Throws a `TypeError` with the expected and the given value, unless the value is valid. */
export function expect(isValid: unknown, action: string, expected: string, got: unknown): void {
  if (!isValid) {
    throw new TypeError(`Cannot ${action}: expected ${expected}, got ${renderJson(got)}`);
  }
}
