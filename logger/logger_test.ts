import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { runInNewContext } from "node:vm";
import { loggerState } from "./_state.ts";
import { logger, logInternalError, withRequestId } from "./mod.ts";

const state = loggerState();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a function logs: the records as lines. */
function recordsOf(format: "text" | "json", fn: () => void): string[] {
  const lines: string[] = [];
  Object.assign(state, { format, level: "TRACE", write: (line: string) => lines.push(line) });
  withRequestId("8f5e", fn);
  return lines;
}

/** The one record of a function that logs once, without what every record has. */
function textOf(fn: () => void): string {
  const lines = recordsOf("text", fn);
  assertEquals(lines.length, 1);
  const [time, id, level, ...rest] = lines[0]!.split("\t");
  assertMatch(time!, TIME);
  assertEquals(id, "8f5e");
  return `${level} ${rest.join("\t")}`;
}

// deno-lint-ignore no-explicit-any -- parsed JSON
function jsonOf(fn: () => void): any {
  const lines = recordsOf("json", fn);
  assertEquals(lines.length, 1);
  assert(!lines[0]!.includes("\n"));
  const { timestamp, requestId, ...rest } = JSON.parse(lines[0]!);
  assertMatch(timestamp, TIME);
  assertEquals(requestId, "8f5e");
  return rest;
}

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

function sample(): Error {
  const cause = Object.assign(new Error("timed out"), {
    stack: "Error: timed out\n    at connect",
  });
  return Object.assign(new TypeError("no supplier", { cause }), {
    stack: "TypeError: no supplier\n    at order\n    at main",
    code: "E42",
  });
}
const PARTS = {
  errorType: "TypeError",
  errorMessage: "no supplier",
  stackTrace: ["TypeError: no supplier", "    at order", "    at main"],
  cause: {
    errorType: "Error",
    errorMessage: "timed out",
    stackTrace: ["Error: timed out", "    at connect"],
  },
};
const STACKS = 'TypeError: no supplier\r    at order\r    at main {"code":"E42"}' +
  "\r[cause]: Error: timed out\r    at connect";

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

Deno.test("an error keeps a property of any name", () => {
  const error = Object.assign(new Error("x"), { stack: "Error: x" });
  Object.defineProperty(error, "__proto__", { value: 1, enumerable: true });
  assert(textOf(() => logger.error(error)).endsWith(' {"__proto__":1}'));
});

Deno.test("logInternalError() writes a critical record with message, stack and causes", () => {
  const message = "INTERNAL ERROR: Cannot order.";
  assertEquals(
    textOf(() => logInternalError(sample(), "Cannot order")),
    `FATAL ${message} ${STACKS}`,
  );
  assertEquals(jsonOf(() => logInternalError(sample(), "Cannot order")), {
    level: "FATAL",
    message,
    ...PARTS,
    data: { code: "E42" },
  });
});

for (
  const [title, thrown, message, expected] of [
    ["an error's own message", new Error("boom"), undefined, "boom"],
    ["the same for an empty one", new Error("boom"), "", "boom"],
    ["the name of an error without one", new RangeError(), undefined, "RangeError"],
    ["a thrown text", "boom", undefined, "boom"],
    ["a thrown undefined", undefined, undefined, "undefined"],
    ["a thrown object without text", Object.create(null), undefined, "[Unreadable]"],
    [
      "an error whose message throws",
      Object.defineProperty(new Error(), "message", {
        get() {
          throw 1;
        },
      }),
      undefined,
      "[Unreadable]",
    ],
  ] as [string, unknown, string | undefined, string][]
) {
  Deno.test(`logInternalError() tells ${title}`, () => {
    const json = jsonOf(() => logInternalError(thrown, message));
    assertEquals(json.message, `INTERNAL ERROR: ${expected}.`);
    assertEquals(json.level, "FATAL");
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
