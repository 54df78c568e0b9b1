import { assertEquals, assertMatch } from "@std/assert";
import { describeFailure, errorTypeField, RuntimeFailure, xrayCause } from "./failure.ts";

Deno.test("describeFailure() gives the type and message of any thrown value", () => {
  const cycle: Record<string, unknown> = { big: 5n };
  cycle.self = cycle;
  const cases = [
    ["an error", new RangeError("out"), "RangeError", "out"],
    ["a failure of the runtime", new RuntimeFailure("Runtime.X", "y"), "Runtime.X", "y"],
    ["an object like an error", { name: "N", message: "m", stack: "" }, "N", "m"],
    ["a string", "text", "string", "text"],
    ["undefined", undefined, "undefined", "undefined"],
    ["null", null, "null", "null"],
    ["an object", { code: 5 }, "object", '{"code":5}'],
    ["a cycle", cycle, "object", '{"big":"5","self":"[Circular]"}'],
    ["an object with a message alone", { message: "m" }, "object", '{"message":"m"}'],
  ] as const;
  for (const [name, thrown, type, message] of cases) {
    const { errorType, errorMessage } = describeFailure(thrown);
    assertEquals([errorType, errorMessage], [type, message], name);
  }
});

Deno.test("describeFailure() gives the frames of the stack, and no line of the message", () => {
  const { stackTrace } = describeFailure(new Error("first\nsecond"));
  assertMatch(stackTrace[0]!, /^at .*failure_test\.ts:\d+:\d+\)?$/);
  assertEquals(stackTrace.some((line) => line.includes("second")), false);
});

Deno.test("describeFailure() cuts long texts, and says how much it cut", () => {
  const error = new Error("x".repeat(1e6));
  error.stack = `Error\n    at ${"y".repeat(497)}\n${`    at ${"y".repeat(498)}\n`.repeat(500)}`;
  error.name = "x".repeat(1e6);
  const { errorType, errorMessage, stackTrace } = describeFailure(error);
  assertEquals(errorType, "x".repeat(256) + "… [cut: 999744 more]");
  assertEquals(errorMessage, "x".repeat(32 * 1024) + "… [cut: 967232 more]");
  const frame = `at ${"y".repeat(497)}`;
  assertEquals(stackTrace, [frame, ...Array(99).fill(`${frame}… [cut: 1 more]`)]);
});

Deno.test("errorTypeField() returns a type that the platform records", () => {
  const cases = [
    ["TypeError", "Function.TypeError"],
    ["Runtime.HandlerNotFound", "Runtime.HandlerNotFound"],
    ["Function.Custom", "Function.Custom"],
    ["Function.custom", "Function.Unknown"],
    ["Error2", "Function.Unknown"],
    ["string", "Function.Unknown"],
    ["X\r\nInjected: 1", "Function.Unknown"],
    ["", "Function.Unknown"],
  ] as const;
  for (const [errorType, field] of cases) {
    assertEquals(errorTypeField(errorType), field);
  }
});

Deno.test("xrayCause() names the directory, the exception and the paths", () => {
  const cause = xrayCause({
    errorType: "TypeError",
    errorMessage: "é\r\n\u007f",
    stackTrace: ["at async f (file:///task/a.js:3:7)", "at file:///task/a.js:1:1", "at native"],
  }, "/var/task");
  assertMatch(cause, /^[ -~]*$/);
  assertEquals(JSON.parse(cause), {
    working_directory: "/var/task",
    exceptions: [{
      type: "TypeError",
      message: "é\r\n\u007f",
      stack: [
        { path: "file:///task/a.js", line: 3, label: "f" },
        { path: "file:///task/a.js", line: 1, label: "" },
      ],
    }],
    paths: ["file:///task/a.js"],
  });
});

Deno.test("xrayCause() cuts the message and leaves out frames if the cause is longer than 64 KiB", () => {
  for (const [character, expected] of [["e", [32_768, 100, 1]], ["é", [1_000, 5, 5]]] as const) {
    const error = new Error(character.repeat(9e4));
    error.name = character.repeat(9e4);
    const file = character === "e" ? () => "a.js" : (i: number) => character.repeat(480) + i;
    const frames = Array.from({ length: 200 }, (_, i) => `    at f (${file(i)}:1:2)`);
    error.stack = frames.join("\n");
    const cause = xrayCause(describeFailure(error), "/var/task");
    assertMatch(cause, /^[ -~]{1,65536}$/);
    const { exceptions: [{ message, stack }], paths } = JSON.parse(cause);
    assertEquals([message.length, stack.length, paths.length], [...expected]);
  }
});

Deno.test("xrayCause() keeps a cause of exactly 64 KiB whole, and cuts a longer one", () => {
  const failure = { errorType: "E", errorMessage: "x".repeat(32_768), stackTrace: ["at a.js:1:1"] };
  const { length } = xrayCause(failure, "");
  for (const [more, expected] of [[0, 32_768], [1, 1_000]] as const) {
    const cause = xrayCause(failure, "/".repeat(65_536 - length + more));
    assertEquals(JSON.parse(cause).exceptions[0].message.length, expected);
  }
});
