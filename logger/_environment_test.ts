import { assertEquals, fail } from "@std/assert";
import { readEnvironment } from "./_environment.ts";

Deno.test("readEnvironment() reads a variable on Deno", () => {
  Deno.env.set("MATE_LOGGER_TEST", "set");
  assertEquals(readEnvironment("MATE_LOGGER_TEST"), "set");
  Deno.env.delete("MATE_LOGGER_TEST");
  assertEquals(readEnvironment("MATE_LOGGER_TEST"), undefined);
});

Deno.test("readEnvironment() never reads on Deno what it would have to ask for", () => {
  for (const state of ["prompt", "denied"]) {
    const asked: unknown[] = [];
    const querySync = (descriptor: unknown) => {
      asked.push(descriptor);
      return { state };
    };
    const env = { get: () => fail("read") };
    const host = { Deno: { permissions: { querySync }, env } };
    const value = readEnvironment("AWS_LAMBDA_LOG_LEVEL", host);
    assertEquals(value, undefined);
    assertEquals(asked, [{ name: "env", variable: "AWS_LAMBDA_LOG_LEVEL" }]);
  }
});

Deno.test("readEnvironment() reads a variable elsewhere, if there are any", () => {
  assertEquals(readEnvironment("A", { process: { env: { A: "1" } } }), "1");
  for (const host of [{ process: { env: {} } }, { process: {} }, {}]) {
    assertEquals(readEnvironment("A", host), undefined);
  }
});
