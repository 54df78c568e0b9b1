import { assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { FULL, manifestText, withF, withTriggers } from "../testdata/manifest.ts";
import schema from "./schema.json" with { type: "json" };

/** Checks as an editor does: without the formats of this tool. */
const isValid = new Ajv({ strict: false, logger: false }).compile(schema);

Deno.test("the JSON Schema accepts the shortest and the fullest manifest, and says what every key is for", () => {
  for (const text of [manifestText(), FULL]) {
    assertEquals(isValid(JSON.parse(text)), true, JSON.stringify(isValid.errors));
  }
  assertEquals([...undescribed(schema, "")], []);
});

Deno.test("the JSON Schema refuses wrong keys, types, values and names in an editor", () => {
  for (
    const text of [
      "{}",
      withF({ memry: 1 }),
      withF({ memory: 100 }),
      withTriggers({ routes: [{ method: "get", path: "/" }] }),
      withTriggers({ routes: [{ method: "GET", path: "x" }] }),
      manifestText({ functions: { F: { module: "f.ts" } } }),
    ]
  ) {
    assertEquals(isValid(JSON.parse(text)), false, text);
  }
});

/** The keys without a description, by their paths. */
function* undescribed(schema: unknown, path: string): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  const { properties, items, additionalProperties } = schema as Record<string, unknown>;
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (!Object.hasOwn(value, "description")) yield `${path}.${key}`;
    yield* undescribed(value, `${path}.${key}`);
  }
  for (const child of [items, additionalProperties]) yield* undescribed(child, path);
}
