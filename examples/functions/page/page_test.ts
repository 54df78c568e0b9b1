import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { htmlPage } from "./page.ts";

Deno.test("htmlPage() shows the message of an error as the heading, escaped", () => {
  const [content, type] = htmlPage("forbidden")({ Message: "No <b>entry</b>" });
  assertEquals(type, "text/html; charset=utf-8");
  assertStringIncludes(content, "<h1>No &lt;b&gt;entry&lt;/b&gt;</h1>");
  assertStringIncludes(content, "<title>No &lt;b&gt;entry&lt;/b&gt; · forbidden</title>");
});

Deno.test("htmlPage() links each accessor to its documentation, and shows an error in its place", () => {
  const [content] = htmlPage("okay")({
    accessors: {
      "headerPreferences('accept')": { result: [] },
      "sourceIp()": { error: "No <address>" },
    },
    rawEvent: {},
  });
  const docs = "https://jsr.io/@mate/core/doc/gateway/~/FnProxyEvent.prototype";
  assertStringIncludes(content, `href="${docs}.headerPreferences"`);
  assertStringIncludes(content, `href="${docs}.sourceIp"`);
  assertStringIncludes(content, '<p class="raised">No &lt;address&gt;</p>');
});

Deno.test("htmlPage() shows any payload that JSON can carry", () => {
  for (
    const payload of [null, [], "<text>", 7, {}, { accessors: 1 }, { accessors: {} }, {
      Message: 1,
    }]
  ) {
    const [content] = htmlPage("crash")(payload);
    assertStringIncludes(content, "<h1>The answer</h1>");
    assert(!content.includes("<text>"));
  }
});
