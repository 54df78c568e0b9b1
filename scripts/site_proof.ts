import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import { browserTest } from "../testdata/browser.ts";
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import { build } from "./build_site.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
};

/** Serves the files of a folder below /core/, as GitHub Pages does: a path without an ending is a page. */
function serve(folder: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const path = decodeURIComponent(new URL(request.url).pathname).replace(
        /^\/core\//,
        "/",
      );
      for (const file of [path, `${path}.html`, `${path}index.html`]) {
        try {
          const body = await Deno.readFile(folder + file);
          const type = TYPES[file.split(".").at(-1)!] ??
            "application/octet-stream";
          return new Response(body, { headers: { "content-type": type } });
        } catch (error) {
          if (
            !(error instanceof Deno.errors.NotFound) &&
            !/directory/i.test(String(error))
          ) {
            throw error;
          }
        }
      }
      return new Response("Not found", { status: 404 });
    },
  );
}

// Before the test, whose limit is for the browser.
const site = temporaryFolder();
const folder = new URL("site/", import.meta.url);
await succeed("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
await build(site); // fails if a link is broken

const VIEWED = [
  "",
  "docs/",
  "docs/tutorial",
  "docs/local",
  "manifest",
  "api/logger/mod",
  "SECURITY",
];

browserTest(
  "the site is right in a browser: wide and narrow, light and dark, by axe",
  async (browser, t) => {
    await using server = serve(site);
    const base = `http://127.0.0.1:${server.addr.port}/core/`;
    for (const width of [1280, 390]) {
      for (const colorScheme of ["light", "dark"] as const) {
        await t.step(`${width} pixels, ${colorScheme}`, async () => {
          const page = await browser.newPage({
            viewport: { width, height: 800 },
            colorScheme,
          });
          const errors: string[] = [];
          page.on("pageerror", (error) => errors.push(String(error)));
          page.on("response", (response) => {
            if (response.status() >= 400) {
              errors.push(`${response.status()} ${response.url()}`);
            }
          });
          for (const path of VIEWED) {
            await page.goto(base + path, { waitUntil: "load" });
            const used = await page.evaluate(
              "document.documentElement.scrollWidth",
            ) as number;
            assert(used <= width, `${path} needs ${used} pixels of ${width}`);
            await page.evaluate(axe.source);
            const found = await page.evaluate(
              "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))",
            );
            assertEquals(found, [], path);
            const pictures = Deno.env.get("SITE_PICTURES");
            if (pictures) {
              const name = `${path.replaceAll("/", "_") || "index"}_${width}_${colorScheme}.png`;
              await page.screenshot({ path: `${pictures}/${name}` });
            }
          }
          assertEquals(errors, []);
          await page.close();
        });
      }
    }
    await t.step("the search finds guides and symbols", async () => {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 800 },
      });
      await page.goto(base);
      for (
        const [text, path] of [["dead-letter queue", "docs/"], [
          "captureLog",
          "api/",
        ]] as const
      ) {
        await page.locator(".VPNavBarSearch button").first().click();
        await page.locator("#localsearch-input").fill(text);
        await page.locator(`#localsearch-list a[href*="/core/${path}"]`).first()
          .waitFor();
        await page.keyboard.press("Escape");
      }
      await page.close();
    });
    const llms = await Deno.readTextFile(`${site}/llms.txt`);
    assert(llms.includes("/docs/tutorial.md)"), llms);
  },
);
