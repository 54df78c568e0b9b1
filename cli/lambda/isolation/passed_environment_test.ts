import { assertEquals } from "@std/assert";
import { passEnvironment, takeEnvironment } from "./passed_environment.ts";

Deno.test("takeEnvironment() sets the variables that passEnvironment() has put into one", () => {
  // Tests that run at the same time share the environment, so these names must be harmless.
  const environment = { MATE_TEST_GREETING: "a=b\n'ü'", MATE_TEST_EMPTY: "" };
  const [[name, value] = [], ...others] = Object.entries(passEnvironment(environment));
  assertEquals([name, others], ["_MATE_ENVIRONMENT", []]);
  Deno.env.set(name!, value!);
  assertEquals(takeEnvironment(), true);
  const names = Object.keys(environment);
  assertEquals(names.map((key) => Deno.env.get(key)), Object.values(environment));
  assertEquals(Deno.env.get(name!), undefined);
  for (const key of names) Deno.env.delete(key);
  assertEquals(takeEnvironment(), false); // as on AWS Lambda, where the variables are set already
  assertEquals(names.map((key) => Deno.env.get(key)), [undefined, undefined]);
});
