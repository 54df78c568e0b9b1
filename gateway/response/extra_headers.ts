import { isPlainObject } from "../../function/read.ts";

/** Header fields by their names in lower case, each with its name as given. */
export type Fields = ReadonlyMap<string, readonly [name: string, value: string]>;

const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;
/** What would end the field, or the text of it (RFC 9110 §5.5). */
const LINE_BREAK = /[\r\n\0]/;

const NONE: Fields = new Map();

/**
 * Checks the header fields that a caller adds to a response.
 *
 * @param extraHeaders The fields.
 * @returns The fields; of two names equal but for case the last.
 * @throws {TypeError} If they are no plain object, a name is no token (RFC 9110 §5.6.2), a value is no
 * string, or one with CR, LF or NUL.
 */
export function readExtraHeaders(
  extraHeaders: Readonly<Record<string, string>> | undefined,
): Fields {
  if (extraHeaders === undefined) return NONE;
  if (!isPlainObject(extraHeaders)) {
    throw new TypeError("Cannot add the extra headers: expected a plain object");
  }
  const fields = new Map<string, readonly [string, string]>();
  for (const name of Object.keys(extraHeaders)) {
    const value: unknown = extraHeaders[name];
    if (!TOKEN.test(name)) throw invalid(name, "its name is no token");
    if (typeof value !== "string") throw invalid(name, "its value is no string");
    if (LINE_BREAK.test(value)) throw invalid(name, "its value contains CR, LF or NUL");
    fields.set(name.toLowerCase(), [name, value]);
  }
  return fields;
}

function invalid(name: string, problem: string): TypeError {
  return new TypeError(`Cannot add the header ${JSON.stringify(name)}: ${problem}`);
}

/** The fields that describe a content (RFC 9110 §8), and would describe another one wrongly. */
const CONTENT_FIELDS = new Set([
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
]);

/** The fields that hold for any content. */
export function withoutContentFields(fields: Fields): Fields {
  return new Map([...fields].filter(([name]) => !CONTENT_FIELDS.has(name)));
}
