import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { findJsonError } from "./json_error.ts";

for (
  const [text, index] of [
    ["", 0],
    ["  ", 2],
    ["NaN", 0],
    ["undefined", 0],
    ["'x'", 0],
    ["[1,]", 3],
    ["[,1]", 1],
    ["[1 2]", 3],
    ["[1", 2],
    ["[", 1],
    ["[}", 1],
    ["{", 1],
    ["{]", 1],
    ["{a:1}", 1],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{"a":1 "b"', 7],
    ['{"a":1}}', 7],
    ['{"a', 3],
    ['"a', 2],
    ['"\n"', 1],
    ['"\\x"', 2],
    ['"\\u12x4"', 5],
    ['"\\', 2],
    ['"\\u1', 4],
    ["01", 1],
    ["-", 1],
    ["-a", 1],
    ["+1", 0],
    [".5", 0],
    ["1.", 2],
    ["1.x", 2],
    ["1e", 2],
    ["1e+", 3],
    ["1e+x", 3],
    ["tru", 3],
    ["nul1", 3],
    ["fals3", 4],
    ["true false", 5],
    ["\uFEFF1", 0],
    ["\u00a01", 0],
    ["1\u0000", 1],
    ["/* */1", 0],
  ] as const
) {
  Deno.test(`findJsonError() says where ${JSON.stringify(text)} breaks`, () => {
    assertEquals(findJsonError(text), index);
  });
}

/** Texts close to JSON: some with a few characters inserted, replaced or cut. */
const nearlyJson = fc.tuple(
  fc.json({ maxDepth: 4, noUnicodeString: false }),
  fc.array(
    fc.tuple(
      fc.nat(60),
      fc.nat(2),
      fc.constantFrom(
        ..."{}[]:,\"\\ue+-.0123 \n\t\r\u0000\u007fé🧀x/'",
        "true",
        "nul",
        "\\u00",
        "1e",
      ),
    ),
    { maxLength: 3 },
  ),
).map(([text, edits]) => {
  for (const [at, count, insert] of edits) {
    text = text.slice(0, at) + insert + text.slice(at + count);
  }
  return text;
});

Deno.test("findJsonError() takes for JSON what JSON.parse() does", () => {
  fc.assert(
    fc.property(nearlyJson, (text) => {
      assertEquals(findJsonError(text) === undefined, parseError(text) === undefined, text);
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("findJsonError() finds the place that the engine's own message names", () => {
  let compared = 0;
  fc.assert(
    fc.property(nearlyJson, (text) => {
      const place = /at position (\d+)/.exec(parseError(text) ?? "")?.[1];
      if (place === undefined) return;
      compared++;
      assertEquals(findJsonError(text), Number(place), `${text} ${parseError(text)}`);
    }),
    { numRuns: 5_000 },
  );
  assert(compared > 100, "the engine names too few places for this to be a test");
});

Deno.test("findJsonError() finds the first place: what is before could go on", () => {
  fc.assert(
    fc.property(nearlyJson, (text) => {
      const index = findJsonError(text);
      if (index === undefined) return;
      const before = findJsonError(text.slice(0, index));
      assert(before === undefined || before === index, text);
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("findJsonError() bears a nesting of a million arrays", () => {
  assertEquals(findJsonError("[".repeat(1e6)), 1e6);
  assertEquals(findJsonError("[".repeat(1e6) + "]".repeat(1e6)), undefined);
});

function parseError(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch (error) {
    return (error as Error).message;
  }
}
