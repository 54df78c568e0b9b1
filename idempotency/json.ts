import { isPlainObject, kindOf } from "../function/read.ts";

/**
 * Copies a value as JSON carries it, with `toJSON()` applied.
 *
 * @param what The name of the value for the error.
 * @throws {TypeError} If the value would come back changed: `undefined` in an object or array, `NaN`, a bigint, a function,
 * a `Map`, a `Response`, a stream, a cycle.
 */
export function toJsonValue(value: unknown, what: string): unknown {
  return copy(value, what, "", []);
}

function copy(
  given: unknown,
  path: string,
  name: string | number,
  parents: readonly object[],
): unknown {
  // `Buffer` has a `toJSON()` whose result does not become bytes again.
  if (ArrayBuffer.isView(given)) throw refused(path, kindOf(given));
  const { toJSON } = Object(given) as { toJSON?: unknown };
  const value = typeof toJSON === "function" ? toJSON.call(given, String(name)) : given;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || !isCarried(value)) {
    throw refused(path, typeof value === "number" ? String(value) : kindOf(value));
  }
  if (parents.includes(value)) throw refused(path, "a cycle");
  const inner = [...parents, value];
  if (Array.isArray(value)) {
    // `from()` also visits the holes of the array.
    return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, index, inner));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copy(item, `${path}.${key}`, key, inner)]),
  );
}

/** Tells whether JSON carries an object: an array, a plain object, or an instance of a class of the program. */
function isCarried(value: object): boolean {
  if (Array.isArray(value) || isPlainObject(value)) return true;
  const isBuiltIn = Object.prototype.toString.call(value) !== "[object Object]";
  return !isBuiltIn && !(Symbol.asyncIterator in value) && Object.keys(value).length > 0;
}

function refused(path: string, kind: string): TypeError {
  return new TypeError(
    `Cannot keep the ${path}: expected a value that JSON can carry, got ${kind}`,
  );
}

/** Writes a value as JSON with sorted keys, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    (_, one) =>
      isPlainObject(one)
        ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => a < b ? -1 : 1))
        : one,
  );
}
