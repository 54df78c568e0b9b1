import { assertEquals, assertStringIncludes } from "@std/assert";
import axe, { type AxeResults } from "axe-core";
import { browserTest } from "../../testdata/browser.ts";
import { page } from "./page.ts";
import { start } from "./testdata/example.ts";

const HOSTILE = [
  "<script>alert('text')</script>",
  "</style><script>alert('style')</script>",
  "</title></dd></dl><img src=//evil.example/x onerror=alert('image')>",
  `" onfocus="alert('attribute')" autofocus tabindex="1`,
];

Deno.test("page() escapes every character that HTML or a reader could misread", () => {
  const [html] = page({ "</dt>": "\u202e\u2066\0\x1b&lt;</dd>" });
  assertStringIncludes(html, "<dt>&lt;/dt></dt>");
  assertStringIncludes(html, String.raw`<dd>"\u202e\u2066\u0000\u001b&amp;lt;&lt;/dd>"</dd>`);
});

browserTest("a page is harmless and accessible, on a phone and on a desk", async (browser) => {
  await using platform = await start();
  for (const [colorScheme, width] of [["light", 360], ["dark", 1200]] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const incidents: string[] = [];
    page.on("dialog", (dialog) => incidents.push(dialog.message()));
    page.on("console", (message) => incidents.push(message.text()));
    const query = new URLSearchParams(HOSTILE.map((text) => [text, text]));
    await page.goto(`${platform.url}/v0/okay/${HOSTILE.map(encodeURIComponent)}?${query}`);
    const strangers = "document.querySelectorAll('script, img, [onfocus]').length";
    assertEquals(await page.evaluate(strangers), 0);
    const text = await page.innerText("body");
    for (const hostile of HOSTILE) assertStringIncludes(text, JSON.stringify(hostile).slice(1, -1));
    assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
    assertEquals(incidents, []);
    const { violations } = await page.evaluate<AxeResults>(`${axe.source}; axe.run()`);
    assertEquals(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    await context.close();
  }
});
