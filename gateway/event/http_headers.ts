import type { JsonObject } from "../../function/json.ts";
import { isObject, read, wrongType } from "../../function/read.ts";

const HEADERS = ["headers"] as const;
const NONE: JsonObject = {};

/**
 * The header fields of an event, as they are.
 *
 * @param event The event of a request.
 * @returns The fields, unchecked; empty if the key is null.
 * @throws {CloudEventSpecificationError} If `headers` is absent, or neither an object nor null.
 * @throws {TypeError} If there is no event.
 */
export function readFields(event: JsonObject): JsonObject {
  // So it is where a caller without types passes the raw event for the `FnProxyEvent` that wraps it.
  if (event === undefined) throw new TypeError("Cannot read the request: expected an FnProxyEvent");
  // By its name first: engines find a key that the source names sooner than one of a path.
  const fields = (Object.hasOwn(event, "headers") ? event["headers"] : undefined) ??
    read(event, HEADERS);
  if (fields === null) return NONE;
  if (!isObject(fields)) throw wrongType(HEADERS, fields, "an object or null");
  return fields;
}

/**
 * All header fields of an event.
 *
 * @param event The event of a request.
 * @returns Names in lower case, values as submitted; those of names equal but for case joined with `, `.
 * @throws {CloudEventSpecificationError} If `headers` is absent or malformed, or a value is no string.
 */
export function readHeaders(event: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(readFields(event))) {
    if (typeof value !== "string") throw wrongType([...HEADERS, key], value, "a string");
    const name = key.toLowerCase();
    if (Object.hasOwn(headers, name)) headers[name] += `, ${value}`;
    else if (name !== "__proto__") headers[name] = value;
    else setOwn(headers, name, value);
  }
  return headers;
}

/** Assigning to `__proto__` would set the prototype. */
function setOwn(headers: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(headers, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
