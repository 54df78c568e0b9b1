import { assertEquals, assertStrictEquals } from "@std/assert";
import "../testdata/own_environment.ts";
import { withRequestId } from "./mod.ts";
import { currentFormat, currentLevel, loggerState } from "./state.ts";

Deno.test("loggerState() is one object in a process, made on first use", () => {
  const key = Symbol.for("@mate/core/logger/3");
  assertEquals(key in globalThis, false);
  const state = loggerState();
  assertStrictEquals(loggerState(), state);
  assertStrictEquals((globalThis as { [key]?: unknown })[key], state);
});

Deno.test("the variables of AWS Lambda are read in each scope of a request id, in any case", () => {
  const cases = [
    ["AWS_LAMBDA_LOG_FORMAT", currentFormat, { "": "text", json: "json", Text: "text", X: "text" }],
    ["AWS_LAMBDA_LOG_LEVEL", currentLevel, {
      "": "INFO",
      TRACE: "TRACE",
      debug: "DEBUG",
      x: "INFO",
    }],
  ] as const;
  for (const [variable, read, values] of cases) {
    Deno.env.delete(variable);
    assertEquals(read(), values[""], `${variable} is not set`);
    for (const [value, expected] of Object.entries(values)) {
      const before = read();
      Deno.env.set(variable, value);
      assertEquals(read(), before, "the value is kept within a scope");
      assertEquals(withRequestId("1", read), expected, `${variable}=${value}`);
    }
    Deno.env.delete(variable);
  }
});

Deno.test("format and level that a runtime sets take precedence over the environment", () => {
  Deno.env.set("AWS_LAMBDA_LOG_FORMAT", "text");
  Deno.env.set("AWS_LAMBDA_LOG_LEVEL", "DEBUG");
  Object.assign(loggerState(), { format: "json", level: "WARN" });
  assertEquals([currentFormat(), currentLevel()], ["json", "WARN"]);
  Deno.env.delete("AWS_LAMBDA_LOG_FORMAT");
  Deno.env.delete("AWS_LAMBDA_LOG_LEVEL");
});
