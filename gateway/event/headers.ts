import type { JsonObject } from "../../function/json.ts";
import { isObject, read, wrongType } from "../../function/read.ts";

/**
 * Reads all header fields of a request.
 *
 * @returns The values by names in lower case. The values of names that differ only in case are joined with `, `.
 * @throws {CloudEventSpecificationError} If `headers` is absent or malformed, or if a value is not a string.
 */
export function readHeaders(event: JsonObject): Record<string, string> {
  const headers = new Map<string, string>();
  for (const key of Object.keys(readFields(event))) {
    const name = key.toLowerCase();
    const value = readValue(event, key);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/**
 * Reads one header field of a request. The other fields are not checked.
 *
 * @param name The name of the header, in any case.
 * @returns The value, or `undefined` if the request does not have this header.
 * @throws {CloudEventSpecificationError} If `headers` is absent or malformed, or if the value is not a string.
 */
export function findHeader(event: JsonObject, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const keys = Object.keys(readFields(event)).filter((key) => key.toLowerCase() === wanted);
  return keys.length === 0 ? undefined : keys.map((key) => readValue(event, key)).join(", ");
}

function readFields(event: JsonObject): JsonObject {
  // A caller without types may pass the raw event instead of the `FnProxyEvent` that wraps it.
  if (event === undefined) throw new TypeError("Cannot read the request: expected an FnProxyEvent");
  const fields = read(event, ["headers"]) ?? {};
  if (!isObject(fields)) throw wrongType(["headers"], fields, "an object or null");
  return fields;
}

function readValue(event: JsonObject, key: string): string {
  const value = read(event, ["headers", key]);
  if (typeof value !== "string") throw wrongType(["headers", key], value, "a string");
  return value;
}
