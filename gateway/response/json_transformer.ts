import { isPlainObject, kindOf, tagOf } from "../../function/read.ts";

/** The content type of {@linkcode jsonTransformer}. */
export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";

/** The most spaces of indentation. The indentation of a deep value grows with the square of its size. */
const MAX_INDENTATION = 1_000_000;

/**
 * The transformer of `application/json`: indents by two spaces. A payload that would take more than about a million spaces
 * is written without indentation.
 *
 * @param payload A value that JSON can carry (RFC 8259), or an object with a `toJSON()`.
 * @returns The text, and `application/json; charset=utf-8`.
 * @throws {TypeError} If JSON cannot carry the payload: a cycle, a bigint, a property that throws; `undefined`, a
 * function or a symbol as the whole payload. The message says what the engine says, with the property if the
 * engine names it.
 *
 * @example The text of a payload
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { jsonTransformer } from "@mate/core/gateway";
 *
 * assertEquals(jsonTransformer({ ok: true }), [
 *   '{\n  "ok": true\n}',
 *   "application/json; charset=utf-8",
 * ]);
 * assertThrows(() => jsonTransformer({ sizes: [1n] }), TypeError, "Cannot write the payload as JSON");
 * ```
 */
export function jsonTransformer(payload: unknown): [content: string, contentType: string] {
  return [stringify(payload, inspect(payload, 2).indent), JSON_CONTENT_TYPE];
}

/**
 * Writes the payload of a response as JSON.
 *
 * @param payload The payload.
 * @param indent How many spaces a level is indented by.
 * @throws {TypeError} If JSON cannot carry the payload, or would leave out a part of it without a word: a function, a
 * symbol, a `Map`.
 */
export function writeJson(payload: unknown, indent: number): string {
  const inspected = inspect(payload, indent);
  const text = stringify(payload, inspected.indent);
  if (inspected.problem) throw unwritable(`"payload${inspected.problem}`);
  return text;
}

/** What is known of a payload before it is written. */
interface Inspected {
  /** The indentation, or none if it would be too long. */
  readonly indent: number;
  /** The value that JSON would leave out or write as `{}`: the rest of its path, and its kind. */
  readonly problem?: string | undefined;
}

function inspect(payload: unknown, indent: number): Inspected {
  let spaces = 0;

  function findOmitted(value: unknown, column: number): string | undefined {
    spaces += column;
    if (typeof value === "function" || typeof value === "symbol") return `" is ${kindOf(value)}`;
    if (typeof value !== "object" || value === null) return undefined;
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const problem = findOmitted(value[index], column + indent);
        if (problem) return `[${index}]${problem}`;
      }
      return undefined;
    }
    if (!isPlainObject(value) && isOpaque(value)) return `" is ${kindOf(value)}`;
    // On Node.js, `Object.entries()` would take four times as long.
    for (const name in value) {
      const problem = findOmitted((value as Record<string, unknown>)[name], column + indent);
      if (problem && Object.hasOwn(value, name)) return `.${name}${problem}`;
    }
  }

  try {
    const problem = findOmitted(payload, 0);
    return { indent: spaces > MAX_INDENTATION ? 0 : indent, problem };
  } catch (cause) { // a cycle, or a property that throws: JSON.stringify() will meet it, too
    return { indent: 0, problem: `" cannot be read: ${cause}` };
  }
}

function stringify(payload: unknown, indent: number): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(payload, null, indent);
  } catch (cause) {
    throw unwritable(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  if (text === undefined) throw unwritable(`"payload" is ${kindOf(payload)}`);
  return text;
}

function unwritable(problem: string, options?: ErrorOptions): TypeError {
  return new TypeError(`Cannot write the payload as JSON: ${problem}`, options);
}

/** Tells whether JSON shows nothing of an object that has something to show. */
function isOpaque(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof Error ||
    (Object.keys(value).length === 0 && tagOf(value) !== "Object");
}
