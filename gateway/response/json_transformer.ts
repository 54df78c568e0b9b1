import { findUnserialisable } from "./unserialisable.ts";

/** The content type of {@linkcode jsonTransformer}. */
export const JSON_CONTENT_TYPE = "application/json; charset=utf-8";

/**
 * The transformer of `application/json`: indents by two spaces.
 *
 * @param payload What JSON can carry (RFC 8259), or what has a `toJSON()`.
 * @returns The text, and `application/json; charset=utf-8`.
 * @throws {TypeError} If JSON cannot carry it, naming the path: a cycle, a bigint, a property that throws;
 * `undefined`, a function or a symbol as the whole payload.
 *
 * @example What goes out
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { jsonTransformer } from "@mate/core/gateway";
 *
 * assertEquals(jsonTransformer({ ok: true }), [
 *   '{\n  "ok": true\n}',
 *   "application/json; charset=utf-8",
 * ]);
 * assertThrows(() => jsonTransformer({ sizes: [1n] }), TypeError, '"payload.sizes[0]" is a bigint');
 * ```
 */
export function jsonTransformer(payload: unknown): [content: string, contentType: string] {
  let content: string | undefined;
  try {
    content = JSON.stringify(payload, null, 2);
  } catch (cause) {
    // Looked for only now, for that costs more than writing.
    const problem = findUnserialisable(payload) ?? (cause instanceof Error ? cause.message : cause);
    throw new TypeError(`Cannot write the payload as JSON: ${problem}`, { cause });
  }
  if (content === undefined) {
    throw new TypeError(`Cannot write the payload as JSON: "payload" ${nameOmitted(payload)}`);
  }
  return [content, JSON_CONTENT_TYPE];
}

/** Why JSON has nothing to write for a payload. */
function nameOmitted(payload: unknown): string {
  if (payload === undefined) return "is undefined";
  if (typeof payload !== "object") return `is a ${typeof payload}`;
  return "has a toJSON() that returns nothing JSON can carry";
}
