import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { readMatcher } from "./event_operators.ts";
import { readPattern } from "./event_pattern.ts";

const EVENT = {
  source: "shop.orders",
  resources: ["arn:a", "arn:b"],
  empty: [],
  detail: {
    price: 5,
    note: null,
    paid: true,
    to: { ip: "10.1.2.3", v6: "2001:db8::7" },
    file: "in/a.PNG",
    "a.b": "dotted",
    lines: [{ kind: "book", count: 1 }, { kind: "pen", count: 9, gift: "yes" }],
    deep: [[{ n: 1 }], [{ n: 2 }]],
  },
};

// The expectations are the rules of aws/event-ruler, and those of its operators in the guide of Amazon EventBridge.
Deno.test("readPattern() follows the operators of Amazon EventBridge", () => {
  const detail = (name: string, ...matchers: unknown[]) => ({ detail: { [name]: matchers } });
  const table: [pattern: Record<string, unknown>, expected: boolean][] = [
    [{ source: ["other", "shop.orders"] }, true],
    [{ source: ["other"] }, false],
    [{ source: ["shop.orders"], detail: { price: [6] } }, false],
    [{ resources: ["arn:b"] }, true],
    [detail("note", null), true],
    [detail("note", "null"), false],
    [detail("paid", true), true],
    [detail("paid", "true"), false],
    [detail("price", "5"), false],
    [detail("price", 5.0), true],
    [{ source: [{ prefix: "shop." }] }, true],
    [{ source: [{ prefix: "" }] }, true],
    [detail("price", { prefix: "" }), false],
    [{ source: [{ prefix: { "equals-ignore-case": "SHOP" } }] }, true],
    [detail("file", { suffix: ".png" }), false],
    [detail("file", { suffix: { "equals-ignore-case": ".png" } }), true],
    [{ source: [{ "equals-ignore-case": "Shop.Orders" }] }, true],
    [{ source: [{ exactly: "shop.orders" }] }, true],
    [detail("file", { wildcard: "in/*.PNG" }), true],
    [detail("file", { wildcard: "*a*" }), true],
    [detail("file", { wildcard: "in/a.PNG*G" }), false],
    [detail("file", { wildcard: "in/\\*.PNG" }), false],
    [{ source: [{ "anything-but": ["a", "b"] }] }, true],
    [{ source: [{ "anything-but": "shop.orders" }] }, false],
    [{ source: [{ "anything-but": { prefix: ["x", "shop"] } }] }, false],
    [detail("file", { "anything-but": { wildcard: ["*/b*", "*.jpg"] } }), true],
    [detail("file", { "anything-but": { "equals-ignore-case": "IN/A.PNG" } }), false],
    [detail("price", { "anything-but": [5] }), false],
    [detail("price", { "anything-but": ["5"] }), true],
    [detail("price", { "anything-but": { prefix: "5" } }), true],
    [detail("note", { "anything-but": [5] }), true],
    [detail("other", { "anything-but": [5] }), false],
    [detail("to", { "anything-but": [5] }), false],
    [detail("price", { numeric: [">", 0, "<=", 5] }), true],
    [detail("price", { numeric: ["<", 5] }), false],
    [detail("price", { numeric: [">=", 5] }), true],
    [{ source: [{ numeric: ["=", 5] }] }, false],
    [{ detail: { to: { ip: [{ cidr: "10.1.0.0/16" }] } } }, true],
    [{ detail: { to: { ip: [{ cidr: "10.2.0.0/16" }] } } }, false],
    [{ detail: { to: { v6: [{ cidr: "2001:db8::/32" }] } } }, true],
    [{ detail: { to: { v6: [{ cidr: "10.0.0.0/8" }] } } }, false],
    [{ detail: { to: { v6: ["2001:0db8:0:0:0:0:0:7"] } } }, true],
    [{ source: [{ cidr: "10.0.0.0/8" }] }, false],
    [{ $or: [{ source: ["other"] }, { detail: { price: [5] } }] }, true],
    [{ $or: [{ source: ["other"] }, { detail: { price: [6] } }] }, false],
    [{ $or: [{ source: ["other"] }, { resources: ["arn:a"] }], detail: { price: [6] } }, false],
    [detail("note", { exists: true }), true],
    [detail("price", { exists: false }), false],
    [detail("other", { exists: false }), true],
    [detail("to", { exists: true }), false],
    [detail("to", { exists: false }), true],
    [{ empty: [{ exists: false }] }, true],
    [{ detail: { other: { deeper: [{ exists: false }] } } }, true],
    [{ detail: { other: { deeper: ["x", { exists: false }] } } }, true],
    [{ "detail.price": [5] }, true],
    [{ detail: { a: { b: ["dotted"] } } }, true],
    [{ "detail.a": { b: ["dotted"] } }, true],
    [{ detail: { lines: { kind: ["book"], count: [1] } } }, true],
    [{ detail: { lines: { kind: ["book"], count: [9] } } }, false],
    [{ detail: { lines: { count: [1], gift: [{ exists: false }] } } }, true],
    [{ detail: { lines: { count: [9], gift: [{ exists: false }] } } }, false],
    [{ detail: { lines: { gift: [{ exists: false }], kind: ["book"] } } }, false],
    [{ detail: { deep: { n: [2] } } }, true],
  ];
  for (const [pattern, expected] of table) {
    const { problems, matches } = readPattern(pattern);
    assertEquals(problems, [], JSON.stringify(pattern));
    assertEquals(matches(EVENT), expected, JSON.stringify(pattern));
  }
});

interface Leaf {
  readonly name: string;
  readonly value: unknown;
  /** The element of each array in which the leaf is. */
  readonly places: ReadonlyMap<unknown, number>;
}

/** The definition of the engine: an event is a list of leaves. */
function* leavesOf(
  value: unknown,
  name = "",
  places = new Map<unknown, number>(),
): Generator<Leaf> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const isLeaf = typeof item !== "object" || item === null;
      yield* leavesOf(item, name, isLeaf ? places : new Map(places).set(value, index));
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      yield* leavesOf(inner, name === "" ? key : `${name}.${key}`, places);
    }
  } else yield { name, value, places };
}

/** The definition of a match: there is one leaf for each condition, in the order of the names, and no two contradict. */
function matchesSlowly(
  conditions: [string, unknown[]][],
  leaves: Leaf[],
  places: Leaf["places"],
): boolean {
  const [[name, matchers] = [], ...others] = conditions;
  if (name === undefined) return true;
  const possible = leaves.filter((leaf) =>
    leaf.name === name &&
    [...leaf.places].every(([array, index]) => (places.get(array) ?? index) === index)
  );
  return matchers!.some((matcher) =>
    typeof matcher === "object"
      ? possible.length === 0 && matchesSlowly(others, leaves, places)
      : possible.some((leaf) =>
        leaf.value === matcher &&
        matchesSlowly(others, leaves, new Map([...places, ...leaf.places]))
      )
  );
}

Deno.test("readPattern() agrees with the definition of events as lists of leaves", () => {
  const { event } = fc.letrec((tie) => ({
    event: fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2 }),
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(1, 2),
      tie("event"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  const name = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 })
    .map((keys) => keys.join("."));
  const matchers = fc.uniqueArray(fc.constantFrom(1, 2, "absent"), { minLength: 1 })
    .map((all) => all.map((one) => one === "absent" ? { exists: false } : one));
  const pattern = fc.dictionary(name, matchers, { minKeys: 1, maxKeys: 3 });
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(pattern, event, (conditions, value) => {
      // Conditions on "a" and on "a.b" are together only for arrays that mix values and objects.
      const names = Object.keys(conditions);
      fc.pre(!names.some((name) => names.some((other) => other.startsWith(`${name}.`))));
      const sorted = Object.entries(conditions).sort(([a], [b]) => a < b ? -1 : 1);
      const expected = matchesSlowly(sorted, [...leavesOf(value)], new Map());
      counts[`${expected}`]++;
      assertEquals(readPattern(conditions).matches(value), expected);
    }),
    { numRuns: 5_000 },
  );
  assertEquals(Math.min(counts.true, counts.false) > 500, true, JSON.stringify(counts));
});

Deno.test("readPattern() ends with many wildcards, deep arrays and many elements", () => {
  const wildcard = readMatcher({ wildcard: `${"*a".repeat(200)}b` });
  assertEquals("test" in wildcard && wildcard.test("a".repeat(10_000)), false);
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  assertEquals(readPattern({ a: [1] }).matches({ a: deep }), true);
  const lines = Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: 1, c: 1 }));
  const both = { lines: { a: [{ numeric: [">=", 0] }], b: [1], c: [2] } };
  assertEquals(readPattern(both).matches({ lines }), false);
});

// An event is a list of fields with dotted names, as in aws/event-ruler, so a key with a dot and a nested key are one field.
Deno.test("readPattern() finds a field that must be absent under a key with a dot and under nested keys", () => {
  const absent = { a: { b: [{ exists: false }] } };
  const orOne = { a: { b: [{ exists: false }, 1] } };
  const table: [pattern: object, event: object, expected: boolean][] = [
    [absent, { "a.b": 2, a: {} }, false],
    [absent, { "a.b": [], a: { b: 2 } }, false],
    [absent, { "a.b": [], a: {} }, true],
    [absent, { "a.b": 2 }, false],
    [absent, { a: { c: 2 } }, true],
    [orOne, { "a.b": 2, a: {} }, false],
    [orOne, { "a.b": 2, a: { b: 1 } }, true],
    [orOne, { "a.b": 1, a: {} }, true],
    [orOne, { "a.b": [], a: {} }, true],
  ];
  for (const [pattern, event, expected] of table) {
    const shown = `${JSON.stringify(pattern)} ${JSON.stringify(event)}`;
    assertEquals(readPattern(pattern).matches(event), expected, shown);
  }
});
