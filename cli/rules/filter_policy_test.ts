import { assertEquals } from "@std/assert";
import { readFilterPolicy } from "./filter_policy.ts";

Deno.test("readFilterPolicy() matches message attributes by their types", () => {
  const attributes = {
    kind: { Type: "String", Value: "order" },
    label: { Type: "String.custom", Value: "5" },
    price: { Type: "Number.int", Value: "1e2" },
    tags: { Type: "String.Array", Value: '["new", 5, null]' },
    wrong: { Type: "String.Array", Value: "[" },
    image: { Type: "Binary", Value: "AA==" },
    "a.b": { Type: "String", Value: "dotted" },
  };
  const table: [policy: Record<string, unknown>, expected: boolean][] = [
    [{ kind: ["order"] }, true],
    [{ label: ["5"] }, true],
    [{ label: [5] }, false],
    [{ price: [100] }, true],
    [{ price: ["100"] }, false],
    [{ price: [{ numeric: [">", 99] }] }, true],
    [{ tags: ["new"] }, true],
    [{ tags: [5] }, true],
    [{ tags: [null] }, true],
    [{ tags: ["old"] }, false],
    [{ tags: [{ "anything-but": ["new"] }] }, true],
    [{ wrong: [{ exists: true }] }, false],
    [{ image: [{ exists: true }] }, false],
    [{ "a.b": ["dotted"] }, true],
    [{ other: [{ exists: false }], kind: ["order"] }, true],
  ];
  for (const [policy, expected] of table) {
    const { matches } = readFilterPolicy(policy);
    assertEquals(matches({ body: "{}", attributes }), expected, JSON.stringify(policy));
  }
});

Deno.test("readFilterPolicy() with the scope of the body matches JSON objects only", () => {
  const { matches } = readFilterPolicy({ a: [{ exists: false }] }, "MessageBody");
  const attributes = { a: { Type: "String", Value: "x" } };
  const delivered = ["{}", '{"a":1}', "[]", '"text"', "no JSON", "null"].filter((body) =>
    matches({ body, attributes })
  );
  assertEquals(delivered, ["{}"]);
});
