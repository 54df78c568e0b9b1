import { assertEquals } from "@std/assert";
import { passEnvironment, takeEnvironment } from "./passed_environment.ts";

Deno.test("takeEnvironment() sets exactly what passEnvironment() has passed in one variable", () => {
  const environment = { LD_PRELOAD: "/evil.so", GREETING: "a=b\n'ü'" };
  const passed = passEnvironment(environment);
  assertEquals(Object.keys(passed), ["_MATE_ENVIRONMENT"]);
  const before = Deno.env.toObject();
  for (const [name, value] of Object.entries(passed)) Deno.env.set(name, value);
  takeEnvironment();
  assertEquals({ ...Deno.env.toObject() }, { ...before, ...environment });
  for (const name of Object.keys(environment)) Deno.env.delete(name);
  takeEnvironment(); // as on AWS Lambda
  assertEquals(Deno.env.toObject(), before);
});
