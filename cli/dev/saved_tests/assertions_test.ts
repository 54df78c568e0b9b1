import { assertEquals } from "@std/assert";
import { assertionsOf } from "./assertions.ts";

Deno.test("assertionsOf() asserts the largest parts that are equal in two results, and nothing else", () => {
  const cases: [unknown, unknown, string[]][] = [
    [1, 1, ["assert.deepEqual(r, 1);"]],
    [{ a: 1 }, { a: 1 }, ['assert.deepEqual(r, {\n  "a": 1\n});']],
    [{ a: 1, "b-c": 2, id: "x" }, { a: 1, "b-c": 2, id: "y" }, [
      "assert.deepEqual(r.a, 1);",
      'assert.deepEqual(r["b-c"], 2);',
    ]],
    [{ body: '{"id":1,"n":2}' }, { body: '{"id":3,"n":2}' }, [
      "assert.deepEqual(JSON.parse(r.body).n, 2);",
    ]],
    [[1, "x"], [1, "y"], ["assert.equal(r.length, 2);", "assert.deepEqual(r[0], 1);"]],
    [[1], [1, 2], ["assert.deepEqual(r[0], 1);"]],
    [{ a: 1, b: 1 }, { a: 2 }, []],
    ["a text", "another", []],
    [null, 1, []],
  ];
  for (const [first, second, lines] of cases) assertEquals(assertionsOf(first, second, "r"), lines);
});
