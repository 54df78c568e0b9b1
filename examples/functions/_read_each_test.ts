import { assert, assertEquals } from "@std/assert";
import { readEach } from "./_read_each.ts";

Deno.test("readEach() shows the error of an accessor in its place", () => {
  const outcomes = readEach({
    "a()": () => 1,
    "b()": () => {
      throw new RangeError("out of range");
    },
    "c()": () => ({ result: null }),
  });
  assertEquals(outcomes, {
    "a()": { result: 1 },
    "b()": { error: "RangeError: out of range" },
    "c()": { result: { result: null } },
  });
});

Deno.test("readEach() refuses what would be huge as indented JSON, however deeply it nests", () => {
  const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const outcomes = readEach({
    deep: () => nested(2_000),
    "very deep": () => nested(200_000),
    wide: () => new Array(500_000).fill({}),
    long: () => "x".repeat(1_000_001),
    fine: () => nested(200),
    "fine, too": () => "x".repeat(900_000),
  });
  for (const [name, outcome] of Object.entries(outcomes)) {
    assertEquals("error" in outcome, !name.startsWith("fine"), name);
  }
});

Deno.test("readEach() keeps what it shows below twice the limit", () => {
  const values = [
    Array.from({ length: 40_000 }, (_, index) => ({ index, text: "é\n" })),
    Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key ${index}`, [index]])),
  ];
  for (const value of values) {
    const outcome = readEach({ it: () => value }).it!;
    if ("result" in outcome) assert(JSON.stringify(outcome.result, null, 2).length < 2_000_000);
  }
});
