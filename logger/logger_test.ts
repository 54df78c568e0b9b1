import { assert, assertEquals, assertThrows } from "@std/assert";
import { jsonOf, recordsOf, state, textOf } from "./capture_test.ts";
import { logger, logInternalError } from "./mod.ts";

const LEVELS = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
  critical: "FATAL",
} as const;

for (const [method, level] of Object.entries(LEVELS)) {
  Deno.test(`logger.${method}() writes one record of level ${level}, also detached`, () => {
    const write = logger[method as keyof typeof LEVELS];
    assertEquals(textOf(() => write("Hello")), `${level} Hello`);
    assertEquals(jsonOf(() => write("Hello")), { level, message: "Hello" });
  });
}

for (
  const [title, args, text, json] of [
    ["no data", ["a"], "a", { message: "a" }],
    ["one datum as it is", ["a", { b: 1n }], 'a {"b":"1"}', { message: "a", data: { b: "1" } }],
    ["several data as a list", ["a", 1, "x y", null], "a 1 x y null", {
      message: "a",
      data: [1, "x y", null],
    }],
    ["a list as one datum", ["a", [1, 2]], "a [1,2]", { message: "a", data: [1, 2] }],
    ["undefined", ["a", undefined], "a undefined", { message: "a", data: "undefined" }],
    ["no format", ["100% of %s, %d and %%", "x"], "100% of %s, %d and %% x", {
      message: "100% of %s, %d and %%",
      data: "x",
    }],
    ["a message that is no text", [{ a: 1 }], '{"a":1}', { message: { a: 1 } }],
    ["a date", [new Date(0)], "1970-01-01T00:00:00.000Z", { message: "1970-01-01T00:00:00.000Z" }],
    ["an empty message", [""], "", { message: "" }],
    ["line ends", ["a\nb\r\nc\rd\n\ne\u2028f"], "a\rb\rc\rd\r\re\u2028f", {
      message: "a\nb\r\nc\rd\n\ne\u2028f",
    }],
    ["a tab", ["a\tb"], "a\tb", { message: "a\tb" }],
  ] as [string, [unknown, ...unknown[]], string, Record<string, unknown>][]
) {
  Deno.test(`a record with ${title}`, () => {
    assertEquals(textOf(() => logger.info(...args)), `INFO ${text}`);
    assertEquals(jsonOf(() => logger.info(...args)), { level: "INFO", ...json });
  });
}

Deno.test("logger.level filters, in any case, and for all methods", () => {
  const counts: Record<string, number> = {};
  for (const level of ["trace", "Debug", "INFO", "warn", "error", "fatal"]) {
    counts[level] = recordsOf("text", () => {
      logger.level = level;
      assertEquals(logger.level, level.toUpperCase());
      for (const method of Object.keys(LEVELS)) logger[method as keyof typeof LEVELS]("x");
      logInternalError("x");
    }).length;
  }
  assertEquals(counts, { trace: 6, Debug: 6, INFO: 5, warn: 4, error: 3, fatal: 2 });
});

Deno.test("logger.level refuses what is no level", () => {
  for (
    const [level, got] of [["verbose", '"verbose"'], ["", '""'], [5, "number"], [null, "object"]]
  ) {
    const before = logger.level;
    assertThrows(
      () => logger.level = level as string,
      TypeError,
      `Cannot set the level: expected one of TRACE, DEBUG, INFO, WARN, ERROR, FATAL, got ${got}`,
    );
    assertEquals(logger.level, before);
  }
});

Deno.test("the methods of the logger cannot be replaced", () => {
  assertThrows(() => Object.assign(logger, { info: () => {} }), TypeError);
});

Deno.test("a record that is not written renders nothing", () => {
  state.level = "WARN";
  logger.info("x", { toJSON: () => assert(false, "rendered") });
});

Deno.test("logging never throws, whatever writes and wherever", () => {
  state.write = () => {
    throw new Error("full");
  };
  logger.critical("x");
  const exhaust = (): void => {
    logger.critical("x", { a: 1 });
    exhaust();
  };
  state.write = () => {};
  assertThrows(exhaust, RangeError); // that of exhaust() itself
});

Deno.test("the logger can be handed to what takes a console-like one", () => {
  const consoleLike: Pick<Console, "debug" | "info" | "warn" | "error"> = logger;
  assertEquals(textOf(() => consoleLike.info("a", 1)), "INFO a 1");
});
