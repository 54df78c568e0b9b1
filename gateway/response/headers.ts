import { isPlainObject } from "../../function/read.ts";

/** Header fields as a caller gives them; an array makes several fields of one name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** Header fields by their names in lower case, each with its name as given. */
export type HeaderMap = Map<string, readonly [name: string, values: readonly string[]]>;

const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;
// A line break or NUL would end the field or the response (RFC 9110 §5.5).
const LINE_BREAK = /[\r\n\0]/;

/**
 * Checks header fields of a response.
 *
 * @param headers The fields.
 * @returns The fields. If two names differ only in case, the last one counts.
 * @throws {TypeError} If the headers are not a plain object, a name is not a token (RFC 9110 §5.6.2), or a value is not
 * a string, or has CR, LF or NUL.
 */
export function readHeaders(headers: HeaderValues | undefined): HeaderMap {
  const fields: HeaderMap = new Map();
  if (headers === undefined) return fields;
  if (!isPlainObject(headers)) throw new TypeError("Invalid headers: expected a plain object");
  for (const [name, given] of Object.entries(headers)) {
    if (!TOKEN.test(name)) {
      throw new TypeError(`Invalid header name ${JSON.stringify(name)}: expected a token`);
    }
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values) checkValue(`value of the header "${name}"`, value);
    if (values.length > 0) fields.set(name.toLowerCase(), [name, values as string[]]);
  }
  return fields;
}

/** Throws if a text cannot be the value of a header. */
export function checkValue(what: string, value: unknown): asserts value is string {
  if (typeof value === "string" && !LINE_BREAK.test(value)) return;
  throw new TypeError(`Invalid ${what}: expected a string without CR, LF and NUL`);
}

/** The value of a field that stands once. */
export function valueOf(fields: HeaderMap, name: string): string | undefined {
  return fields.get(name)?.[1].join(", ");
}

/** Sets a field, under the name that it has already or this one. */
export function setField(fields: HeaderMap, name: string, value: string): void {
  const key = name.toLowerCase();
  fields.set(key, [fields.get(key)?.[0] ?? name, [value]]);
}

/**
 * Adds request headers to the `Vary` field (RFC 9110 §12.5.5), after the names that are there, each name once. `*`
 * stays alone.
 */
export function addVary(fields: HeaderMap, consulted: string): void {
  if (!fields.has("vary")) return setField(fields, "Vary", consulted);
  const names = new Map<string, string>();
  for (const part of `${valueOf(fields, "vary") ?? ""},${consulted}`.split(",")) {
    const name = part.trim();
    if (name === "*") return setField(fields, "Vary", "*");
    if (name && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  if (names.size > 0) setField(fields, "Vary", [...names.values()].join(", "));
}

// HeaderMap that describe one content (RFC 9110 §8) are wrong for another.
const CONTENT_FIELD =
  /^(?:content-(?:disposition|encoding|language|length|location|range|type)|etag|last-modified)$/;

/** The fields that hold for any content. */
export function withoutContentFields(fields: HeaderMap): HeaderMap {
  return new Map([...fields].filter(([name]) => !CONTENT_FIELD.test(name)));
}
