import type { JsonObject } from "../../function/json.ts";
import { isObject, own, read, wrongType } from "../../function/read.ts";

const PARAMETERS = ["queryStringParameters"] as const;
const MULTI_VALUE_PARAMETERS = ["multiValueQueryStringParameters"] as const;

/**
 * The parameters of the query, one value each.
 *
 * @param event The event of a request.
 * @returns A copy of the parameters.
 * @throws {CloudEventSpecificationError} If `queryStringParameters` is absent or malformed.
 */
export function readParameters(event: JsonObject): Record<string, string> {
  const parameters = { ...readMap(event) };
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]!;
    if (typeof value !== "string") throw wrongType([...PARAMETERS, name], value, "a string");
  }
  return parameters as Record<string, string>;
}

/**
 * The query, percent-encoded: the gateway hands parameters over decoded.
 *
 * @param event The event of a request.
 * @returns `name=value` of every parameter, every value of each where the event has them all, joined with `&`.
 * @throws {CloudEventSpecificationError} If `queryStringParameters` is absent or malformed, or
 * `multiValueQueryStringParameters` is malformed.
 */
export function encodeQuery(event: JsonObject): string {
  const multiValue = own(event, "multiValueQueryStringParameters") ?? null;
  if (multiValue === null) return encodeParameters(readParameters(event));
  if (!isObject(multiValue)) {
    throw wrongType(MULTI_VALUE_PARAMETERS, multiValue, "an object or null");
  }
  readMap(event); // even where it does not count, a request has it
  return encodeMultiValue(multiValue);
}

function readMap(event: JsonObject): JsonObject {
  const parameters = read(event, PARAMETERS);
  if (parameters === null) return {};
  if (!isObject(parameters)) throw wrongType(PARAMETERS, parameters, "an object or null");
  return parameters;
}

function encodeParameters(parameters: Record<string, string>): string {
  let query = "";
  for (const [name, value] of Object.entries(parameters)) {
    query += `&${encode(name)}=${encode(value)}`;
  }
  return query.slice(1);
}

function encodeMultiValue(parameters: JsonObject): string {
  let query = "";
  for (const [name, values] of Object.entries(parameters)) {
    const path = [...MULTI_VALUE_PARAMETERS, name];
    if (!Array.isArray(values)) throw wrongType(path, values, "an array");
    const encoded = encode(name);
    for (const [index, value] of values.entries()) {
      if (typeof value !== "string") throw wrongType([...path, index], value, "a string");
      query += `&${encoded}=${encode(value)}`;
    }
  }
  return query.slice(1);
}

/** Lone surrogates, which have no UTF-8, become U+FFFD as in the URL standard. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
