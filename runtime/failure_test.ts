import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { loggerState } from "../logger/state.ts";
import { logger, logInternalError } from "../logger/mod.ts";
import "../testdata/own_environment.ts";
import { belowMessage } from "./stack.ts";
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
  const { stackTrace } = describeFailure(new Error("first\nline of the message"));
  assertMatch(stackTrace[0]!, /^at .*failure_test\.ts:\d+:\d+\)?$/);
  assertEquals(stackTrace.some((line) => line.includes("line of the message")), false);
});

/** Describes an error, and logs it, with a map of every frame. Returns the frames that were asked for as well. */
async function describe(error: unknown, format: "json" | "text") {
  const state = loggerState();
  const asked: string[] = [];
  state.mapStack = belowMessage((frames) => {
    asked.push(frames);
    return frames.replaceAll(/^ {4}at .*$/gm, "    at mapped.ts:1:1");
  });
  const lines: string[] = [];
  const { write, format: outer } = state;
  state.write = (line) => void lines.push(line);
  state.format = format;
  try {
    const failure = describeFailure(error);
    logger.error("The invocation failed", error);
    logInternalError(error);
    return await Promise.resolve({ failure, lines, asked });
  } finally {
    delete state.mapStack;
    delete state.format;
    delete state.write;
    if (outer) state.format = outer;
    if (write) state.write = write;
  }
}

Deno.test("an error costs one record and one failure, whatever its name, message and cause: no line of the message is a frame", async () => {
  const forged = fc.constantFrom(
    "\n at /%:1:1\n",
    "\n    at f (file:///var/task/index.mjs:1:1)",
    "\r\n\tat /var/task/x.mjs:1:1",
    ": ",
    "Error",
  );
  const text = fc.array(fc.oneof(forged, fc.string({ unit: "binary" })), { maxLength: 4 })
    .map((parts) => parts.join(""));
  const cases = fc.record({
    text,
    name: fc.option(text),
    cause: fc.option(fc.oneof(text, fc.anything(), text.map((text) => new Error(text)))),
    isChanged: fc.boolean(),
    format: fc.constantFrom("json", "text"),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ text, name, cause, isChanged, format }) => {
      const [error, { stack }] = [new Error(text, { cause }), new Error("one line")];
      const count = stack!.split("\n").length - 1;
      // Deno writes the stack when it is read first, Node.js when the error is made.
      if (isChanged) String(error.stack);
      if (name !== null) error.name = name;
      if (isChanged) error.message = "Another message";
      const { failure, lines, asked } = await describe(error, format);
      assertEquals(failure.errorMessage, error.message);
      assertEquals(lines.length, 2);
      if (format === "json") {
        assertEquals(JSON.parse(lines[0]!).errorMessage, error.message.toWellFormed());
      }
      if (isChanged) return;
      assertEquals(asked[0]!.split("\n").length, count, error.stack);
      assertEquals(failure.stackTrace.every((frame) => frame === "at mapped.ts:1:1"), true);
    }),
    { numRuns: 40 },
  );
});

Deno.test("an error is described in linear time, whatever its message", async () => {
  const count = 3_000;
  for (
    const message of [
      "\n    at /var/task/x.mjs:1:1".repeat(count),
      Array.from({ length: count }, (_, index) => `\n at /var/task/${index}%.mjs:1:1`).join(""),
      "\n at /".repeat(count * 5),
      "\n at (".repeat(count * 5),
      " ".repeat(count * 50),
      "\n".repeat(count * 50),
    ]
  ) {
    for (const error of [new Error(message), Object.assign(new Error(message), { message: "x" })]) {
      const cause = Array.from({ length: 4 }).reduce<Error>(
        (cause) => new Error(message.slice(0, 100_000), { cause }),
        error,
      );
      const { failure, lines } = await describe(new Error("outer", { cause }), "text");
      assertEquals([failure.errorMessage, lines.length], ["outer", 2]);
      const { failure: own } = await describe(error, "json");
      assertEquals(own.errorMessage.slice(0, 100), error.message.slice(0, 100));
    }
  }
});

Deno.test("an error that breaks its reader is described all the same", async () => {
  const throws = () => {
    throw new Error("trap");
  };
  const traps = ["ownKeys", "get", "has", "getPrototypeOf", "getOwnPropertyDescriptor"];
  for (const trap of traps) {
    const error = new Proxy(new Error("first"), { [trap]: throws });
    for (const format of ["json", "text"] as const) {
      const { failure, lines } = await describe(error, format);
      assertEquals(lines.length, 2, trap);
      assertEquals(typeof failure.errorMessage, "string");
      if (!trap.startsWith("get")) assertMatch(lines[0]!, /first/);
    }
  }
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
