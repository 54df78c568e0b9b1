import { assertEquals } from "@std/assert";
import { chooseType, isBinary } from "./media_type.ts";

Deno.test("isBinary() is false only for text, JSON and XML, in any case", () => {
  for (
    const [contentType, expected] of [
      ["text/html", false],
      ["TEXT/Plain; charset=iso-8859-1", false],
      ["text/csv;header=present", false],
      ["application/json", false],
      ["Application/JSON; charset=utf-8", false],
      ["application/xml ;x=y", false],
      [" application/xml", false],
      ["application/xhtml+xml", true],
      ["application/problem+json", true],
      ["application/jsonx", true],
      ["application/json-seq", true],
      ["image/svg+xml", true],
      ["image/png; name=text/html", true],
      ["textual/x", true],
      ["text", true],
      ["", true],
    ] as const
  ) {
    assertEquals(isBinary(contentType), expected, contentType);
  }
});

Deno.test("chooseType() takes the first type without an Accept and for */*, and a range only if it is that range", () => {
  for (
    const [types, expected] of [
      [["application/json", "text/html"], "application/json"],
      [["text/html", "application/json"], "text/html"],
      [["image/*", "text/html"], "text/html"],
      [["image/*"], undefined],
      [["application/json", "*/*"], "*/*"],
    ] as const
  ) {
    for (const accept of [undefined, "", "*/*", "*", "*/*;q=0.1"]) {
      assertEquals(chooseType(accept, types), expected, `${accept} of ${types}`);
    }
  }
});
