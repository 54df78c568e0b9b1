import { invalid, isPlainObject } from "../../function/read.ts";

/** Header fields as a caller gives them; an array makes several fields of one name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** Header fields by their names in lower case, each with its name as given. */
export type HeaderMap = Map<string, readonly [name: string, values: readonly string[]]>;

/**
 * Checks header fields of a response.
 *
 * @param headers The fields.
 * @returns The fields. If two names differ only in case, the last one counts.
 * @throws {TypeError} If the headers are not a plain object, a name is not a token (RFC 9110 §5.6.2), or a value is not
 * a string, or has CR, LF or NUL.
 */
export function readHeaders(headers: HeaderValues = {}): HeaderMap {
  const fields: HeaderMap = new Map();
  if (!isPlainObject(headers)) throw invalid("headers", "a plain object");
  for (const [name, given] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name)) {
      throw invalid(`header name ${JSON.stringify(name)}`, "a token");
    }
    const values = [given].flat();
    for (const value of values) checkValue(`value of the header "${name}"`, value);
    if (values.length > 0) fields.set(name.toLowerCase(), [name, values]);
  }
  return fields;
}

/** Throws if a text cannot be the value of a header. */
export function checkValue(what: string, value: unknown): asserts value is string {
  // A line break or NUL would end the field or the response (RFC 9110 §5.5).
  if (typeof value === "string" && !/[\r\n\0]/.test(value)) return;
  throw invalid(what, "a string without CR, LF and NUL");
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
  const before = valueOf(fields, "vary");
  if (!before) return setField(fields, "Vary", consulted);
  const names: string[] = [];
  for (const part of `${before},${consulted}`.split(",")) {
    const name = part.trim();
    const isKnown = names.some((known) => known.toLowerCase() === name.toLowerCase());
    if (name && !isKnown) names.push(name);
  }
  setField(fields, "Vary", names.includes("*") ? "*" : names.join(", "));
}

/** Adds the fields that a response does not have, and returns all. `Vary` gets the names of both. */
export function addFields(fields: HeaderMap, extra: HeaderMap): HeaderMap {
  for (const [key, field] of extra) {
    if (key === "vary") addVary(fields, field[1].join());
    else if (!fields.has(key)) fields.set(key, field);
  }
  return fields;
}
