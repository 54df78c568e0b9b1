import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { runInNewContext } from "node:vm";
import { logger } from "./mod.ts";
import { renderJson } from "./render.ts";
import { recordsOf } from "./testdata/records.ts";

const MAX_RECORD = 256 * 1024;

const cycle: Record<string, unknown> = { name: "a" };
cycle.self = cycle;
const shared = { x: 1 };
const form = new FormData();
form.append("a", "1");
const boom = () => {
  throw new Error("no");
};
class Point {
  x = 1;
}
const tagged = { [Symbol.toStringTag]: "Odd", __proto__: { constructor: 1 } };
const itself: object = { toJSON: () => itself };
const unnameable = Object.defineProperty(() => {}, "name", { get: boom });

Deno.test("renderJson() renders values of every kind", () => {
  const cases: [string, unknown, unknown][] = [
    ["text", 'a "b"\n\u2028', 'a "b"\n\u2028'],
    ["a number", -0.5, -0.5],
    ["NaN", NaN, "NaN"],
    ["an infinite number", [-Infinity], ["-Infinity"]],
    ["a boolean", true, true],
    ["null", null, null],
    ["undefined", { a: undefined }, { a: "undefined" }],
    ["a hole", Array(2), ["undefined", "undefined"]],
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a function", boom, "[Function: boom]"],
    ["an unnamed function", (() => () => {})(), "[Function: anonymous]"],
    ["a function whose name throws", unnameable, "[Function: [Unreadable: Error: no]]"],
    ["a cycle", cycle, { name: "a", self: "[Circular]" }],
    ["the same object twice", [shared, shared], [shared, shared]],
    ["a map with text keys", new Map([["a", new Set([1])]]), { a: [1] }],
    ["a map with other keys", new Map([[1, "b"]]), [[1, "b"]]],
    ["an empty map", new Map(), {}],
    ["a map of another realm", runInNewContext("new Map([['a', 1]])"), { a: 1 }],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(NaN), "Invalid Date"],
    ["a URL", new URL("https://example.org/a"), "https://example.org/a"],
    ["parameters", new URLSearchParams("a=1&b=2"), [["a", "1"], ["b", "2"]]],
    ["header fields", new Headers({ a: "1" }), [["a", "1"]]],
    ["a form", form, [["a", "1"]]],
    ["a regular expression", /a+/g, "/a+/g"],
    ["bytes", new Uint8Array([1, 255]), "[Uint8Array, 2 bytes: 01ff]"],
    ["no bytes", new Uint8Array(), "[Uint8Array, 0 bytes: ]"],
    ["100 bytes", new Uint8Array(100).fill(171), `[Uint8Array, 100 bytes: ${"ab".repeat(100)}]`],
    ["101 bytes", Buffer.alloc(101), `[Buffer, 101 bytes: ${"00".repeat(100)}…]`],
    ["a typed array", new Uint16Array([1, 2]), "[Uint16Array, 4 bytes: 01000200]"],
    ["a buffer", new Uint8Array([1, 2]).buffer, "[ArrayBuffer, 2 bytes: 0102]"],
    ["a shared buffer", new SharedArrayBuffer(1), "[SharedArrayBuffer, 1 bytes: 00]"],
    ["bytes of another realm", runInNewContext("new Uint8Array(1)"), "[Uint8Array, 1 bytes: 00]"],
    ["a view", new DataView(new Uint8Array([1, 2, 3]).buffer, 1), "[DataView, 2 bytes: 0203]"],
    ["a promise", Promise.resolve(), "[Promise]"],
    ["a weak map", new WeakMap(), "[WeakMap]"],
    ["an instance of a class", new Point(), { x: 1 }],
    ["an instance of an unnamed class", new (class {})(), {}],
    ["an object with a message", { message: "a" }, { message: "a" }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["an object with nothing but a tag", tagged, "[anonymous]"],
    ["an object with a tag", { [Symbol.toStringTag]: "Odd", a: 1 }, { a: 1 }],
    ["an object with a map's tag", { [Symbol.toStringTag]: "Map", a: 1 }, { a: 1 }],
    [
      "an instance with a map's tag",
      Object.create({ [Symbol.toStringTag]: "Map" }),
      /^\[Unreadable: TypeError/,
    ],
    ["an object with toJSON()", { toJSON: () => ({ a: 1n }) }, { a: "1" }],
    ["an object whose toJSON() returns the object", itself, { toJSON: "[Function: toJSON]" }],
    ["an object whose toJSON() throws", { toJSON: boom }, { toJSON: "[Function: boom]" }],
    ["a getter that throws a value without text", {
      get a() {
        throw Object.create(null);
      },
    }, { a: "[Unreadable: [Unreadable]]" }],
    [
      "a getter that throws",
      Object.defineProperty({ b: 2 }, "a", { get: boom, enumerable: true }),
      { b: 2, a: "[Unreadable: Error: no]" },
    ],
    ["a proxy without keys", new Proxy({}, { ownKeys: boom }), "[Unreadable: Error: no]"],
    ["a proxy without values", new Proxy({ a: 1 }, { get: boom }), {
      a: "[Unreadable: Error: no]",
    }],
  ];
  for (const [title, value, expected] of cases) {
    const rendered: unknown = JSON.parse(renderJson(value));
    if (expected instanceof RegExp) assertMatch(String(rendered), expected, title);
    else assertEquals(rendered, expected, title);
  }
});

Deno.test("renderJson() stops at 100 levels, and survives 100,000", () => {
  let deep: unknown = new Map();
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const text = renderJson(deep);
  assertEquals(text.split('"deep":').length, 101);
  assertStringIncludes(text, '"[cut: more]"');
});

Deno.test("renderJson() cuts values at 256 KiB, and says how much it cut", () => {
  let entangled: unknown = {};
  for (let level = 0; level < 90; level++) entangled = [entangled, entangled];
  const endless = { toJSON: () => ({ next: { ...endless } }) };
  const cases: [string, unknown, RegExp][] = [
    ["a text", "x".repeat(1e6), /^"x+… \[cut: 8\d{5} more\]"$/],
    ["a text of control characters", "\0".repeat(1e6), /u0000… \[cut: 9\d{5} more\]"$/],
    ["a text of quotes", '"'.repeat(1e6), /"… \[cut: 9\d{5} more\]"$/],
    ["a text of surrogate pairs", "😀".repeat(1e6), /😀… \[cut: 1\d{6} more\]"$/],
    ["a text of lone surrogates", "\ud800".repeat(1e6), /ud800… \[cut: 9\d{5} more\]"$/],
    ["a text of three-byte characters", "…".repeat(1e6), /… \[cut: 9\d{5} more\]"$/],
    ["a list", Array(1e6).fill("x\n"), /,"\[cut: 9\d{5} more\]"\]$/],
    ["a sparse list", Array(2 ** 32 - 1), /,"\[cut: 42949\d{5} more\]"\]$/],
    ["a set", new Set(Array(1e5).keys()), /,"\[cut: \d{5} more\]"\]$/],
    ["an object", Object.fromEntries(Array(1e5).entries()), /"…":"\[cut: \d{5} more\]"}$/],
    ["a map", new Map(Array(1e5).entries()), /,\["…","\[cut: \d{5} more\]"\]\]$/],
    ["a key", { ["x".repeat(1e6)]: 1 }, /… \[cut: 8\d{5} more\]":1}$/],
    ["an entangled graph", entangled, /\[cut: \d+ more\]/],
    ["an endless toJSON()", endless, /\[cut: more\]/],
    ["a message", Object.assign(new Error("x".repeat(1e6))), /more\]/],
  ];
  for (const [title, value, expected] of cases) {
    const json = renderJson({ before: true, value });
    JSON.parse(json);
    const text = json.slice('{"before":true,"value":'.length, -1);
    assert(expected.test(text), `${title}: ${text.slice(0, 100)} … ${text.slice(-100)}`);
    const { length } = new TextEncoder().encode(json);
    assert(length <= MAX_RECORD, `${title}: ${length} bytes`);
  }
});

Deno.test("the values of a record take 240 KiB, so that 16 KiB of the platform's 256 KiB are left", () => {
  // Each item takes one byte and is counted as four, with its quotes and its comma: the count never falls short.
  const { length: text } = renderJson(Array(1e6).fill("a"));
  assert(text > 240 * 1024 - 100 && text <= 240 * 1024 + 100, `${text} bytes`);
  // Each level adds a sentence that is not counted.
  let deep: unknown[] = [];
  for (let level = 0; level < 99; level++) deep = [deep, ...Array(9)];
  const values = [deep, ...Array(1e6).fill("a")];
  const [line] = recordsOf("json", () => {
    logger.child({ field: "f".repeat(1e6) }).error("m".repeat(1e6), values, new Error("e"));
  });
  assert(new TextEncoder().encode(line).length <= MAX_RECORD, `${line!.length} characters`);
});

Deno.test("renderJson() renders a JSON value as JSON.stringify() does", () => {
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
