import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { visibleJson, visibleLine, visibleText } from "./visible_text.ts";

Deno.test("visibleText() and visibleLine() leave no control character", () => {
  assertEquals(visibleText("\x1b[2Ja\r\nb\tc\x9b\r"), "␛[2Ja\nb\tc␡␍");
  assertEquals(visibleLine("\x1b[2Ja\r\nb\tc\x9b\r"), "␛[2Ja ↵ b\tc␡ ↵ ");
  const texts = fc.array(fc.integer({ min: 0, max: 0x2100 })).map((codes) =>
    String.fromCharCode(...codes)
  );
  fc.assert(fc.property(texts, (text) => {
    assertEquals(/(?![\t\n])\p{Cc}/u.exec(visibleText(text)), null);
    assertEquals(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/u.exec(visibleLine(text)), null);
  }));
});

Deno.test("visibleJson() escapes control characters, and keeps the value", () => {
  assertEquals(visibleJson('{\n\t"a": "\x9b\x7f€"}\r\n'), '{\n\t"a": "\\u009b\\u007f€"}\r\n');
  assertEquals(visibleJson("no JSON \x1b[2J"), "no JSON \\u001b[2J");
  fc.assert(fc.property(fc.json({ stringUnit: "binary" }), (json) => {
    const visible = visibleJson(json);
    assertEquals(JSON.parse(visible), JSON.parse(json));
    assertEquals(/(?![\t\r\n])\p{Cc}/u.exec(visible), null);
  }));
});
