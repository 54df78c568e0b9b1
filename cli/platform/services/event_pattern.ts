import { BlockList, isIPv4, isIPv6 } from "node:net";
import { ANY, matchesWildcard } from "../../application/wildcard.ts";
import { alternativesOf } from "../../manifest/event_pattern.ts";
import { isObject } from "../../manifest/json_object.ts";

export type EventPattern = { readonly [key: string]: unknown };

/** A field that must meet a condition. The path is the part of its dotted name that has not been followed yet. */
interface Field {
  readonly path: string;
  readonly meets: (value: unknown) => boolean;
  /** Whether the field may be absent. */
  readonly mayBeAbsent: boolean;
}

/**
 * Makes the test for a pattern of Amazon EventBridge, which `wrongParts()` accepts. The rules are those of the engine: an
 * event is a list of fields with dotted names, and the fields of one array must be in the same element.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 * @see https://github.com/aws/event-ruler
 */
export function compilePattern(pattern: EventPattern): (event: unknown) => boolean {
  const alternatives = alternativesOf(pattern).map((conditions) =>
    [...conditions].sort(([a], [b]) => a < b ? -1 : 1).map(([path, matchers]): Field => {
      const tests = matchers.map(testOf);
      return {
        path,
        meets: (value) => tests.some((test) => test(value)),
        mayBeAbsent: matchers.some((matcher) => isObject(matcher) && matcher.exists === false),
      };
    })
  );
  return (event) => isObject(event) && alternatives.some((fields) => meetsAll(event, fields));
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

type Test = (value: unknown) => boolean;

/** Makes the test for one value or operator of a pattern. */
function testOf(matcher: unknown): Test {
  if (typeof matcher === "string" && isAddress(matcher)) {
    // An address matches each way to write the same address.
    return networkTest(`${matcher}/${isIPv4(matcher) ? 32 : 128}`);
  }
  if (!isObject(matcher)) return (value) => value === matcher;
  const [[name, operand]] = Object.entries(matcher) as [[string, unknown]];
  switch (name) {
    case "exists":
      return () => operand === true;
    case "numeric":
      return (value) => typeof value === "number" && isInRange(operand as [string, number], value);
    case "cidr":
      return networkTest(operand as string);
    case "anything-but": {
      const excluded = isObject(operand)
        ? Object.entries(operand).flatMap(([inner, texts]) =>
          [texts].flat().map((text) => textTest(inner, text))
        )
        : [operand].flat().map((item): Test => (value) => value === item);
      return (value) => !excluded.some((test) => test(value));
    }
    default:
      return textTest(name, operand);
  }
}

function textTest(name: string, operand: unknown): Test {
  if (isObject(operand)) {
    const test = textTest(name, String(operand["equals-ignore-case"]).toLowerCase());
    return (value) => typeof value === "string" && test(value.toLowerCase());
  }
  const test = TEXT_TESTS[name]!(operand as string);
  return (value) => typeof value === "string" && test(value);
}

const TEXT_TESTS: Readonly<Record<string, (operand: string) => (value: string) => boolean>> = {
  exactly: (operand) => (value) => value === operand,
  prefix: (operand) => (value) => value.startsWith(operand),
  suffix: (operand) => (value) => value.endsWith(operand),
  "equals-ignore-case": (operand) => (value) => value.toLowerCase() === operand.toLowerCase(),
  // `*` stands for any characters, `\*` for an asterisk, `\\` for a backslash.
  wildcard: (operand) => {
    const parts = (operand.match(/\\[*\\]|[^]/g) ?? [])
      .map((part) => part === "*" ? ANY : part.at(-1)!);
    return (value) => matchesWildcard(parts, value);
  },
};

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** Tells whether one or two comparisons such as `[">", 0, "<=", 5]` are true for a number. */
function isInRange(
  [first, bottom, second, top]: readonly [string, number, string?, number?],
  value: number,
): boolean {
  return COMPARISONS[first]!(value, bottom) &&
    (second === undefined || COMPARISONS[second]!(value, top!));
}

const familyOf = (address: string) => address.includes(":") ? "ipv6" : "ipv4";

/** Tells whether the engine takes a text for an address. It does not know IPv6 addresses with dots or zones. */
const isAddress = (text: string) => isIPv4(text) || isIPv6(text) && /^[\da-f:]*$/i.test(text);

function networkTest(network: string): Test {
  const [base, bits] = network.split("/") as [string, string];
  const list = new BlockList();
  list.addSubnet(base, Number(bits), familyOf(base));
  return (value) =>
    typeof value === "string" && isAddress(value) && list.check(value, familyOf(value));
}

type Fields = Readonly<Record<string, unknown>>;
