import { assertEquals } from "@std/assert";
import { ruleOf } from "./log_rules.ts";

Deno.test("ruleOf() tells why an add-on is not loaded, but only in plain folders", () => {
  const rule =
    'The function "one" may start no program or worker and load no add-on without a mount namespace';
  const lines = [
    "Error: Cannot load native addon because loading addons is disabled.",
    '{"errorType":"Error","errorMessage":"Failed to load native binding","stack":[]}', // napi-rs, such as @node-rs/argon2
    "Error: Cannot find native binding. npm has a bug related to optional dependencies", // its version 3
  ];
  for (const line of lines) {
    assertEquals([ruleOf("one", line, false), ruleOf("one", line, true)], [rule, undefined], line);
  }
  assertEquals(ruleOf("one", "The native binding was loaded", false), undefined);
});
