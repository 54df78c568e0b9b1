import { describeError, isError } from "./error.ts";
import { textOf } from "./text.ts";

// Beyond these a record is of no use to a reader, and graphs of sockets and requests have no end.
const MAX_DEPTH = 100;
const MAX_OBJECTS = 10_000;

/**
 * Renders any value as JSON (RFC 8259) on one line. What JSON cannot carry becomes what a reader
 * understands: a cycle `"[Circular]"`, a bigint its digits, a map an object, a set an array, an error an
 * object of its parts. What cannot be read says why, in its place.
 */
export function renderJson(value: unknown): string {
  return new Renderer().render(value);
}

/** Text as JSON. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

class Renderer {
  readonly #ancestors: object[] = [];
  #objects = 0;

  render(value: unknown): string {
    switch (typeof value) {
      case "string":
        return quote(value);
      case "boolean":
        return String(value);
      case "number":
        return Number.isFinite(value) ? JSON.stringify(value) : quote(String(value));
      case "object":
        return value === null ? "null" : this.#object(value);
      case "function":
        return quote(`[Function: ${nameOf(value)}]`);
      default: // bigint, symbol, undefined
        return quote(String(value));
    }
  }

  #object(value: object): string {
    if (this.#ancestors.includes(value)) return quote("[Circular]");
    this.#ancestors.push(value);
    try {
      const isTooMuch = this.#ancestors.length > MAX_DEPTH || this.#objects >= MAX_OBJECTS;
      if (isTooMuch) return quote(`[${nameOf(value.constructor)}]`);
      this.#objects++;
      return this.#content(value);
    } catch (error) {
      return unreadable(error);
    } finally {
      this.#ancestors.pop();
    }
  }

  #content(value: object): string {
    if (isError(value)) return this.#members(describeError(value));
    if (Array.isArray(value)) return this.#array(value);
    const { toJSON } = value as { toJSON?: unknown };
    return typeof toJSON === "function"
      ? this.#converted(value, toJSON as () => unknown)
      : this.#tagged(value);
  }

  #converted(value: object, toJSON: (key: string) => unknown): string {
    let converted: unknown;
    try {
      converted = toJSON.call(value, "");
    } catch {
      return this.#tagged(value); // its properties then
    }
    if (converted === null && value instanceof Date) return quote(String(value)); // Invalid Date
    return converted === value ? this.#tagged(value) : this.render(converted);
  }

  /** By what kind of object it says it is, so that those of another realm count too. */
  #tagged(value: object): string {
    switch (Object.prototype.toString.call(value).slice(8, -1)) {
      case "Object":
        return this.#members(value);
      case "Map":
        return this.#map(value as Map<unknown, unknown>);
      case "Set":
        return this.#array([...value as Set<unknown>]);
      case "Headers":
      case "FormData":
        return this.#array([...value as Headers]);
      case "ArrayBuffer":
      case "SharedArrayBuffer":
        return this.#array([...new Uint8Array(value as ArrayBuffer)]);
      case "DataView": {
        const { buffer, byteOffset, byteLength } = value as DataView;
        return this.#array([...new Uint8Array(buffer, byteOffset, byteLength)]);
      }
      case "Boolean":
      case "Number":
      case "String":
      case "BigInt":
      case "Symbol":
        return this.render(value.valueOf());
    }
    if (ArrayBuffer.isView(value)) return this.#array(Array.from(value as Uint8Array));
    return Object.keys(value).length > 0 ? this.#members(value) : this.#opaque(value);
  }

  #array(items: readonly unknown[]): string {
    let text = "";
    for (let index = 0; index < items.length; index++) {
      text += (index === 0 ? "" : ",") + this.#property(items, index);
    }
    return `[${text}]`;
  }

  #members(object: object): string {
    let text = "";
    for (const key of Object.keys(object)) {
      text += `${text === "" ? "" : ","}${quote(key)}:${this.#property(object, key)}`;
    }
    return `{${text}}`;
  }

  /** A map as an object, where its keys can be those of one. */
  #map(map: Map<unknown, unknown>): string {
    const entries = [...map];
    if (!entries.every(([key]) => typeof key === "string")) return this.#array(entries);
    return `{${entries.map(([key, item]) => `${quote(key as string)}:${this.render(item)}`)}}`;
  }

  #property(object: object, key: string | number): string {
    let value: unknown;
    try {
      value = (object as Record<string | number, unknown>)[key];
    } catch (error) {
      return unreadable(error); // a getter that throws
    }
    return this.render(value);
  }

  /** What shows nothing of itself: its text, or else the name of its class. */
  #opaque(value: object): string {
    const text = String(value);
    return quote(text.startsWith("[object ") ? `[${nameOf(value.constructor)}]` : text);
  }
}

function nameOf(constructor: unknown): string {
  try {
    const name = typeof constructor === "function" ? constructor.name : "";
    return typeof name === "string" && name !== "" ? name : "anonymous";
  } catch {
    return "anonymous"; // a getter that throws, a proxy that was revoked
  }
}

function unreadable(error: unknown): string {
  return quote(`[Unreadable: ${textOf(error)}]`);
}
