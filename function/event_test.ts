import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { FnEvent } from "./event.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

Deno.test("FnEvent keeps the event by identity, also a frozen one", () => {
  for (const raw of [{}, Object.freeze({ a: 1 }), Object.create(null)]) {
    assert(new FnEvent(raw).rawEvent === raw);
  }
});

class Unnamed {
  static {
    Object.defineProperty(this, "name", { value: "" });
  }
}

for (
  const [value, got] of [
    [undefined, "undefined"],
    [null, "null"],
    [[], "an array"],
    ["{}", "a string"],
    [5, "a number"],
    [true, "a boolean"],
    [() => {}, "a function"],
    [new Map(), "an instance of Map"],
    [new Date(), "an instance of Date"],
    [new Unnamed(), "an instance of an unnamed class"],
  ] as const
) {
  Deno.test(`FnEvent refuses ${got}`, () => {
    assertThrows(
      () => new FnEvent(value),
      TypeError,
      `Cannot wrap the event: expected a plain object, got ${got}`,
    );
  });
}

Deno.test("CloudEventSpecificationError tells the key, quotes it, and carries a cause", () => {
  const cause = new URIError("malformed");
  const error = new CloudEventSpecificationError("Records[0].s3", "is absent", { cause });
  assert(error instanceof Error);
  assertEquals(error.name, "CloudEventSpecificationError");
  assertEquals(error.path, "Records[0].s3");
  assertEquals(error.message, 'Cannot read the event: "Records[0].s3" is absent');
  assertStrictEquals(error.cause, cause);
  assert(!Object.hasOwn(new CloudEventSpecificationError("a", "is absent"), "cause"));
});
