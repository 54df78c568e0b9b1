import { assertEquals, assertStrictEquals } from "@std/assert";
import { currentFormat, currentLevel, loggerState } from "./_state.ts";

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
  Deno.test(`${variable} is read once, in any case, with a default for the unknown`, () => {
    for (const [value, expected] of Object.entries(values)) {
      Deno.env.set(variable, value);
      const state = { openScopes: 0 };
      assertEquals(read(state), expected);
      Deno.env.delete(variable);
      assertEquals(read(state), expected, "as read at first");
    }
    assertEquals(read({ openScopes: 0 }), values[""], "where it is not set");
  });
}
