import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { describeFailure, errorTypeField, RuntimeFailure } from "./failure.ts";
import { xrayCause } from "./xray.ts";

class OrderError extends Error {
  override name = "OrderError";
}

const UNREADABLE = "[Unreadable: Error: hostile]";
const CYCLIC = '{"big":"5","self":{"self":"[Circular]"}}';
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

function refuse(): never {
  throw new Error("hostile");
}

function unreadable(part: string): Error {
  return Object.defineProperty(new RangeError("useful"), part, { get: refuse });
}

const hostile = {
  get message(): string {
    return refuse();
  },
};
const proxy = new Proxy({}, {
  get() {
    throw 1;
  },
});
const noText = Object.assign(new Error(), { message: Object.create(null) });
const noSource = Object.assign(() => {}, { toString: refuse });

for (
  const [name, thrown, errorType, errorMessage] of [
    ["an error", new RangeError("out"), "RangeError", "out"],
    ["an error of one's own", new OrderError("x"), "OrderError", "x"],
    ["an error of a class without a name", new (class Lost extends Error {})("x"), "Lost", "x"],
    ["an error without a name", Object.assign(new Error("x"), { name: "" }), "Error", "x"],
    ["a failure of the runtime", new RuntimeFailure("Runtime.X", "y"), "Runtime.X", "y"],
    ["what looks like an error", { name: "N", message: "m" }, "N", "m"],
    ["a string", "text", "string", "text"],
    ["a number", 5, "number", "5"],
    ["nothing", undefined, "undefined", "undefined"],
    ["null", null, "null", "null"],
    ["a symbol", Symbol("s"), "symbol", "Symbol(s)"],
    ["an object", { code: 5 }, "object", '{"code":5}'],
    ["an object JSON cannot carry", { big: 5n, self: cyclic }, "object", CYCLIC],
    ["an object with a message alone", { message: "m" }, "object", '{"message":"m"}'],
    ["an error whose stack cannot be read", unreadable("stack"), "RangeError", "useful"],
    ["an error whose message cannot be read", unreadable("message"), "RangeError", UNREADABLE],
    ["an object that cannot be read", hostile, "object", `{"message":"${UNREADABLE}"}`],
    ["a proxy that throws", proxy, "object", '"[Unreadable: 1]"'],
    ["a message without a text", noText, "Error", "[Unreadable]"],
    ["a function without a text", noSource, "function", "[Unreadable]"],
    ["colours", new Error("\u001b[31mred\u001b[0m"), "Error", "red"],
  ] as const
) {
  Deno.test(`describeFailure() describes ${name}`, () => {
    const failure = describeFailure(thrown);
    assertEquals([failure.errorType, failure.errorMessage], [errorType, errorMessage]);
  });
}

Deno.test("describeFailure() gives the frames of the stack, and no line of the message", () => {
  const failure = describeFailure(new Error("first\nsecond"));
  assertMatch(failure.stackTrace[0]!, /^at .*failure_test\.ts:\d+:\d+\)?$/);
  assertEquals(failure.stackTrace.some((line) => line.includes("second")), false);
});

Deno.test("describeFailure() cuts what would not fit", () => {
  const error = new Error("x".repeat(1e6));
  error.stack = `Error\n${`    at ${"y".repeat(5_000)}\n`.repeat(500)}`;
  const failure = describeFailure(error);
  assertEquals(failure.errorMessage.length, 32 * 1024 + 1);
  assertEquals([failure.stackTrace.length, failure.stackTrace[0]!.length], [100, 1_001]);
});

for (
  const [errorType, field] of [
    ["TypeError", "Function.TypeError"],
    ["Runtime.HandlerNotFound", "Runtime.HandlerNotFound"],
    ["Function.Custom", "Function.Custom"],
    ["Error2", "Function.Unknown"],
    ["string", "Function.Unknown"],
    ["X\r\nInjected: 1", "Function.Unknown"],
    ["", "Function.Unknown"],
  ] as const
) {
  Deno.test(`errorTypeField() writes ${JSON.stringify(errorType)} as ${field}`, () => {
    assertEquals(errorTypeField(errorType), field);
  });
}

Deno.test("xrayCause() names directory, exception and paths", () => {
  const cause = JSON.parse(xrayCause({
    errorType: "TypeError",
    errorMessage: "é\r\n",
    stackTrace: ["at f (file:///var/task/a.js:3:7)", "at file:///var/task/a.js:1:1", "at native"],
  }, "/var/task"));
  assertEquals(cause, {
    working_directory: "/var/task",
    exceptions: [{
      type: "TypeError",
      message: "é\r\n",
      stack: [
        { path: "file:///var/task/a.js", line: 3, label: "f" },
        { path: "file:///var/task/a.js", line: 1, label: "" },
      ],
    }],
    paths: ["file:///var/task/a.js"],
  });
});

Deno.test("xrayCause() is printable ASCII of at most 64 KiB, whatever was thrown", () => {
  const property = fc.property(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary" }),
    fc.constantFrom(1, 100, 10_000),
    fc.constantFrom(0, 1, 200),
    (name, message, times, frames) => {
      const error = new Error(message.repeat(times));
      error.name = name.repeat(times);
      error.stack = `x\n${`  at ${message.replaceAll("\n", "")} (${name}:1:2)\n`.repeat(frames)}`;
      const cause = xrayCause(describeFailure(error), message.repeat(times));
      assertMatch(cause, /^[ -~]*$/);
      assertEquals(cause.length <= 65_536, true);
      JSON.parse(cause);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

Deno.test("xrayCause() leaves out more where less is still too much", () => {
  const frame = `at ${"é".repeat(400)} (${"ü".repeat(500)}:1:2)`;
  const failure = { errorType: "E", errorMessage: "é".repeat(9e4), stackTrace: [] as string[] };
  const short = JSON.parse(xrayCause(failure, "/var/task"));
  assertEquals(short.exceptions[0].message.length, 4_000);
  const least = JSON.parse(xrayCause({ ...failure, stackTrace: Array(50).fill(frame) }, "/"));
  assertEquals([least.exceptions[0].message.length, least.paths.length], [1_000, 0]);
});
