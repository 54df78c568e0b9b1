import { assertEquals } from "@std/assert";
import { browserTest } from "../../../testdata/browser.ts";
import { startForPages } from "../../testdata/pages.ts";

browserTest(
  "a page in Chromium uploads to a bucket and reads the object again",
  async (browser) => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("<title>Shop</title>", { headers: { "content-type": "text/html" } }),
    );
    const origin = `http://localhost:${server.addr.port}`;
    await using app = await startForPages([origin]);
    const page = await browser.newPage();
    await page.goto(origin);
    const upload = async (url: string) => {
      const headers = { "content-type": "text/plain" };
      const response = await fetch(url, { method: "PUT", body: "from a page", headers });
      return [response.status, response.headers.has("etag")];
    };
    const download = async (url: string) => await (await fetch(url)).text();
    const run = <T>(work: (url: string) => Promise<T>, url: string) => page.evaluate(work, url);
    assertEquals(await run(upload, await app.put("a.txt")), [200, true]);
    assertEquals(await run(download, await app.get("a.txt")), "from a page");
    await page.goto(await app.get("a.txt"));
    assertEquals(await page.textContent("body"), "from a page");
  },
);
