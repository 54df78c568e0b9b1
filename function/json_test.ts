import { assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "./mod.ts";

/** Reads a payload as a user does. The compiler checks the types. */
function describe(value: JsonValue): string {
  if (Array.isArray(value)) {
    const [first] = value;
    // @ts-expect-error An item of an array is JSON, not `any`.
    first?.toFixed;
    return `array of ${value.map(describe).join()}`;
  }
  if (typeof value === "object" && value !== null) {
    const object: JsonObject = value;
    return `object of ${describe(object["name"] ?? null)}`;
  }
  return typeof value === "string" ? value.toUpperCase() : String(value);
}

Deno.test("JsonValue narrows to objects, arrays and scalars, by Array.isArray() and typeof", () => {
  assertEquals(
    describe({ name: [1, "a", null, { name: true }] }),
    "object of array of 1,A,null,object of true",
  );
});
