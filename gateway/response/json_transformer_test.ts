import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { jsonTransformer } from "./json_transformer.ts";

Deno.test("jsonTransformer() writes any JSON, indented by two", () => {
  fc.assert(fc.property(fc.jsonValue(), (payload) => {
    const [content, type] = jsonTransformer(payload);
    assertEquals(content, JSON.stringify(payload, null, 2));
    assertEquals(type, "application/json; charset=utf-8");
  }));
});

Deno.test("jsonTransformer() writes what has a toJSON(), and leaves out what JSON leaves out", () => {
  const payload = { at: new Date(0), no: undefined, none: () => {}, toJSON: undefined };
  assertEquals(JSON.parse(jsonTransformer(payload)[0]), { at: "1970-01-01T00:00:00.000Z" });
  assertEquals(jsonTransformer({ toJSON: () => [1] })[0], "[\n  1\n]");
});

const cycle: Record<string, unknown> = { list: [1, { again: null }] };
(cycle["list"] as { again: unknown }[])[1]!.again = cycle;
const self: unknown[] = [];
self.push(self);
const shared = { a: 1 };
const throwing = {
  get broken() {
    throw new Error("mine");
  },
};

for (
  const [what, payload, problem] of [
    ["undefined", undefined, '"payload" is undefined'],
    ["a function", () => {}, '"payload" is a function'],
    ["a symbol", Symbol("x"), '"payload" is a symbol'],
    ["a bigint", 1n, '"payload" is a bigint'],
    ["a bigint object", Object(1n), '"payload" is a bigint'],
    ["a bigint within", { a: { b: [0, null, {}, 3n] } }, '"payload.a.b[3]" is a bigint'],
    [
      "a bigint after other things",
      [() => {}, undefined, { x: "y" }, { c: 1n }],
      '"payload[3].c" is a bigint',
    ],
    [
      "a bigint below an odd key",
      { "a-b": { "": 1n } },
      '"payload[\\"a-b\\"][\\"\\"]" is a bigint',
    ],
    ["a bigint below a key beyond ASCII", { größe: 1n }, '"payload[\\"größe\\"]" is a bigint'],
    [
      "a bigint below __proto__",
      JSON.parse('{"__proto__": {"x": 1}}', (key, value) => key === "x" ? 1n : value),
      '"payload.__proto__.x" is a bigint',
    ],
    ["a bigint from toJSON()", { a: { toJSON: () => ({ b: 1n }) } }, '"payload.a.b" is a bigint'],
    ["a cycle", cycle, '"payload.list[1].again" closes a cycle'],
    ["a cycle of one", self, '"payload[0]" closes a cycle'],
    [
      "a cycle after what is shared",
      { a: shared, b: shared, c: self },
      '"payload.c[0]" closes a cycle',
    ],
    ["a getter that throws", { a: throwing }, '"payload.a.broken" cannot be read'],
    ["a toJSON() that throws", {
      a: {
        toJSON: () => {
          throw new Error("mine");
        },
      },
    }, '"payload.a" cannot be read'],
    [
      "a toJSON() without result",
      { toJSON: () => undefined },
      '"payload" has a toJSON() that returns nothing JSON can carry',
    ],
  ] as const
) {
  Deno.test(`jsonTransformer() refuses ${what}, by its path`, () => {
    const error = assertThrows(() => jsonTransformer(payload), TypeError);
    assertEquals(
      error.message,
      `Cannot write the payload as JSON: ${problem}`,
    );
  });
}

Deno.test("jsonTransformer() keeps what was thrown as the cause", () => {
  const error = assertThrows(() => jsonTransformer([throwing]), TypeError);
  assertEquals((error.cause as Error).message, "mine");
});

Deno.test("jsonTransformer() refuses what is nested too deeply", () => {
  let deep: unknown[] = [];
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  const error = assertThrows(() => jsonTransformer(deep), TypeError);
  assertEquals(error.message.startsWith("Cannot write the payload as JSON: "), true);
  assertEquals(error.cause instanceof RangeError, true);
});

Deno.test("jsonTransformer() says what was thrown where it finds no culprit", () => {
  let calls = 0;
  const unsteady = (thrown: unknown) => ({
    toJSON() {
      if (calls++ % 2 === 0) throw thrown;
      return null;
    },
  });
  assertThrows(() => jsonTransformer(unsteady(new Error("once"))), TypeError, "as JSON: once");
  assertThrows(() => jsonTransformer(unsteady("twice")), TypeError, "as JSON: twice");
});
