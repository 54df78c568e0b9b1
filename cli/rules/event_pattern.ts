import { readMatcher, RESERVED } from "./event_operators.ts";
import { isObject } from "./json_object.ts";
import { isComplex } from "./wildcard.ts";

/** A wrong part of a pattern. */
export interface PatternProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = PatternProblem["path"];
type Fields = Readonly<Record<string, unknown>>;

/** A pattern that was read. If it has problems, no event matches it. */
export interface ReadPattern {
  readonly problems: readonly PatternProblem[];
  readonly matches: (event: unknown) => boolean;
}

/** The conditions on one event, by the dotted names of fields. */
type Conditions = ReadonlyMap<string, Field>;

/** The most alternatives of a pattern, if each `$or` is multiplied with the others. */
const MAX_ALTERNATIVES = 1_000;

/** The least complexity of wildcards that Amazon EventBridge refuses. */
const MAX_COMPLEXITY = 10;

/**
 * Reads an event pattern or a filter policy, by the rules of the engine of Amazon EventBridge: finds the wrong parts, and makes
 * the test for events. An event is a list of fields with dotted names, and the fields of one array must be in the same element.
 *
 * @param path The keys that lead to the pattern, for the problems.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 * @see https://github.com/aws/event-ruler
 */
export function readPattern(pattern: unknown, path: Path = []): ReadPattern {
  const problems: PatternProblem[] = [];
  let hasTooMany = false;

  /**
   * Adds the conditions of an object to each alternative. Nested keys and keys with dots are the same:
   * `{ "a": { "b": [1] } }` and `{ "a.b": [1] }`.
   */
  function extend(
    all: readonly Conditions[],
    fields: unknown,
    name: string,
    at: Path,
    isAlternative: boolean,
  ): readonly Conditions[] {
    if (!isObject(fields)) return refuse(at, "must be an array of values, or an object");
    if (Object.keys(fields).length === 0) refuse(at, "must have at least one key");
    let alternatives = all;
    for (const [key, value] of Object.entries(fields)) {
      const here = [...at, key];
      if (key === "$or") alternatives = choose(alternatives, value, name, here);
      else if (isAlternative && RESERVED.has(key)) {
        refuse(here, 'must have another name: "$or" reserves it for operators');
      } else if (Array.isArray(value)) {
        const field = readField(name + key, value, here);
        alternatives = alternatives.map((one) => new Map([...one, [field.path, field]]));
      } else alternatives = extend(alternatives, value, `${name}${key}.`, here, isAlternative);
    }
    return alternatives;
  }

  function choose(all: readonly Conditions[], value: unknown, name: string, at: Path) {
    if (!Array.isArray(value) || value.length < 2 || !value.every(isObject)) {
      return refuse(at, "must be an array of at least two objects");
    }
    const chosen: Conditions[] = [];
    for (const [index, fields] of value.entries()) {
      chosen.push(...extend(all, fields, name, [...at, index], true));
      if (chosen.length <= MAX_ALTERNATIVES) continue;
      hasTooMany = true;
      chosen.length = 1; // The rest is only checked.
    }
    return chosen;
  }

  function readField(name: string, matchers: readonly unknown[], at: Path): Field {
    if (matchers.length === 0) refuse(at, "must be an array of values, or an object");
    const known = problems.length;
    const tests = matchers.flatMap((matcher, index) => {
      const read = readMatcher(matcher);
      if ("test" in read) return [read.test];
      refuse([...at, index, ...read.operator === undefined ? [] : [read.operator]], read.problem);
      return [];
    });
    const isSound = problems.length === known;
    if (isSound && isComplex(matchers.flatMap(wildcardsOf), MAX_COMPLEXITY)) {
      refuse(at, "must have fewer wildcards, or fewer repeated characters after a wildcard");
    }
    return {
      path: name,
      meets: (value) => tests.some((test) => test(value)),
      mayBeAbsent: matchers.some((matcher) => isObject(matcher) && matcher.exists === false),
    };
  }

  function refuse(at: Path, message: string): readonly Conditions[] {
    problems.push({ path: at, message });
    return [new Map()];
  }

  const alternatives = extend([new Map()], pattern, "", path, false)
    .map((conditions) => [...conditions.values()].sort((a, b) => a.path < b.path ? -1 : 1));
  if (hasTooMany && problems.length === 0) {
    refuse(path, `must have at most ${MAX_ALTERNATIVES} combinations of "$or"`);
  }
  return {
    problems,
    matches: (event) =>
      problems.length === 0 && isObject(event) &&
      alternatives.some((fields) => meetsAll(event, fields)),
  };
}

/** Lists the wildcards of one operator. */
function wildcardsOf(matcher: unknown): string[] {
  if (!isObject(matcher)) return [];
  const { wildcard = [], "anything-but": excluded } = matcher as Fields;
  return isObject(excluded) ? wildcardsOf(excluded) : [wildcard].flat() as string[];
}

/** A field that must meet a condition. The path is the part of its dotted name that has not been followed yet. */
interface Field {
  readonly path: string;
  readonly meets: (value: unknown) => boolean;
  /** Whether the field may be absent. */
  readonly mayBeAbsent: boolean;
}

/** Tells whether an object meets all conditions. */
function meetsAll(object: Fields, fields: readonly Field[]): boolean {
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
