import type { JsonObject, JsonValue } from "./json.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

/** The keys that lead to a value. A number is an index into an array. */
export type Path = readonly (string | number)[];

/** Tells whether a value is a plain object: not an array, not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  // The Object.prototype of any realm (`vm`, a test runner) ends the prototype chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Sets a property of its own, also one named `__proto__`, whose assignment would do nothing. */
export function setOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key !== "__proto__") object[key] = value;
  else {
    const plain = { configurable: true, enumerable: true, writable: true };
    Object.defineProperty(object, key, { ...plain, value });
  }
}

/** Tells whether a value of an event is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own property or `undefined`, because `__proto__` and `constructor` are absent keys. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Reads the value at the end of a path.
 *
 * @param length The number of keys to follow: all of them unless given.
 * @throws {CloudEventSpecificationError} If a key is absent, or if a parent is not an object or array.
 */
export function read(event: JsonObject, path: Path, length: number = path.length): JsonValue {
  let value: JsonValue = event;
  for (let depth = 0; depth < length; depth++) {
    const key = path[depth]!;
    const isIndex = typeof key === "number";
    if (isIndex ? !Array.isArray(value) : !isObject(value)) {
      throw wrongType(path.slice(0, depth), value, isIndex ? "an array" : "an object");
    }
    const next = own(value as JsonObject, key as string);
    if (next === undefined) throw specificationError(path.slice(0, depth + 1), "is absent");
    value = next;
  }
  return value;
}

/** Reads a string; see {@linkcode read}. */
export function readString(event: JsonObject, path: Path): string {
  const value = read(event, path);
  if (typeof value !== "string") throw wrongType(path, value, "a string");
  return value;
}

/** Reads a value. An absent key counts as null. The parent must be an object. */
export function readOptional(event: JsonObject, path: Path): JsonValue {
  const last = path.length - 1;
  const parent = read(event, path, last);
  if (!isObject(parent)) throw wrongType(path.slice(0, last), parent, "an object");
  return own(parent, path[last] as string) ?? null;
}

/** Reads a string or null; see {@linkcode readOptional}. */
export function readOptionalString(event: JsonObject, path: Path): string | null {
  const value = readOptional(event, path);
  if (value !== null && typeof value !== "string") throw wrongType(path, value, "a string or null");
  return value;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads a date and time (RFC 3339 section 5.6). Digits after the millisecond are cut off. */
export function readTime(event: JsonObject, path: Path): Date {
  const text = readString(event, path);
  const local = DATE_TIME.exec(text)?.[1];
  const time = new Date(text);
  // `Date` reads 30 February as 2 March and 24:00 as the next day.
  const isReal = local !== undefined && !isNaN(+time) &&
    new Date(`${local}Z`).toISOString().startsWith(local);
  if (isReal) return time;
  throw wrongValue(path, text, "a date and time (RFC 3339)");
}

/** Parses a text of an event as JSON. The error has no cause, because the message of the engine quotes the text. */
export function parseJson(text: string, path: Path): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw specificationError(path, "is not JSON (RFC 8259)");
  }
}

/** Makes the error for a value that does not have the specified type. */
export function wrongType(path: Path, value: JsonValue | undefined, wanted: string) {
  return specificationError(path, `is ${kindOf(value)}, not ${wanted}`);
}

/** Makes the error for a value that has the specified type but is wrong. */
export function wrongValue(path: Path, value: JsonValue, wanted: string, options?: ErrorOptions) {
  // JSON can write neither a cycle nor a bigint, which an event that a program made may have.
  const got = typeof value === "string"
    ? JSON.stringify(value)
    : typeof value === "object"
    ? kindOf(value)
    : String(value);
  return specificationError(path, `is ${got}, not ${wanted}`, options);
}

/** Makes the error for the value at the end of a path. */
export function specificationError(path: Path, problem: string, options?: ErrorOptions) {
  const dotted = path.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("");
  return new CloudEventSpecificationError(dotted.replace(/^\./, ""), problem, options);
}

/** Names the kind of a value for an error message. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (isPlainObject(value)) return "an object";
  const tag = tagOf(value);
  return `an instance of ${tag === "Object" ? value.constructor?.name : tag}`;
}

/** The name of the class of a built-in object, such as `Map`, also for an object of another realm. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Makes the error for an invalid argument. */
export function invalid(what: string, expected: string): TypeError {
  return new TypeError(`Invalid ${what}: expected ${expected}`);
}

/** Checks the names of options. */
export function checkNames(options: unknown, names: readonly string[]): void {
  if (!isPlainObject(options)) throw invalid("options", "a plain object");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `Unknown option ${JSON.stringify(unknown)}: expected one of ${names.join(", ")}`,
  );
}
