import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { browserTest } from "../../testdata/browser.ts";
import { buildSite } from "./build.ts";
import { renderGuide } from "./guides.ts";
import { brokenLinks, filesBelow } from "./links.ts";

const FILES = ["README.md", "docs/README.md", "docs/gateway.md"];

Deno.test("renderGuide() leads links to pages of the site, or to the repository", () => {
  for (
    const [link, href] of [
      ["gateway.md#pitfalls", "gateway.html#pitfalls"],
      ["README.md", "index.html"],
      ["../README.md", "../index.html"],
      ["../docs/", "index.html"],
      ["#here", "#here"],
      ["../LICENSE", "https://example.com/repo/blob/main/LICENSE"],
      ["start_page.png", "start_page.png"],
      ["https://example.com/a.md", "https://example.com/a.md"],
    ] as const
  ) {
    const text = `# A & B\n\n[link](${link})\n\n## A & B\n\nMore\n`;
    const guide = renderGuide("docs/x.md", text, FILES, "https://example.com/repo");
    assertStringIncludes(guide.html, `href="${href}"`);
    assertEquals(guide.path, "docs/x.html");
    assertEquals(guide.sections.map(({ id }) => id), ["a--b", "a--b-1"]);
  }
});

Deno.test("brokenLinks() finds links to missing files and anchors, in the site and in the repository", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const links = [
      "b.html#here",
      "b.html#there",
      "c.html",
      "#a",
      "#b",
      "https://example.com/x",
      "https://example.com/repo/b.html#L1",
      "https://example.com/repo/e.ts",
      "d/",
    ];
    const html = `<p id="a">${links.map((link) => `<a href="${link}">x</a>`).join("")}`;
    await Deno.writeTextFile(`${folder}/a.html`, html);
    await Deno.writeTextFile(`${folder}/b.html`, '<p id="here">');
    await Deno.mkdir(`${folder}/d`);
    await Deno.writeTextFile(`${folder}/d/index.html`, "");
    const broken = ["b.html#there", "c.html", "#b", "https://example.com/repo/e.ts"];
    assertEquals(
      await brokenLinks(folder, { url: "https://example.com/repo/", folder }),
      broken.map((link) => `a.html → ${link}`),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

browserTest(
  "the site has no broken link, fits a phone, and its search finds guides and symbols",
  async (browser) => {
    const folder = await Deno.makeTempDir();
    await buildSite(folder); // fails if a link is broken
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const path = decodeURIComponent(new URL(request.url).pathname).replace(
          /\/$/,
          "/index.html",
        );
        const type =
          { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json" }[
            path.split(".").at(-1)!
          ] ?? "image/png";
        const file = await Deno.open(folder + path).catch(() => undefined);
        return new Response(file?.readable ?? null, {
          status: file ? 200 : 404,
          headers: { "Content-Type": type },
        });
      },
    );
    const url = `http://127.0.0.1:${server.addr.port}/`;
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    try {
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      for (const path of filesBelow(folder)) {
        if (!path.endsWith(".html") || path.startsWith("api/")) continue;
        await page.goto(url + path);
        const width = await page.evaluate("document.documentElement.scrollWidth") as number;
        assert(width <= 360, `${path} is ${width} pixels wide`);
      }
      for (
        const [words, title, wanted] of [
          ["proxyhandler", "proxyHandler", "api/"],
          ["pitfalls binary", "Pitfalls", "docs/"],
          ["plain english", "Plain English", "CONTRIBUTING.html"],
        ] as const
      ) {
        await page.goto(`${url}docs/gateway.html`);
        await page.fill("#search input", words);
        await page.click(`#results a:has-text("${title}")`);
        await page.waitForLoadState();
        assertStringIncludes(page.url(), url + wanted);
      }
      assertEquals(errors, []);
    } finally {
      await context.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
