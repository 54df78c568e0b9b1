import { assert, assertEquals, assertMatch } from "@std/assert";
import { browserTest } from "../testdata/browser.ts";
import { succeed, temporaryFolder } from "../testdata/programs.ts";

browserTest("the site fits a phone, and its search finds guides and symbols", async (browser) => {
  const site = temporaryFolder();
  const args = ["task", "docs", "--out", site]; // fails if a link is broken
  await succeed(Deno.execPath(), args, { cwd: new URL("../", import.meta.url) });
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const guides = [...Deno.readDirSync(`${site}/documents`)].map(({ name }) => `documents/${name}`);
  for (const path of [...guides, "classes/logger_mod.Logger.html", "index.html"]) {
    await page.goto(`file://${site}/${path}`);
    const width = await page.evaluate("document.documentElement.scrollWidth") as number;
    assert(width <= 360, `${path} is ${width} pixels wide`);
    // The renderer takes infra.NAME for the name of a host, if it is not marked as code.
    assertEquals(await page.locator('a[href*="infra."]').count(), 0, `${path} links to infra.NAME`);
  }
  await page.goto(`file://${site}/documents/docs_manifest.html`);
  const domain = page.locator("li:has(> code:text-is('certificate'))");
  assertMatch(await domain.innerText(), /required.*ARN/);
  for (
    const [words, found] of [
      ["plain english", "documents/CONTRIBUTING.html"],
      ["proxyhandler", "functions/gateway_mod.proxyHandler.html"],
    ]
  ) {
    await page.click("#tsd-search-trigger");
    await page.fill("#tsd-search-input", words!);
    await page.click(`#tsd-search-results a[href$="${found}"]`);
    await page.waitForURL(`file://${site}/${found}`);
  }
  assertEquals(errors, []);
});
