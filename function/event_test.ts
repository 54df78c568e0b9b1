import type { Context, Handler } from "aws-lambda";
import { proxyHandler } from "../gateway/mod.ts";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { type FnContext, FnEvent } from "./event.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

Deno.test("FnEvent keeps the event by identity, even a frozen event", () => {
  for (const raw of [{}, Object.freeze({ a: 1 }), Object.create(null)]) {
    assertStrictEquals(new FnEvent(raw).rawEvent, raw);
  }
});

Deno.test("FnEvent refuses any value that is not a plain object and names the value's kind", () => {
  const cases = [
    [undefined, "undefined"],
    [null, "null"],
    [[], "an array"],
    ["{}", "a string"],
    [5, "a number"],
    [true, "a boolean"],
    [() => {}, "a function"],
    [new Map(), "an instance of Map"],
    [new (class Order {})(), "an instance of Order"],
  ] as const;
  for (const [value, got] of cases) {
    const error = assertThrows(() => new FnEvent(value), TypeError);
    assertEquals(error.message, `Invalid event: expected a plain object, got ${got}`);
  }
});

Deno.test("CloudEventSpecificationError quotes the key and carries a cause", () => {
  const cause = new URIError("malformed");
  const error = new CloudEventSpecificationError("Records[0].s3", "is absent", { cause });
  assertEquals(error.name, "CloudEventSpecificationError");
  assert(error.stack!.startsWith("CloudEventSpecificationError: Cannot read"));
  assertEquals(Object.keys(error), ["path"]);
  assertEquals(error.path, "Records[0].s3");
  assertEquals(error.message, 'Cannot read the event: "Records[0].s3" is absent');
  assertStrictEquals(error.cause, cause);
  assert(!Object.hasOwn(new CloudEventSpecificationError("a", "is absent"), "cause"));
});

Deno.test("FnContext accepts the context type that the managed runtime declares", () => {
  ({} as Context) satisfies FnContext;
  proxyHandler((_event, { awsRequestId }) => awsRequestId) satisfies Handler;
});
