import { assertEquals } from "@std/assert";
import * as idempotency from "./mod.ts";

Deno.test("the errors have a name, a status and a message of their own", () => {
  const table = [
    [
      "IdempotencyInProgressError",
      409,
      "A request with the same key is under way: try again later",
    ],
    ["IdempotencyPayloadError", 422, "The key was used with another payload: use a new key"],
    [
      "IdempotencyResultError",
      500,
      "The work of this key is done, but its result could not be kept",
    ],
  ] as const;
  for (const [name, status, message] of table) {
    const cause = new Error("a reason");
    for (const given of [undefined, "", "Try later"]) {
      const error = new idempotency[name](given, { cause });
      assertEquals([error.name, error.status, error.message], [name, status, given || message]);
      assertEquals(error.cause, cause);
    }
  }
});
