import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ANY, matchesWildcard, ONE, type Wildcard } from "./wildcard.ts";

/** The definition of the wildcards, which takes exponential time. */
function matchesSlowly([first, ...rest]: Wildcard, text: string): boolean {
  if (first === undefined) return text === "";
  if (first === ANY) {
    return matchesSlowly(rest, text) || text !== "" && matchesSlowly([ANY, ...rest], text.slice(1));
  }
  return text !== "" && (first === ONE || first === text[0]) && matchesSlowly(rest, text.slice(1));
}

Deno.test("matchesWildcard() agrees with the definition of the wildcards", () => {
  const pattern = fc.array(fc.constantFrom(ANY, ANY, ONE, "a", "b"), { maxLength: 9 });
  const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }).map((all) => all.join(""));
  let matches = 0;
  fc.assert(
    fc.property(pattern, text, (wildcard, value) => {
      const expected = matchesSlowly(wildcard, value);
      if (expected) matches++;
      assertEquals(matchesWildcard(wildcard, value), expected);
    }),
    { numRuns: 5_000 },
  );
  assertEquals(matches > 500, true, "The generator makes too few texts that match");
});

Deno.test("matchesWildcard() ends with many wildcards and a long text", () => {
  const pattern = Array.from({ length: 2_000 }, (_, index) => index % 2 === 0 ? ANY : "a");
  assertEquals(matchesWildcard([...pattern, "b"], "a".repeat(10_000)), false);
  assertEquals(matchesWildcard(pattern, "a".repeat(10_000)), true);
});
