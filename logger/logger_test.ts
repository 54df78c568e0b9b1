import { assert, assertEquals, assertThrows } from "@std/assert";
import { jsonOf, PARTS, recordsOf, sample, STACKS, state, textOf } from "./testdata/records.ts";
import { logger, logInternalError } from "./mod.ts";

const LEVELS = {
  trace: "TRACE",
  debug: "DEBUG",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
  fatal: "FATAL",
  critical: "FATAL",
} as const;

Deno.test("each method of the logger writes one record of its level, also without its object", () => {
  for (const [method, level] of Object.entries(LEVELS)) {
    const write = logger[method as keyof typeof LEVELS];
    assertEquals(textOf(() => write("Hello")), `${level} Hello`);
    assertEquals(jsonOf(() => write("Hello")), { level, message: "Hello" });
  }
});

Deno.test("a record shows message and data", () => {
  const cases: [string, [unknown, ...unknown[]], string, Record<string, unknown>][] = [
    ["no data", ["a"], "a", { message: "a" }],
    ["one value as it is", ["a", { b: 1n }], 'a {"b":"1"}', { message: "a", data: { b: "1" } }],
    ["several values as a list", ["a", 1, null], "a 1 null", { message: "a", data: [1, null] }],
    ["a list as one value", ["a", [1, 2]], "a [1,2]", { message: "a", data: [1, 2] }],
    ["undefined", ["a", undefined], "a undefined", { message: "a", data: "undefined" }],
    ["percent signs", ["1% %s %%", "x"], "1% %s %% x", { message: "1% %s %%", data: "x" }],
    ["an object as the message", [{ a: 1 }], '{"a":1}', { message: { a: 1 } }],
    ["a date", [new Date(0)], "1970-01-01T00:00:00.000Z", { message: "1970-01-01T00:00:00.000Z" }],
    ["an empty message", [""], "", { message: "" }],
    ["line ends", ["a\nb\r\nc\rd\n\ne"], "a\rb\rc\rd\r\re", { message: "a\nb\r\nc\rd\n\ne" }],
    ["a line separator", ["a\u2028b"], "a\u2028b", { message: "a\u2028b" }],
    ["a tab", ["a\tb"], "a\tb", { message: "a\tb" }],
  ];
  for (const [title, args, text, json] of cases) {
    assertEquals(textOf(() => logger.info(...args)), `INFO ${text}`, title);
    assertEquals(jsonOf(() => logger.info(...args)), { level: "INFO", ...json }, title);
  }
});

Deno.test("logger.level filters the records of all methods, in any case of the name", () => {
  const counts: Record<string, number> = {};
  for (const level of ["trace", "Debug", "INFO", "warn", "error", "fatal", "Off"]) {
    counts[level] = recordsOf("text", () => {
      logger.level = level;
      assertEquals(logger.level, level.toUpperCase());
      for (const method of Object.keys(LEVELS)) logger[method as keyof typeof LEVELS]("x");
      logInternalError("x");
    }).length;
  }
  assertEquals(counts, { trace: 8, Debug: 7, INFO: 6, warn: 5, error: 4, fatal: 3, Off: 0 });
});

Deno.test("logger.level refuses an unknown level", () => {
  for (const level of ["verbose", "", 5, null]) {
    const before = logger.level;
    const levels = "TRACE, DEBUG, INFO, WARN, ERROR, FATAL, OFF";
    const problem = `Cannot set the level: expected one of ${levels}, got ${JSON.stringify(level)}`;
    assertThrows(() => logger.level = level as never, TypeError, problem);
    assertEquals(logger.level, before);
  }
});

Deno.test("the logger is a console whose methods cannot be replaced", () => {
  const consoleLike: Pick<Console, "debug" | "info" | "warn" | "error"> = logger;
  assertThrows(() => Object.assign(consoleLike, { info: () => {} }), TypeError);
});

Deno.test("a record that is not written renders nothing", () => {
  state.level = "WARN";
  logger.info("x", { toJSON: () => assert(false, "rendered") });
});

Deno.test("logging never throws, even if the output fails or the stack is exhausted", () => {
  state.write = () => {
    throw new Error("full");
  };
  logger.critical("x");
  const exhaust = (): void => {
    logger.critical("x", { a: 1 });
    exhaust();
  };
  state.write = () => {};
  assertThrows(exhaust, RangeError); // exhaust() itself throws, the logger does not
});

Deno.test("logger.child() adds its fields to every record", () => {
  const order = logger.child({ orderId: "A-1" });
  const line = order.child({ line: 2, orderId: "A-2" });
  assertEquals(textOf(() => order.warn("Late", 5)), 'WARN Late {"orderId":"A-1"} 5');
  assertEquals(textOf(() => line.info("Late")), 'INFO Late {"orderId":"A-2","line":2}');
  const parts = { level: "INFO", message: "Late" };
  assertEquals(jsonOf(() => line.info("Late", 5)), { ...parts, data: 5, orderId: "A-2", line: 2 });
  assertEquals(jsonOf(() => logger.info("Late")), parts);
});

Deno.test("logger.child() never writes a field in place of a part of a record", () => {
  const parts = ["timestamp", "level", "requestId", "message", "data", "errorType"];
  const names = [...parts, "errorMessage", "stackTrace", "cause", "_aws", "__proto__"];
  const child = logger.child(Object.fromEntries(names.map((name) => [name, "x"])));
  const record = jsonOf(() => child.info("Late"));
  const fields = names.map((name) => [name === "__proto__" ? name : `${name}_`, "x"]);
  assertEquals(record, { level: "INFO", message: "Late", ...Object.fromEntries(fields) });
});

Deno.test("logger.child() copies its fields, and takes only a plain object", () => {
  const fields = { step: 1 };
  const child = logger.child(fields);
  fields.step = 2;
  assertEquals(jsonOf(() => child.info("x")).step, 1);
  const bare = logger.child(Object.assign(Object.create(null), fields));
  assertEquals(jsonOf(() => bare.info("x")).step, 2);
  for (const wrong of [undefined, null, "a", 5, [], new Map(), new Date()]) {
    const problem = "Cannot make a child logger: expected a plain object, got ";
    assertThrows(() => logger.child(wrong as never), TypeError, problem);
  }
});

Deno.test("logInternalError() writes a FATAL record with message, stack and causes", () => {
  const message = "INTERNAL ERROR: Cannot order.";
  const write = () => logInternalError(sample(), "Cannot order");
  assertEquals(textOf(write), `FATAL ${message} ${STACKS}`);
  assertEquals(jsonOf(write), { level: "FATAL", message, ...PARTS, data: { code: "E42" } });
});

Deno.test("logInternalError() names any thrown value", () => {
  const cases: [unknown, string | undefined, string][] = [
    [new Error("boom"), undefined, "boom"],
    [new Error("boom"), "", "boom"],
    [new Error("boom"), "Cannot order", "Cannot order"],
    [new RangeError(), undefined, "RangeError"],
    ["boom", undefined, "boom"],
    [undefined, undefined, "undefined"],
    [Object.create(null), undefined, "[Unreadable]"],
    [Object.assign(new Error(), { message: Symbol("s") }), undefined, "Symbol(s)"],
  ];
  for (const [thrown, message, expected] of cases) {
    const json = jsonOf(() => logInternalError(thrown, message));
    assertEquals([json.level, json.message], ["FATAL", `INTERNAL ERROR: ${expected}.`]);
  }
});
