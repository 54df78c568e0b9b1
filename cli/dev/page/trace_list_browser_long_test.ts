import { assertEquals, assertStringIncludes } from "@std/assert";
import { browserTest } from "../../../testdata/browser.ts";
import { manifestWith, startTestPlatform } from "../../testdata/platform.ts";
import { assertAccessible, openStartPage, rowOf } from "../../testdata/start_page.ts";

browserTest("the traces are used by keyboard alone", async (browser) => {
  await using test = await startTestPlatform(({ name }) =>
    name === "plain" ? { failure: "error", payload: new TextEncoder().encode("{}") } : "{}"
  );
  const page = await browser.newPage();
  const complaints = await openStartPage(page, test.platform.controlUrl);
  for (const name of ["echo", "plain", "clock"]) {
    const path = `/2015-03-31/functions/${name}/invocations`;
    await test.send({ method: "POST", path, body: "{}" });
  }
  await rowOf(page, "plain").waitFor();
  const focused = () =>
    page.evaluate("document.activeElement.id || document.activeElement.textContent");
  const reach = async (what: string) => {
    for (let presses = 0; presses < 40; presses++) {
      if (await focused() === what) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`The key Tab does not reach ${what}`);
  };
  await reach("trace-list");
  await page.keyboard.press("End");
  const selected = () => page.locator("#trace-list [aria-selected=true]").innerText();
  assertStringIncludes(await selected(), "echo");
  await page.keyboard.press("ArrowUp");
  assertStringIncludes(await selected(), "plain");
  await page.keyboard.press("Enter");
  await page.locator("#trace-tree:focus").waitFor();
  await page.getByRole("treeitem", { name: "plain", selected: true }).waitFor();
  await reach("Send again");
  await page.keyboard.press("Enter");
  await rowOf(page, "").nth(3).waitFor();
  assertEquals(test.host.calls.map(({ name }) => name), ["echo", "plain", "clock", "plain"]);
  await page.locator("#trace-tree").focus();
  await page.keyboard.press("Escape");
  assertEquals(await focused(), "trace-list");
  await page.locator("#map").waitFor();
  assertEquals(complaints, []);
});

browserTest(
  "a trace that runs goes on, and the map of many functions shows one",
  async (browser) => {
    const names = Array.from({ length: 13 }, (_, index) => `f${index}`);
    const functions = Object.fromEntries(names.map((name, index) => [name, {
      module: "f.ts",
      triggers: { queues: [{ name: `q${index}` }] },
    }]));
    const queues = Object.fromEntries(names.map((_, index) => [`q${index}`, {}]));
    const end = Promise.withResolvers<string>();
    const manifest = manifestWith(functions, queues);
    await using test = await startTestPlatform(() => end.promise, { manifest });
    const page = await browser.newPage();
    const complaints = await openStartPage(page, test.platform.controlUrl);
    await page.getByLabel("What is near").selectOption("f3");
    await page.getByRole("link", { name: "queue q3" }).waitFor();
    await page.getByRole("link", { name: "queue q0" }).waitFor({ state: "hidden" });
    await assertAccessible(page, "#traces");
    const path = "/2015-03-31/functions/f3/invocations";
    const sent = test.send({ method: "POST", path, body: "{}" });
    await rowOf(page, "running").click();
    const time = page.locator("#trace-tree .time");
    const first = await time.innerText();
    await time.filter({ hasNotText: first }).waitFor();
    end.resolve('"done"');
    await sent;
    await page.getByRole("region", { name: "Result" }).getByText('"done"').waitFor();
    assertEquals(await rowOf(page, "running").count(), 0);
    assertEquals(complaints, []);
  },
);

browserTest("with 1,000 traces, only the rows in view are in the document", async (browser) => {
  await using test = await startTestPlatform();
  const path = "/2015-03-31/functions/plain/invocations";
  for (let sent = 0; sent < 1_000; sent++) await test.send({ method: "POST", path, body: "{}" });
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  // Measures the work of each frame, which draws what the events before it have told.
  await page.addInitScript(`
    window.work = [];
    const measure = (run) => (...values) => {
      const start = performance.now();
      try { return run(...values); } finally { window.work.push(performance.now() - start); }
    };
    const frame = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (run) => frame(measure(run));
  `);
  await openStartPage(page, test.platform.controlUrl);
  await page.getByText("1000 traces", { exact: true }).waitFor();
  const rows = await rowOf(page, "").count();
  assertEquals([rows > 10, rows < 40], [true, true], `${rows} rows`);
  await page.evaluate("window.work.length = 0");
  for (let sent = 0; sent < 10; sent++) await test.send({ method: "POST", path, body: "{}" });
  await page.getByText("1010 traces", { exact: true }).waitFor();
  const work = await page.evaluate("window.work") as number[];
  console.log(
    `the frames of ten new traces took ${work.map((time) => time.toFixed(1)).join(", ")} ms`,
  );
  assertEquals(work.every((time) => time < 500), true, `${work} ms`);
  await page.locator("#trace-list").focus();
  await page.keyboard.press("End");
  assertEquals(
    await page.locator("#trace-list [aria-selected=true]").getAttribute("aria-posinset"),
    "1010",
  );
  assertEquals(await rowOf(page, "").count() < 40, true);
});
