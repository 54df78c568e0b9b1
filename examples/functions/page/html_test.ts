import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { escape, html } from "./html.ts";

for (
  const [text, escaped] of [
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    [`" onload="alert(1)`, "&quot; onload=&quot;alert(1)"],
    ["' onload='alert(1)", "&#39; onload=&#39;alert(1)"],
    ["&lt;b&gt; &amp", "&amp;lt;b&amp;gt; &amp;amp"],
    ["two\nlines\tand a tab", "two\nlines\tand a tab"],
    ["\0\x1b[31m\r\x7f\x85", "\\u0000\\u001b[31m\\u000d\\u007f\\u0085"],
    ["evil\u202efdp.exe", "evil\\u202efdp.exe"],
    ["\u2066a\u2069\u061c\ufeff\u2028\u200b", "\\u2066a\\u2069\\u061c\\ufeff\\u2028\\u200b"],
    ["half a pair \ud83d, a whole \u{1f600}", "half a pair \\ud83d, a whole \u{1f600}"],
    [
      "\u{1f469}\u200d\u{1f4bb} Gr\u00fc\u00dfe \u05e9\u05dc\u05d5\u05dd",
      "\u{1f469}\u200d\u{1f4bb} Gr\u00fc\u00dfe \u05e9\u05dc\u05d5\u05dd",
    ],
  ] as const
) {
  Deno.test(`escape() makes ${JSON.stringify(text)} harmless and visible`, () => {
    assertEquals(escape(text), escaped);
  });
}

Deno.test("escape() leaves nothing that ends a text, an attribute or an entity, and loses nothing", () => {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const escaped = escape(text);
    assert(!/[<>"']|&(?!(?:lt|gt|quot|#39|amp);)/.test(escaped));
    const shown = escaped.replace(/&([^;]+);/g, (_, name) => characters[name]!);
    if (!/\\u/.test(escaped)) assertEquals(shown, text);
  }));
});

Deno.test("html`` escapes text, and lists of it, and nothing twice", () => {
  const items = ["<a>", "&"].map((text) => html`<li>${text}</li>`);
  assertEquals(
    html`<ul title="${'"x"'}">${items}${["<", [">"]]}</ul>`.toString(),
    '<ul title="&quot;x&quot;"><li>&lt;a&gt;</li><li>&amp;</li>&lt;&gt;</ul>',
  );
});
