import type { JsonObject, JsonValue } from "./json.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

/** The keys that lead to a value; numbers are the indexes of an array. */
export type Path = readonly (string | number)[];

/** Whether a value is an object as JSON knows it: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  // An Object.prototype of another realm (`vm`, a test runner's) ends the chain as well.
  return prototype === null || prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null;
}

/** Whether a value read from an event is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own property, or `undefined`: `__proto__`, `constructor` and the like are absent. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Reads what is at the end of a path.
 *
 * @param root What the path starts from.
 * @param path The keys from there.
 * @param base How error messages name the root, such as `Records[0]`; empty for the event itself.
 * @throws {CloudEventSpecificationError} If a key is absent, or a parent is no object (or array, for an index).
 */
export function read(root: JsonObject, path: Path, base = ""): JsonValue {
  let value: JsonValue = root;
  for (let depth = 0; depth < path.length; depth++) {
    const key = path[depth]!;
    const isIndex = typeof key === "number";
    if (value === null || typeof value !== "object" || Array.isArray(value) !== isIndex) {
      const wanted = isIndex ? "an array" : "an object";
      throw specificationError(path, depth, `is ${nameType(value)}, not ${wanted}`, base);
    }
    const next: JsonValue | undefined = Object.hasOwn(value, key)
      ? (value as JsonObject)[key as string]
      : undefined;
    if (next === undefined) throw specificationError(path, depth + 1, "is absent", base);
    value = next;
  }
  return value;
}

/** Reads a string; see {@linkcode read}. */
export function readString(root: JsonObject, path: Path, base?: string): string {
  const value = read(root, path, base);
  if (typeof value !== "string") throw wrongType(path, value, "a string", base);
  return value;
}

/** Reads what may be absent below a parent that may not; null where it is. See {@linkcode read}. */
export function readOptional(root: JsonObject, path: Path): JsonValue {
  const parent = read(root, path.slice(0, -1));
  if (isObject(parent)) return own(parent, path.at(-1) as string) ?? null;
  throw wrongType(path.slice(0, -1), parent, "an object");
}

/** The error for a value of another type than the platform specifies. */
export function wrongType(
  path: Path,
  value: JsonValue | undefined,
  wanted: string,
  base?: string,
): CloudEventSpecificationError {
  return specificationError(path, path.length, `is ${nameType(value)}, not ${wanted}`, base);
}

/** The error for the first `depth` keys of a path. */
export function specificationError(
  path: Path,
  depth: number,
  problem: string,
  base = "",
  options?: ErrorOptions,
): CloudEventSpecificationError {
  let dotted = base;
  for (const key of path.slice(0, depth)) {
    dotted += typeof key === "number" ? `[${key}]` : dotted === "" ? key : `.${key}`;
  }
  return new CloudEventSpecificationError(dotted, problem, options);
}

function nameType(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
