import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { jsonOf, PARTS, recordsOf, sample, STACKS, textOf } from "./testdata/records.ts";
import { logger } from "./mod.ts";

Deno.test("a record shows the parts of an error in the data, and its other properties as data", () => {
  const message = "Cannot order";
  const log = () => logger.error(message, sample());
  assertEquals(textOf(log), `ERROR ${message} ${STACKS}`);
  assertEquals(jsonOf(log), { level: "ERROR", message, ...PARTS, data: { code: "E42" } });
});

Deno.test("a JSON record has its keys in a fixed order", () => {
  const [record] = recordsOf("json", () => logger.error("Cannot order", sample(), 1));
  const keys = "timestamp level requestId message data errorType errorMessage stackTrace cause";
  assertEquals(Object.keys(JSON.parse(record!)), keys.split(" "));
});

Deno.test("a record keeps the data beside an error", () => {
  const plain = Object.assign(new Error("x"), { stack: "Error: x" });
  const json = jsonOf(() => logger.error("a", 1, plain, 2));
  assertEquals(json.errorMessage, "x");
  assertEquals(json.data, [1, 2]);
  assertEquals("cause" in json, false);
  assertEquals("data" in jsonOf(() => logger.error("a", plain)), false);
  const second = jsonOf(() => logger.error("a", plain, sample()));
  assertEquals(second.errorMessage, "x");
  assertEquals(second.data, { ...PARTS, data: { code: "E42" } });
});

Deno.test("a record shows the parts of an error that is the message", () => {
  assertEquals(textOf(() => logger.error(sample())), `ERROR ${STACKS}`);
  assertEquals(jsonOf(() => logger.error(sample(), 1)), {
    level: "ERROR",
    message: "no supplier",
    ...PARTS,
    data: [{ code: "E42" }, 1],
  });
  const bare = Object.assign(new Error("x"), { stack: "Error: x" });
  assertEquals(jsonOf(() => logger.error(bare)).message, "x");
});

Deno.test("a record shows a cause of any type", () => {
  const error = (cause: unknown) => Object.assign(new Error("x", { cause }), { stack: "Error: x" });
  assertEquals(textOf(() => logger.error(error({ a: 1n }))), 'ERROR Error: x\r[cause]: {"a":"1"}');
  assertEquals(textOf(() => logger.error(error("why"))), "ERROR Error: x\r[cause]: why");
  assertEquals(textOf(() => logger.error(error(null))), "ERROR Error: x\r[cause]: null");
  assertEquals(jsonOf(() => logger.error(error(null))).cause, null);
  const own: Error = error(undefined);
  own.cause = own;
  assertEquals(textOf(() => logger.error(own)), "ERROR Error: x\r[cause]: [Circular]");
  assertEquals(jsonOf(() => logger.error(own)).cause.cause, "[Circular]");
});

Deno.test("a record cuts an endless chain of causes", () => {
  class Endless extends Error {
    override get cause(): unknown {
      return new Endless("again");
    }
  }
  assertEquals(textOf(() => logger.error(new Endless("x"))).split("[cause]").length, 101);
  assert(recordsOf("json", () => logger.error(new Endless("x")))[0]!.includes('"[cut: more]"'));
});

Deno.test("an error of any kind is described", () => {
  const like = (properties: object) => Object.assign(new Error("x"), properties);
  const unreadable = () => {
    throw new Error("no");
  };
  const cases: [string, unknown, string, string][] = [
    ["named by its class", new (class OrderError extends Error {})("x"), "OrderError", "x"],
    ["named by its name", like({ name: "OrderError" }), "OrderError", "x"],
    ["of another realm", runInNewContext("new RangeError('x')"), "RangeError", "x"],
    ["of an unnamed class", new (class extends Error {})("x"), "Error", "x"],
    ["with no name at all", like({ name: "" }), "Error", "x"],
    ["of a DOM operation", new DOMException("x", "NotFoundError"), "NotFoundError", "x"],
    ["that is a plain object", { name: "Odd", message: "x", stack: "at y" }, "Odd", "x"],
    ["whose message is not a string", like({ message: 5n }), "Error", "5"],
    ["without a stack", like({ stack: undefined }), "Error", "x"],
    ["without a message", like({ message: null }), "Error", ""],
    [
      "whose message throws",
      Object.defineProperty(new Error(), "message", { get: unreadable }),
      "Error",
      "[Unreadable: Error: no]",
    ],
  ];
  for (const [title, error, type, message] of cases) {
    const json = jsonOf(() => logger.error("Failed", error));
    assertEquals([json.errorType, json.errorMessage], [type, message], title);
    assert(Array.isArray(json.stackTrace), title);
    assert(textOf(() => logger.error("Failed", error)).includes(message), title);
  }
});

Deno.test("a record shows hidden properties of an error, and a property named __proto__", () => {
  const part = (message: string) =>
    Object.assign(new Error(message), { stack: `Error: ${message}` });
  // Like an AggregateError and a SuppressedError, whose properties are not enumerable.
  const error = part("Suppressed");
  Object.defineProperty(error, "error", { value: part("cannot close") });
  Object.defineProperty(error, "suppressed", { value: part("cannot read") });
  Object.defineProperty(error, "errors", { value: [part("cannot retry")] });
  Object.defineProperty(error, "__proto__", { value: 1, enumerable: true });
  const { data } = jsonOf(() => logger.error(error));
  const messages = [data.error, data.suppressed, ...data.errors].map((part) => part.errorMessage);
  assertEquals(messages, ["cannot close", "cannot read", "cannot retry"]);
  const text = textOf(() => logger.error(error));
  for (const shown of [...messages, '"__proto__":1']) {
    assert(text.includes(shown), text);
  }
});

Deno.test("a record of any values takes at most 256 KiB", () => {
  const text = fc.integer({ min: 0, max: 300_000 }).map((length) => 'x\n\0é😀"'.repeat(length / 6));
  const value = fc.oneof(
    text,
    fc.array(text, { maxLength: 4 }),
    fc.dictionary(fc.string(), text, { maxKeys: 4 }),
    fc.record({ message: text, cause: text, body: text })
      .map(({ message, cause, body }) => Object.assign(new Error(message, { cause }), { body })),
  );
  fc.assert(
    fc.property(value, fc.array(value, { maxLength: 4 }), (message, data) => {
      for (const format of ["text", "json"] as const) {
        const [record] = recordsOf(format, () => logger.error(message, ...data));
        const { length } = new TextEncoder().encode(record + "\n");
        assert(length <= 256 * 1024, `${format}: ${length}`);
        if (format === "json") JSON.parse(record!);
      }
    }),
    { numRuns: 50, examples: [["a", Array(80_000).fill("b")]] },
  );
});

Deno.test("a large value leaves room for the other parts of a record", () => {
  const body = "x".repeat(1e6);
  const cause = Object.assign(new Error("refused"), { body });
  const error = Object.assign(new Error("Cannot send", { cause }), { body });
  for (const format of ["text", "json"] as const) {
    for (const args of [["last", error, body], [body, error, "last"], [error, body, "last"]]) {
      const [record] = recordsOf(format, () => logger.error(...args as [unknown]));
      for (const part of ["Cannot send", "refused", "record_test.ts", "last", " more]"]) {
        assert(record!.includes(part), `${format}: ${part}`);
      }
    }
  }
});
