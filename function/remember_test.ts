import { assertEquals, assertThrows } from "@std/assert";
import { remember } from "./remember.ts";

Deno.test("remember() makes each result once, for 100 short texts and never for an error", () => {
  const made: string[] = [];
  const fold = remember((text) => {
    made.push(text);
    if (text === "") throw new TypeError("empty");
    return text.toLowerCase();
  });
  const texts = Array.from({ length: 101 }, (_, index) => `A${index}`);
  for (const text of ["", "", "B".repeat(100), "B".repeat(100), ...texts, ...texts]) {
    if (text === "") assertThrows(() => fold(text), TypeError);
    else assertEquals(fold(text), text.toLowerCase());
  }
  assertEquals(made, ["", "", "B".repeat(100), "B".repeat(100), ...texts, "A100"]);
});
