import { assertEquals, fail } from "@std/assert";
import { environmentOf } from "./environment.ts";

Deno.test("environmentOf() reads a variable on Deno", () => {
  const read = environmentOf();
  Deno.env.set("MATE_LOGGER_TEST", "set");
  assertEquals(read("MATE_LOGGER_TEST"), "set");
  Deno.env.delete("MATE_LOGGER_TEST");
  assertEquals(read("MATE_LOGGER_TEST"), undefined);
});

Deno.test("environmentOf() reads no variable on Deno that needs a prompt", () => {
  for (const state of ["prompt", "denied"]) {
    const asked: unknown[] = [];
    const querySync = (descriptor: unknown) => {
      asked.push(descriptor);
      return { state };
    };
    const env = { get: () => fail("read") };
    const host = { Deno: { permissions: { querySync }, env } };
    const value = environmentOf(host)("AWS_LAMBDA_LOG_LEVEL");
    assertEquals(value, undefined);
    assertEquals(asked, [{ name: "env", variable: "AWS_LAMBDA_LOG_LEVEL" }]);
  }
});

Deno.test("environmentOf() reads a variable on other runtimes, if they have any", () => {
  assertEquals(environmentOf({ process: { env: { A: "1" } } })("A"), "1");
  for (const host of [{ process: { env: {} } }, { process: {} }, {}]) {
    assertEquals(environmentOf(host)("A"), undefined);
  }
});
