import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { browserTest } from "../../../testdata/browser.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { Command } from "../../testdata/command.ts";
import { assertAccessible, openStartPage, rowOf } from "../../testdata/start_page.ts";
import type { Span } from "../traces/span.ts";

const VERSIONS: Record<string, string> = JSON.parse(
  await Deno.readTextFile(new URL("../../../.ci/deno.json", import.meta.url)),
).imports;

const BROKEN = `
const price = (line) => line.split(",")[1].trim();
export const handler = (event) => event.Records.map(({ body }) => price(body));
`;

const API = `
import { SQS } from "${VERSIONS["@aws-sdk/client-sqs"]}";
export const handler = async () => {
  const QueueUrl = Deno.env.get("QUEUE_IMPORTS");
  await new SQS().sendMessage({ QueueUrl, MessageBody: "tea" });
  await new SQS().sendMessage({ QueueUrl: QueueUrl.replace("imports", "other"), MessageBody: "m" })
    .catch(() => {});
  return { statusCode: 202 };
};
`;

const MANIFEST = {
  name: "app",
  stage: "v0",
  functions: {
    api: {
      module: "api.ts",
      timeout: 30,
      triggers: { routes: [{ method: "POST", path: "/imports" }] },
      uses: { queues: { imports: "send" } },
    },
    importer: { module: "importer.ts", triggers: { queues: [{ name: "imports" }] } },
  },
  queues: { imports: { retries: 1 }, other: {} },
};

browserTest("a failed import is found, mended, sent again and redriven", async (browser, t) => {
  const folder = temporaryFolder();
  await Deno.writeTextFile(`${folder}/importer.ts`, BROKEN);
  await Deno.writeTextFile(`${folder}/api.ts`, API);
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(MANIFEST));
  await using command = new Command(["--port", "0", "--time", "skip", "app.json"], folder);
  const [, controlUrl, base] = await command.find(/Start page {2}(\S+)\/\n[^]*Base URL {4}(\S+)\n/);
  const settled = async () => await (await fetch(`${controlUrl}/settled`)).text();
  const page = await browser.newPage();
  const complaints = await openStartPage(page, controlUrl!);
  const tree = page.getByRole("tree");
  const detail = page.getByRole("region", { name: "Span", exact: true });

  await t.step("the trace is in the list, with what failed", async () => {
    const response = await fetch(`${base}/imports`, { method: "POST" });
    assertEquals([response.status, await response.text()], [202, ""]);
    await settled();
    await rowOf(page, "3 failed").waitFor();
    await page.getByLabel("Which traces").selectOption("failed");
    await page.getByLabel("Filter").fill("importer");
    assertMatch(
      await rowOf(page, "POST /v0/imports").innerText(),
      /api → importer\s+202\s+3 failed/,
    );
  });

  await t.step("the map says where, and its places filter", async () => {
    await page.getByRole("link", { name: "importer 2/2 failed" }).click();
    await page.waitForURL(/#traces\/of\/function%3Aimporter$/);
    await page.locator("#trace-count").getByText("1 trace").waitFor();
    assertEquals(await page.getByLabel("Filter").inputValue(), "function:importer");
    assertEquals(await rowOf(page, "").count(), 1);
    await assertAccessible(page, "#traces");
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  await t.step("the last failure is selected, and shows the line of the author", async () => {
    await rowOf(page, "POST /v0/imports").click();
    const names = (await tree.getByRole("treeitem").allInnerTexts())
      .map((text) => text.replaceAll(/\s*\n\s*/g, " ").replace(/ \S+ (ms|s)$/, ""));
    assertEquals(names.map((name) => name.replace(" cold", "")), [
      "HTTP POST /v0/imports 202",
      "λ api",
      "SQS SendMessage imports",
      "λ importer attempt 1 of 2 comes again",
      "λ importer attempt 2 of 2 to the dead letters",
      "SQS SendMessage other may not sqs:SendMessage",
    ]);
    await tree.getByText("to the dead letters").click();
    const problem = detail.locator(".problem");
    assertMatch(await problem.innerText(), /^TypeError: Cannot read properties of undefined/);
    assertMatch(await problem.innerText(), /at price \(importer\.ts:2:\d+\)/);
    assertEquals(await problem.locator("details").getAttribute("open"), null);
    assertStringIncludes(
      await detail.getByRole("region", { name: "Event" }).innerText(),
      '"body": "tea"',
    );
  });

  await t.step("a denied right is shown with what the manifest needs", async () => {
    await tree.getByText("may not").click();
    const rights = detail.getByRole("region", { name: "Rights to add" });
    assertEquals(await rights.innerText(), '"uses": {"queues":{"other":"send"}}');
    const again = detail.getByRole("button", { name: "Send again" });
    assertEquals(await again.getAttribute("aria-disabled"), "true");
    await detail.getByText("Send again: A function has made this call").waitFor();
  });

  await t.step("the trace is accessible, light and dark, at 420 pixels too", async () => {
    const hash = await page.evaluate("location.hash") as string;
    await assertAccessible(page, hash);
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  await t.step("the mended code handles the event that is sent again", async () => {
    await tree.getByText("to the dead letters").click();
    await Deno.writeTextFile(`${folder}/importer.ts`, BROKEN.replace("[1].trim()", "[0]"));
    await command.find(/Reloaded importer/);
    await detail.getByRole("heading", { name: "importer" }).waitFor();
    await detail.getByRole("button", { name: "Send again" }).click();
    await tree.getByRole("treeitem").nth(1).waitFor({ state: "detached" });
    await detail.getByRole("region", { name: "Result" }).getByText('"tea"').waitFor();
    assertEquals(await detail.locator(".problem").count(), 0);
  });

  await t.step("the mended event is saved as a test, once", async () => {
    const save = detail.getByRole("button", { name: "Save as a test" });
    await save.click();
    await detail.getByText("Saved: ").waitFor();
    const saved = await detail.getByText("Saved: ").locator("code").allInnerTexts();
    assertEquals(saved.length > 1, true, saved.join());
    for (const file of saved) assertEquals((await Deno.stat(`${folder}/${file}`)).isFile, true);
    await save.click();
    await detail.getByText(saved[0]!).filter({ hasText: "exist" }).waitFor();
    const refused = "Failed to load resource: the server responded with a status of 409 (Conflict)";
    assertEquals(complaints.splice(0), [refused]);
  });

  await t.step("the dead letter says why, and is redriven", async () => {
    await page.getByRole("link", { name: "Data", exact: true }).click();
    const letters = page.getByRole("list", { name: "Dead letters" });
    await letters.getByText("TypeError: Cannot read properties of undefined").waitFor();
    await assertAccessible(page, "#data/dead-letters");
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole("link", { name: "Trace of the last attempt" }).click();
    await tree.getByText("to the dead letters").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Redrive" }).click();
    await page.getByText("No dead letters.").waitFor();
    await settled();
    const { spans } = await (await fetch(`${controlUrl}/spans`)).json();
    const redriven = spans.filter(({ name }: Span) => name === "importer")
      .sort((a: Span, b: Span) => a.start - b.start).at(-1);
    assertEquals([redriven.status, redriven.attributes["mate.trigger.type"]], ["ok", "queue"]);
  });
  assertEquals(complaints, []);
});
