import { assert, assertEquals } from "@std/assert";
import { runInNewContext } from "node:vm";
import { jsonOf, PARTS, recordsOf, sample, STACKS, textOf } from "./capture_test.ts";
import { logger } from "./mod.ts";

Deno.test("an error among the data is told by its parts, its further properties as data", () => {
  const log = () => logger.error("Cannot order", sample());
  assertEquals(textOf(log), `ERROR Cannot order ${STACKS}`);
  assertEquals(jsonOf(log), {
    level: "ERROR",
    message: "Cannot order",
    ...PARTS,
    data: { code: "E42" },
  });
});

Deno.test("a JSON record has its keys in one order, those of an error last", () => {
  const [record] = recordsOf("json", () => logger.error("Cannot order", sample(), 1));
  assertEquals(Object.keys(JSON.parse(record!)), [
    "timestamp",
    "level",
    "requestId",
    "message",
    "data",
    "errorType",
    "errorMessage",
    "stackTrace",
    "cause",
  ]);
});

Deno.test("an error beside other data leaves them", () => {
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

Deno.test("an error as the message is told by its parts", () => {
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

Deno.test("the cause of an error may be anything", () => {
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

Deno.test("a chain of causes without an end is cut", () => {
  class Endless extends Error {
    override get cause(): unknown {
      return new Endless("again");
    }
  }
  assertEquals(textOf(() => logger.error(new Endless("x"))).split("[cause]").length, 101);
  assert(recordsOf("json", () => logger.error(new Endless("x")))[0]!.includes('"[Endless]"'));
});

for (
  const [title, make, type, message] of [
    ["named by its class", () => new (class OrderError extends Error {})("x"), "OrderError", "x"],
    [
      "named by its name",
      () => Object.assign(new Error("x"), { name: "OrderError" }),
      "OrderError",
      "x",
    ],
    ["of another realm", () => runInNewContext("new RangeError('x')"), "RangeError", "x"],
    ["of an unnamed class", () => new (class extends Error {})("x"), "Error", "x"],
    ["with no name at all", () => Object.assign(new Error("x"), { name: "" }), "Error", "x"],
    [
      "of a DOM operation",
      () => new DOMException("gone", "NotFoundError"),
      "NotFoundError",
      "gone",
    ],
    [
      "that only looks like one",
      () => ({ name: "Odd", message: "x", stack: "at y" }),
      "Odd",
      "x",
    ],
    [
      "with a message of another type",
      () => Object.assign(new Error(), { message: 5n }),
      "Error",
      "5",
    ],
    ["without a stack", () => Object.assign(new Error("x"), { stack: undefined }), "Error", "x"],
    ["without a message", () => Object.assign(new Error(), { message: null }), "Error", ""],
    [
      "whose message throws",
      () =>
        Object.defineProperty(new Error(), "message", {
          get() {
            throw new Error("no");
          },
        }),
      "Error",
      "[Unreadable: Error: no]",
    ],
  ] as [string, () => unknown, string, string][]
) {
  Deno.test(`an error ${title}`, () => {
    const json = jsonOf(() => logger.error("Failed", make()));
    assertEquals([json.errorType, json.errorMessage], [type, message]);
    assert(Array.isArray(json.stackTrace));
    assert(textOf(() => logger.error("Failed", make())).includes(message));
  });
}

Deno.test("an error keeps what it suppressed, and why", () => {
  const part = (message: string) =>
    Object.assign(new Error(message), { stack: `Error: ${message}` });
  // Made as `using` makes it: not every runtime has the class, and its properties are not enumerable.
  const error = Object.assign(new Error("Suppressed"), { stack: "Error: Suppressed" });
  Object.defineProperty(error, "error", { value: part("cannot close") });
  Object.defineProperty(error, "suppressed", { value: part("cannot read") });
  const { error: failure, suppressed } = jsonOf(() => logger.error(error)).data;
  assertEquals([failure.errorMessage, suppressed.errorMessage], ["cannot close", "cannot read"]);
  const text = textOf(() => logger.error(error));
  assert(text.includes("cannot close") && text.includes("cannot read"), text);
});

Deno.test("an error keeps the status that its class has", () => {
  class Gone extends Error {
    get status() {
      return 410;
    }
  }
  const error = Object.assign(new Gone("x"), { stack: "Error: x", code: 5 });
  assertEquals(jsonOf(() => logger.error(error)).data, { status: 410, code: 5 });
  const own = Object.assign(new Error("x"), { stack: "Error: x", status: 409 });
  assertEquals(jsonOf(() => logger.error(own)).data, { status: 409 });
});

Deno.test("an error is told also where its properties cannot be listed", () => {
  const error = Object.assign(new Error("x"), { stack: "Error: x", code: 5 });
  const boom = () => {
    throw new Error("no");
  };
  for (const handler of [{ ownKeys: boom }, { getOwnPropertyDescriptor: boom }]) {
    const log = () => logger.error("Failed", new Proxy(error, handler));
    assertEquals(textOf(log), 'ERROR Failed Error: x "[Unreadable: Error: no]"');
    assertEquals(jsonOf(log).errorMessage, "x");
  }
});

Deno.test("an error keeps a property of any name", () => {
  const error = Object.assign(new Error("x"), { stack: "Error: x" });
  Object.defineProperty(error, "__proto__", { value: 1, enumerable: true });
  assert(textOf(() => logger.error(error)).endsWith(' {"__proto__":1}'));
});
