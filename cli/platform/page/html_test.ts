import { assertEquals } from "@std/assert";
import { markup } from "./html.ts";

Deno.test("markup`` escapes every value, and leaves what is HTML already", () => {
  const hostile = `<script>alert("1")</script>&'`;
  const escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;";
  assertEquals(
    markup`<p title="${hostile}">${hostile}</p>`.text,
    `<p title="${escaped}">${escaped}</p>`,
  );
  assertEquals(
    markup`<ul>${["a<", "b"].map((x) => markup`<li>${x}</li>`)}</ul>`.text,
    "<ul><li>a&lt;</li><li>b</li></ul>",
  );
  assertEquals(markup`${1}${[]}${[[hostile]]}`.text, `1${escaped}`);
});
