import type { JsonObject, JsonValue } from "./mod.ts";

Deno.test("JsonValue narrows to objects, arrays and scalars, by Array.isArray() and typeof", () => {
  const value: JsonValue = JSON.parse('{"list":[1]}');
  if (typeof value !== "object" || value === null) {
    value satisfies string | number | boolean | null;
  } else if (Array.isArray(value)) {
    value satisfies JsonValue[];
    // @ts-expect-error An item of an array is JSON, not `any`.
    value[0]?.toFixed;
  } else value satisfies JsonObject;
});
