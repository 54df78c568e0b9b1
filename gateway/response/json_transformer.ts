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
  // The text has shown that there are no cycles.
  const problem = inspected.isWhole ? inspected.problem : findOmitted(payload, 0, 0, { left: 0 });
  if (problem) throw unwritable(`"payload${problem}`);
  return text;
}

/** What is known of a payload before it is written. */
interface Inspected {
  /** The indentation, or none if it would be too long. */
  readonly indent: number;
  /** Whether the whole payload was looked at. */
  readonly isWhole: boolean;
  readonly problem?: string | undefined;
}

/** Looks at a payload until the indentation is too long, so it comes to an end of a cycle too. */
function inspect(payload: unknown, indent: number): Inspected {
  const spaces = { left: MAX_INDENTATION };
  try {
    if (indent > 0) {
      const problem = findOmitted(payload, 0, indent, spaces);
      if (spaces.left >= 0) return { indent, isWhole: true, problem };
    }
  } catch {
    // JSON.stringify() will meet the property that throws, too.
  }
  return { indent: 0, isWhole: false };
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

/**
 * Finds a value that JSON leaves out or writes as `{}`: the rest of its path, and its kind.
 *
 * @param column The indentation of the value.
 * @param indent How many spaces a level is indented by.
 * @param spaces The spaces that are left. The search ends when there are none.
 */
function findOmitted(
  value: unknown,
  column: number,
  indent: number,
  spaces: { left: number },
): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `" is ${kindOf(value)}`;
  if ((spaces.left -= column) < 0 || typeof value !== "object" || value === null) return undefined;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = findOmitted(value[index], column + indent, indent, spaces);
      if (problem) return `[${index}]${problem}`;
      if (spaces.left < 0) return undefined;
    }
    return undefined;
  }
  if (!isPlainObject(value) && isOpaque(value)) return `" is ${kindOf(value)}`;
  // On Node.js, `Object.entries()` would take four times as long.
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    const problem = findOmitted(member, column + indent, indent, spaces);
    if (problem && Object.hasOwn(value, name)) return `.${name}${problem}`;
    if (spaces.left < 0) return undefined;
  }
}

/** Tells whether JSON shows nothing of an object that has something to show. */
function isOpaque(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof Error ||
    (Object.keys(value).length === 0 && tagOf(value) !== "Object");
}
