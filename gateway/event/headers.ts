import type { JsonObject } from "../../function/json.ts";
import {
  type Path,
  readOptionalString,
  readString,
  setOwn,
  specificationError,
} from "../../function/read.ts";
import { percentDecode } from "./formats/entries.ts";
import { formatOf } from "./formats/recognise.ts";

/**
 * Reads all header fields of a request.
 *
 * @returns The values by names in lower case. The values of one name are joined.
 * @throws {CloudEventSpecificationError} If the headers are absent or malformed.
 */
export function readHeaders(event: JsonObject): Record<string, string> {
  const headers = new Fields();
  for (const [key, value] of formatOf(event).headers(event)) {
    const name = foldName(key);
    const isKnown = Object.hasOwn(headers, name);
    const all = isKnown ? headers[name] + separatorOf(name) + value : value;
    // In line, because the engine would slow an assignment down that other callers share.
    if (name !== "__proto__") headers[name] = all;
    else setOwn(headers, name, all);
  }
  return headers;
}

/**
 * Makes a plain object. The engine remembers which names follow each other in the objects of one constructor. With this
 * one, it finds them in a third of the time that all objects of the program together take.
 */
const Fields = /* @__PURE__ */ (() => {
  const constructor = function () {};
  constructor.prototype = Object.prototype;
  return constructor as unknown as new () => Record<string, string>;
})(); // so that a bundle without an event leaves it out

/** Names in lower case. A gateway sends the same names again and again, and to fold them takes most of the time. */
const folded = new Map<string, string>();

function foldName(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (folded.size < 100) folded.set(name, lower); // a client cannot make it grow further
  return lower;
}

/**
 * Reads one header field of a request. The other fields are not checked.
 *
 * @param name The name of the header, in any case.
 * @returns The value, or `undefined` if the request does not have this header.
 * @throws {CloudEventSpecificationError} If the headers are absent, or if this field is malformed.
 */
export function findHeader(event: JsonObject, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const fields = formatOf(event).headers(event, wanted);
  return fields.length > 1
    ? fields.map(([, value]) => value).join(separatorOf(wanted))
    : fields[0]?.[1];
}

/** RFC 9110 section 5.3, and RFC 9113 section 8.2.3 for cookies. */
function separatorOf(name: string): string {
  return name === "cookie" ? "; " : ", ";
}

/** Tells whether a path names a header. Then the header is read in any case, and from any map. */
export function isHeader(path: Path): boolean {
  return path[0] === "headers";
}

/** Reads the text at a path, which may name a header. A header that is absent and a key that holds null give null. */
export function readFact(
  event: JsonObject,
  path: Path,
  required: number = path.length,
): string | null {
  if (isHeader(path)) return findHeader(event, path[1] as string) ?? null;
  return readOptionalString(event, path, required);
}

/** Reads the text at a path, which may name a header. The text must be there. */
export function requireFact(event: JsonObject, path: Path): string {
  if (!isHeader(path)) return readString(event, path);
  const value = readFact(event, path);
  if (value === null) throw specificationError(path, "is absent");
  return value;
}

/**
 * Parses a `Cookie` header (RFC 6265 section 5.4).
 *
 * @returns The values by names. The first cookie of a name counts. Quotes are removed, and values are percent-decoded if
 * this is possible.
 */
export function parseCookies(header: string): Record<string, string> {
  const cookies = new Map<string, string>();
  for (const [, name, text] of header.matchAll(/(?:^|;)([^;=]*)=([^;]*)/g)) {
    const key = name!.trim();
    if (cookies.has(key)) continue;
    const value = text!.trim().replace(/^"(.*)"$/s, "$1");
    cookies.set(key, percentDecode(value) ?? value);
  }
  return Object.fromEntries(cookies);
}
