import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { JsonValue } from "@mate/core/function";
import { type Content, html } from "./html.ts";
import { code, json, layOut } from "./json.ts";

/** The text a browser would show. */
function textOf(content: Content): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return html`${content}`.toString().replace(/<[^>]*>/g, "")
    .replace(/&([^;]+);/g, (_, name) => entities[name]!);
}

Deno.test("layOut() puts what is short on one line, and indents the rest", () => {
  assertEquals(layOut(["gzip", "br"]), '["gzip", "br"]');
  assertEquals(layOut({ value: "de", quality: 0.5 }), '{ "value": "de", "quality": 0.5 }');
  assertEquals([layOut([]), layOut({}), layOut(null), layOut("x")], ["[]", "{}", "null", '"x"']);
  const long = "x".repeat(60);
  assertEquals(layOut({ a: [long, [1]] }), `{\n  "a": [\n    "${long}",\n    [1]\n  ]\n}`);
});

Deno.test("layOut() writes JSON of the same value", () => {
  fc.assert(fc.property(fc.json(), (text) => {
    const value: JsonValue = JSON.parse(text);
    assertEquals(JSON.parse(layOut(value)), value);
  }));
});

Deno.test("code() shows the text it was given, whatever it marks in it", () => {
  const visible = fc.json().map((text) => layOut(JSON.parse(text)))
    .filter((text) => text.length < 20_000 && /^[\x20-\x7e\n]*$/.test(text));
  fc.assert(fc.property(visible, (text) => assertEquals(textOf(code(text)), text)));
});

Deno.test("code() marks keys, strings and literals", () => {
  assertEquals(
    html`${code('{ "a": "\\"b", "c": [-1.5e+3, true, null] }')}`.toString(),
    '<pre><code>{ <span class="key">&quot;a&quot;</span>: <span class="string">&quot;\\&quot;b&quot;</span>, ' +
      '<span class="key">&quot;c&quot;</span>: [<span class="literal">-1.5e+3</span>, ' +
      '<span class="literal">true</span>, <span class="literal">null</span>] }</code></pre>',
  );
});

Deno.test("code() cuts what is very long, says by how much, and marks the string that it cut", () => {
  const markup = html`${code(layOut("\\".repeat(15_000)))}`.toString();
  assert(markup.length < 25_000);
  assertStringIncludes(markup, '<span class="string">&quot;\\\\');
  assertStringIncludes(markup, "… and 10,002 more characters");
});

Deno.test("json() lists the members of a flat object, and writes the others as JSON", () => {
  const list = html`${json({ "<b>": "1", n: 2 })}`.toString();
  assertStringIncludes(list, "<dt>&lt;b&gt;</dt>");
  assertStringIncludes(list, '<span class="literal">2</span>');
  const others: JsonValue[] = [
    {},
    { a: {} },
    [1],
    "x",
    Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`n${index}`, 1])),
    { a: "x".repeat(20_001) },
  ];
  for (const value of others) assert(html`${json(value)}`.toString().startsWith("<pre><code>"));
});
