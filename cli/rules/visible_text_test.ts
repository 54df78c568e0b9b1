import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { visibleJson, visibleLine, visibleText } from "./visible_text.ts";

/** What a text may have, beside white space: https://www.unicode.org/reports/tr44/#General_Category_Values */
const isVisible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d]*$/u;

const texts = fc.array(fc.oneof(
  fc.integer({ min: 0, max: 0x2100 }),
  fc.integer({ min: 0, max: 0x10ffff }),
)).map((codes) => String.fromCodePoint(...codes));

Deno.test("visibleText() and visibleLine() leave only characters that can be seen", () => {
  assertEquals(visibleText("\x1b[2Ja\r\nb\tc\x9b\r"), "␛[2Ja\nb\tc␡␍");
  assertEquals(visibleLine("\x1b[2Ja\r\nb\tc\x9b\r"), "␛[2Ja ↵ b\tc␡ ↵ ");
  // A log that looks as if it said something else: https://trojansource.codes
  assertEquals(
    visibleText("a\u202etxt.exe\u2066\u{e0041}\ud800"),
    "a<U+202E>txt.exe<U+2066><U+E0041><U+D800>",
  );
  assertEquals(visibleLine("a\u2028b\ufeff\u200b\u00ad"), "a ↵ b<U+FEFF><U+200B><U+00AD>");
  const languages =
    "Zoë 日本語 ภาษา عربى שלום हिन्दी नेपाली\u200dक می\u200cخواهم 👩🏽\u200d💻 €½²±…\u00a0";
  assertEquals([visibleText(languages), visibleLine(languages)], [languages, languages]);
  fc.assert(fc.property(texts, (text) => {
    assertEquals(isVisible.test(visibleText(text).replaceAll(/[\t\n]/g, "")), true);
    assertEquals(isVisible.test(visibleLine(text).replaceAll("\t", "")), true);
  }));
});

Deno.test("visibleJson() escapes what cannot be seen, and keeps the value", () => {
  assertEquals(visibleJson('"a\u202eb\u{e0041}\u2028"'), '"a\\u202eb\\udb40\\udc41\\u2028"');
  assertEquals(visibleJson('{\n\t"a": "\x9b\x7f€"}\r\n'), '{\n\t"a": "\\u009b\\u007f€"}\r\n');
  assertEquals(visibleJson("no JSON \x1b[2J"), "no JSON \\u001b[2J");
  fc.assert(fc.property(texts, fc.array(texts), (key, values) => {
    const json = JSON.stringify({ [key]: values });
    const visible = visibleJson(json);
    assertEquals(JSON.parse(visible), JSON.parse(json));
    assertEquals(isVisible.test(visible), true);
  }));
});
