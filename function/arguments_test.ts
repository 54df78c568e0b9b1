import { assertEquals } from "@std/assert";
import { runInNewContext } from "node:vm";
import { isPlainObject } from "./arguments.ts";

Deno.test("isPlainObject() accepts only objects such as JSON.parse() makes, in any realm", () => {
  for (const value of [{}, JSON.parse("{}"), Object.create(null), runInNewContext("({})")]) {
    assertEquals(isPlainObject(value), true);
  }
  const others = [null, undefined, 1, "x", [], runInNewContext("[]"), new Map(), () => {}];
  for (const value of others) assertEquals(isPlainObject(value), false);
});
