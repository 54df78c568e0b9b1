import { assertEquals, assertStrictEquals, fail } from "@std/assert";
import { currentFormat, currentLevel, type LoggerState, loggerState } from "./state.ts";

Deno.test("loggerState() is one object a process, made when it is first needed", () => {
  const key = Symbol.for("@mate/core/logger/1");
  assertEquals(key in globalThis, false);
  const state = loggerState();
  assertStrictEquals(loggerState(), state);
  assertStrictEquals((globalThis as { [key]?: unknown })[key], state);
});

for (
  const [variable, read, values] of [
    ["AWS_LAMBDA_LOG_FORMAT", currentFormat, {
      "": "text",
      JSON: "json",
      json: "json",
      Text: "text",
      XML: "text",
    }],
    ["AWS_LAMBDA_LOG_LEVEL", currentLevel, {
      "": "INFO",
      TRACE: "TRACE",
      debug: "DEBUG",
      Fatal: "FATAL",
      verbose: "INFO",
    }],
  ] as const
) {
  Deno.test(`${variable} is read for each record, in any case, with a default for the unknown`, () => {
    const state = { openScopes: 0 };
    Deno.env.delete(variable);
    assertEquals(read(state), values[""], "where it is not set");
    for (const [value, expected] of Object.entries(values)) {
      Deno.env.set(variable, value);
      assertEquals(read(state), expected);
    }
    Deno.env.delete(variable);
  });
}

Deno.test("what a runtime hands over counts before the environment", () => {
  const environment = () => fail("read");
  const state: LoggerState = { openScopes: 0, format: "json", level: "WARN", environment };
  assertEquals([currentFormat(state), currentLevel(state)], ["json", "WARN"]);
});
