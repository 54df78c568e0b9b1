import type { JsonObject } from "../../function/json.ts";
import { type Path, read, readString, specificationError } from "../../function/read.ts";
import type { Place } from "./formats/format.ts";
import { formatOf } from "./formats/recognise.ts";

/**
 * Reads all header fields of a request.
 *
 * @returns The values by names in lower case. The values of one name are joined.
 * @throws {CloudEventSpecificationError} If the headers are absent or malformed.
 */
export function readHeaders(event: JsonObject): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [key, value] of formatOf(event).headers(event, () => true)) {
    const name = key.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : before + separatorOf(name) + value);
  }
  return Object.fromEntries(headers);
}

/**
 * Reads one header field of a request. The other fields are not checked.
 *
 * @param name The name of the header, in any case.
 * @returns The value, or `undefined` if the request does not have this header.
 * @throws {CloudEventSpecificationError} If the headers are absent, or if this field is malformed.
 */
export function findHeader(event: JsonObject, name: string): string | undefined {
  // A caller without types may pass the raw event instead of the `FnProxyEvent` that wraps it.
  if (event === undefined) throw new TypeError("Cannot read the request: expected an FnProxyEvent");
  const wanted = name.toLowerCase();
  const fields = formatOf(event).headers(event, (name) => name === wanted);
  if (fields.length === 0) return undefined;
  return fields.map(([, value]) => value).join(separatorOf(wanted));
}

/** RFC 9110 section 5.3, and RFC 9113 section 8.2.3 for cookies. */
function separatorOf(name: string): string {
  return name === "cookie" ? "; " : ", ";
}

/** Reads the text at a place. */
export function readPlace(event: JsonObject, place: Place): string {
  if (typeof place !== "string") return readString(event, place);
  const value = findHeader(event, place);
  if (value === undefined) throw specificationError(pathOf(place), "is absent");
  return value;
}

/** The path of a place, for an error. */
export function pathOf(place: Place): Path {
  return typeof place === "string" ? ["headers", place] : place;
}

/** Reads a text whose key may hold null or whose header may be absent: then the text is empty. */
export function readNullable(event: JsonObject, place: Place): string {
  if (typeof place === "string") return findHeader(event, place) ?? "";
  return read(event, place) === null ? "" : readString(event, place);
}
