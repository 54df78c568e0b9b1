import { assertEquals } from "@std/assert";
import { chooseType } from "./choose_type.ts";

Deno.test("chooseType() matches types and families of one letter", () => {
  for (
    const [accept, types, expected] of [
      ["a/b", ["a/b"], "a/b"],
      ["a/c", ["a/b"], undefined],
      ["b/b", ["a/b"], undefined],
      ["a/*", ["b/a", "a/b"], "a/b"],
      ["b/*", ["a/b"], undefined],
      ["*/*", ["a/b"], "a/b"],
      ["*", ["a/b"], "a/b"],
      ["b", ["a/b"], undefined],
      ["a", ["a/b"], undefined],
      ["*/b", ["a/b"], undefined],
      ["a/*;q=0.1, */*", ["a/b", "c/d"], "c/d"],
      ["a/b;q=0.1, a/*", ["a/b", "a/c"], "a/c"],
      ["*;q=0.2, a/*;q=0.1", ["a/b"], "a/b"],
      ["a/*", ["a/b", "a/*"], "a/*"],
      ["a/*", ["a/b", "a/c"], "a/b"],
      ["a/b;q=0.001", ["a/b"], "a/b"],
      ["a/b;q=0.001, c/d;q=0.002", ["a/b", "c/d"], "c/d"],
      ["a/b, *;q=0.5", ["c/d"], "c/d"],
      ["a/*;q=0.5, */*", ["a/b", "a/*"], "a/*"],
    ] as const
  ) {
    assertEquals(chooseType(accept, types), expected, `${accept} of ${types}`);
  }
});
