import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { renderJson } from "./render.ts";

const cycle: Record<string, unknown> = { name: "a" };
cycle.self = cycle;
const shared = { x: 1 };
const boom = () => {
  throw new Error("no");
};
const unnameable = Object.defineProperty(() => {}, "name", { get: boom });
const revoked = Proxy.revocable(boom, {});
revoked.revoke();

for (
  const [title, value, expected] of [
    ["text", 'a "b"\n\u2028', 'a "b"\n\u2028'],
    ["a number", -0.5, -0.5],
    ["a number that is none", NaN, "NaN"],
    ["an infinite number", [-Infinity], ["-Infinity"]],
    ["a boolean", true, true],
    ["null", null, null],
    ["undefined", { a: undefined }, { a: "undefined" }],
    ["a hole", Array(2), ["undefined", "undefined"]],
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a function", boom, "[Function: boom]"],
    ["an unnamed function", (() => () => {})(), "[Function: anonymous]"],
    ["a function whose name throws", { a: 1, b: unnameable }, { a: 1, b: "[Function: anonymous]" }],
    ["a function that was revoked", [revoked.proxy], ["[Function: anonymous]"]],
    ["a cycle", cycle, { name: "a", self: "[Circular]" }],
    ["an object met twice, but not within itself", [shared, shared], [shared, shared]],
    ["a map with text keys", new Map([["a", new Set([1])]]), { a: [1] }],
    ["a map with other keys", new Map([[1, "b"]]), [[1, "b"]]],
    ["an empty map", new Map(), {}],
    ["a map of another realm", runInNewContext("new Map([['a', 1]])"), { a: 1 }],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(NaN), "Invalid Date"],
    ["a URL", new URL("https://example.org/a"), "https://example.org/a"],
    ["parameters", new URLSearchParams("a=1&b=2"), "a=1&b=2"],
    ["header fields", new Headers({ a: "1" }), [["a", "1"]]],
    ["a regular expression", /a+/g, "/a+/g"],
    ["bytes", new Uint8Array([1, 255]), [1, 255]],
    ["big integers in a row", new BigInt64Array([5n]), ["5"]],
    ["a buffer", new Uint8Array([1, 2]).buffer, [1, 2]],
    ["a view", new DataView(new Uint8Array([1, 2, 3]).buffer, 1), [2, 3]],
    ["boxed values", [Object("a"), Object(1), Object(true), Object(1n)], ["a", 1, true, "1"]],
    ["a boxed symbol", Object(Symbol("s")), "Symbol(s)"],
    ["a promise", Promise.resolve(), "[Promise]"],
    ["a weak map", new WeakMap(), "[WeakMap]"],
    [
      "an instance of a class",
      new (class Point {
        x = 1;
      })(),
      { x: 1 },
    ],
    [
      "an instance of a class with a name of its own making",
      new (class {
        static name = "";
        #hidden = 1;
      })(),
      {},
    ],
    ["an object that shows nothing, of no class", {
      [Symbol.toStringTag]: "Odd",
      __proto__: { constructor: 1 },
    }, "[anonymous]"],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["an object with a tag", { [Symbol.toStringTag]: "Odd", a: 1 }, { a: 1 }],
    ["an object with a map's tag", { [Symbol.toStringTag]: "Map" }, /^\[Unreadable: TypeError/],
    ["what converts itself", { toJSON: () => ({ a: 1n }) }, { a: "1" }],
    ["what converts to itself", {
      a: 1,
      toJSON() {
        return this;
      },
    }, { a: 1, toJSON: "[Function: toJSON]" }],
    ["what fails to convert itself", { a: 1, toJSON: boom }, { a: 1, toJSON: "[Function: boom]" }],
    ["a getter that throws", {
      get a() {
        throw new Error("no");
      },
      b: 2,
    }, { a: "[Unreadable: Error: no]", b: 2 }],
    ["a getter that throws what has no text", {
      get a() {
        throw Object.create(null);
      },
    }, { a: "[Unreadable: [Unreadable]]" }],
    ["a proxy that throws", new Proxy({}, { ownKeys: boom }), "[Unreadable: Error: no]"],
    [
      "a proxy that throws for everything",
      new Proxy({}, { get: boom, getPrototypeOf: boom }),
      "[Unreadable: Error: no]",
    ],
  ] as [string, unknown, unknown][]
) {
  Deno.test(`renderJson() renders ${title}`, () => {
    const rendered: unknown = JSON.parse(renderJson(value));
    if (expected instanceof RegExp) return assert(expected.test(String(rendered)), `${rendered}`);
    assertEquals(rendered, expected);
  });
}

Deno.test("renderJson() renders an error with its causes and further properties", () => {
  const inner = Object.assign(new RangeError("inner"), { stack: "RangeError: inner\n    at here" });
  const outer = new AggregateError([new Error("one")], "outer", { cause: inner });
  inner.cause = outer;
  const rendered = JSON.parse(renderJson({ at: Object.assign(outer, { code: "E1" }) }));
  assertEquals(rendered.at.errorType, "AggregateError");
  assertEquals(rendered.at.errorMessage, "outer");
  assertEquals(rendered.at.stackTrace[0], "AggregateError: outer");
  assertEquals(rendered.at.data.code, "E1");
  assertEquals(rendered.at.data.errors[0].errorMessage, "one");
  assertEquals(rendered.at.cause, {
    errorType: "RangeError",
    errorMessage: "inner",
    stackTrace: ["RangeError: inner", "    at here"],
    cause: "[Circular]",
  });
});

Deno.test("renderJson() stops at 100 levels, and survives 100,000", () => {
  let deep: unknown = new Map();
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const text = renderJson(deep);
  assertEquals(text.split('"deep":').length, 101);
  assertStringIncludes(text, '"[Object]"');
});

Deno.test("renderJson() stops at 10,000 objects, however entangled", () => {
  let entangled: unknown = {};
  for (let level = 0; level < 90; level++) entangled = [entangled, entangled];
  assert(renderJson(entangled).length < 1_000_000);
  const many = JSON.parse(renderJson(Array.from({ length: 10_001 }, () => ({}))));
  assertEquals(many[9_998], {});
  assertEquals(many[9_999], "[Object]");
});

Deno.test("renderJson() is JSON.stringify() for what JSON can carry", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assertEquals(JSON.parse(renderJson(value)), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("renderJson() renders anything on one line, and never throws", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(fc.property(anything, (value) => {
    const text = renderJson(value);
    JSON.parse(text);
    assert(!text.includes("\n"));
  }));
});
