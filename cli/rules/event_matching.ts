import { isObject } from "./json_object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A field that must meet a condition. The path is the part of its dotted name that has not been followed yet. */
export interface Field {
  readonly path: string;
  readonly meets: (value: unknown) => boolean;
  /** Whether the field may be absent. */
  readonly mayBeAbsent: boolean;
}

/** Tells whether an object meets all conditions. */
export function meetsAll(object: Fields, fields: readonly Field[]): boolean {
  const byKey = new Map<string, Field[]>();
  for (const field of fields) {
    const places = placesOf(object, field.path);
    if (places.length === 0) {
      if (!field.mayBeAbsent) return false;
    } else if (places.length === 1) {
      const [{ key, path }] = places as [Place];
      byKey.set(key, [...byKey.get(key) ?? [], { ...field, path }]);
    } else { // The object has both the key "a.b" and the key "a" with "b" in it.
      const isMet = places.some(({ key, path }) =>
        meetsWithin(object[key], [{ ...field, path, mayBeAbsent: false }])
      );
      if (!isMet && !(field.mayBeAbsent && !hasField(object, field.path))) return false;
    }
  }
  return [...byKey].every(([key, inner]) => meetsWithin(object[key], inner));
}

/** Tells whether a value meets all conditions. Of an array, one element must meet all that lead further. */
function meetsWithin(value: unknown, fields: readonly Field[]): boolean {
  const elements = elementsOf(value);
  const leaves = elements.filter((element) => !isObject(element));
  const left = fields.filter(({ path, meets }) => path !== "" || !leaves.some(meets));
  if (left.some(({ path, mayBeAbsent }) => path === "" && !(mayBeAbsent && leaves.length === 0))) {
    return false;
  }
  const inner = left.filter(({ path }) => path !== "");
  const objects = elements.filter(isObject);
  // The first field that is there decides for an element. Before it, a field is absent only if no element has it.
  const isThere = ({ path }: Field) => objects.some((object) => hasField(object, path));
  const start = inner.findIndex((field) => !field.mayBeAbsent || isThere(field));
  if (start < 0) return true;
  const [first, ...others] = inner.slice(start) as [Field, ...Field[]];
  const bound = [{ ...first, mayBeAbsent: false }, ...others];
  return objects.some((object) => meetsAll(object, bound));
}

/** Tells whether there is a value at a path. An empty array and an empty object have none. */
function hasField(value: unknown, path: string): boolean {
  return elementsOf(value).some((element) =>
    isObject(element)
      ? placesOf(element, path).some((place) => hasField(element[place.key], place.path))
      : path === ""
  );
}

interface Place {
  readonly key: string;
  /** The part of the path below the key. */
  readonly path: string;
}

/** Finds the keys of an object with which a dotted path begins: for `a.b.c` these are `a`, `a.b` and `a.b.c`. */
function placesOf(object: Fields, path: string): Place[] {
  const places: Place[] = [];
  if (path === "") return places;
  for (let end = path.indexOf("."); end >= 0; end = path.indexOf(".", end + 1)) {
    const key = path.slice(0, end);
    if (Object.hasOwn(object, key)) places.push({ key, path: path.slice(end + 1) });
  }
  if (Object.hasOwn(object, path)) places.push({ key: path, path: "" });
  return places;
}

/**
 * Lists the elements of an array and of the arrays in it. For any other value, the list has only the value itself. The
 * engine keeps nested arrays apart, which makes a difference only if one pattern has conditions on `a` and on `a.b`.
 */
function elementsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  const elements: unknown[] = [];
  const waiting: unknown[] = [value]; // A recursive function would overflow the stack if a client nests arrays deeply.
  for (let at = 0; at < waiting.length; at++) {
    const item = waiting[at];
    if (Array.isArray(item)) { for (const inner of item) waiting.push(inner); }
    else elements.push(item);
  }
  return elements;
}
