import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import axe from "axe-core";
import { browserTest } from "../../../testdata/browser.ts";
import { startTestPlatform, type TestPlatform } from "../../testdata/platform.ts";

/** How a page is looked at. */
interface View {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
}

/** Tests with the start page of a platform, in one view or several; nothing may be written to the browser's console. */
function testPage(
  name: string,
  fn: (page: Page, test: TestPlatform) => Promise<void>,
  views: readonly View[] = [{ colorScheme: "light", width: 1_280 }],
): void {
  browserTest(`the start page ${name}`, async (browser) => {
    for (const { colorScheme, width } of views) {
      await using test = await startTestPlatform(({ event }) => ({
        payload: Buffer.from(JSON.stringify({ body: JSON.stringify(event) })),
      }));
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(test.platform.url);
      await page.getByText("Live", { exact: true }).waitFor();
      await fn(page, test);
      assertEquals(complaints, []);
      await page.close();
    }
  });
}

const card = (page: Page, name: string) =>
  page.locator("article").filter({ has: page.getByRole("heading", { name, exact: true }) });

testPage("sends a request and shows what comes back", async (page, test) => {
  const article = card(page, "echo");
  await article.getByText("Send a request").click();
  await article.getByLabel("Method").selectOption("PUT");
  await article.getByLabel("Path and query").fill("/v0/echo/x?a=<b>");
  await article.getByLabel("Accept").selectOption("text/html");
  await article.getByLabel("Body").fill("ü");
  await article.getByRole("button", { name: "Send", exact: true }).click();
  await article.getByText("200 OK").waitFor();
  assertStringIncludes(
    await article.locator("output pre").innerText(),
    '"resource": "/echo/{proxy+}"',
  );
  const { event } = test.host.calls[0]!;
  assertEquals([event.httpMethod, event.headers.Accept ?? event.headers.accept], [
    "PUT",
    "text/html",
  ]);
  assertEquals(event.queryStringParameters, { a: "<b>" });
  assertEquals(event.body, "w7w=");
});

testPage("invokes a function, and tells when that fails", async (page, test) => {
  const article = card(page, "plain");
  await article.getByText("Invoke with").click();
  await article.getByLabel("Event").fill('{"n":1}');
  await article.getByRole("button", { name: "Invoke" }).click();
  await article.getByText("200 OK").waitFor();
  assertEquals(test.host.calls[0]!.event, { n: 1 });
  test.host.answer = () => ({ failure: "error" });
  await article.getByRole("button", { name: "Invoke" }).click();
  await article.getByText("the function failed").waitFor();
});

testPage("fires a schedule", async (page, test) => {
  await card(page, "clock").getByRole("button", { name: "Fire now" }).click();
  await card(page, "clock").getByText("202 Accepted").waitFor();
  await test.platform.settled();
  assertEquals(test.host.calls[0]!.event["detail-type"], "Scheduled Event");
});

testPage("uploads an object, lists it and deletes it", async (page, test) => {
  const article = card(page, "created");
  const file = { name: "red flower.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") };
  await article.getByLabel("File", { exact: true }).setInputFiles(file);
  await article.getByRole("button", { name: "Upload" }).click();
  await article.getByRole("link", { name: "red flower.txt" }).waitFor();
  assertEquals(
    await article.locator(".objects li").innerText().then((text) => /5 bytes/.test(text)),
    true,
  );
  await article.getByLabel("File", { exact: true }).setInputFiles(file);
  await article.getByLabel("Key", { exact: true }).fill("a/<b>#?.txt");
  await article.getByRole("button", { name: "Upload" }).click();
  await article.getByRole("link", { name: "a/<b>#?.txt" }).waitFor();
  await article.getByRole("button", { name: "Delete a/<b>#?.txt" }).click();
  await article.getByRole("link", { name: "a/<b>#?.txt" }).waitFor({ state: "detached" });
  await test.platform.settled();
  const keys = test.host.calls
    .map(({ event }) => `${event.Records[0].eventName} ${event.Records[0].s3.object.key}`);
  assertEquals(keys, [
    "ObjectCreated:Put red+flower.txt",
    "ObjectCreated:Put a/%3Cb%3E%23%3F.txt",
    "ObjectRemoved:Delete a/%3Cb%3E%23%3F.txt",
  ]);
});

testPage("publishes a message with several attributes", async (page, test) => {
  const article = card(page, "reader");
  await article.getByLabel("Subject").fill("Greeting");
  await article.getByLabel("Message").fill("Hello");
  await article.getByLabel("Name").fill("n");
  await article.getByLabel("Type").selectOption("Number");
  await article.getByLabel("Value").fill("1");
  await article.getByRole("button", { name: "Another attribute" }).click();
  await article.getByLabel("Name").nth(1).fill("s");
  await article.getByLabel("Value").nth(1).fill("x");
  await article.getByRole("button", { name: "Publish" }).click();
  await article.getByText("200 OK").waitFor();
  await test.platform.settled();
  const { Message, Subject, MessageAttributes } = test.host.calls[0]!.event.Records[0].Sns;
  assertEquals([Message, Subject], ["Hello", "Greeting"]);
  assertEquals(MessageAttributes.n, { Type: "Number", Value: "1" });
  assertEquals(MessageAttributes.s.Value, "x");
});

testPage("shows the log as it grows, harmless and filtered", async (page, test) => {
  const records = page.locator("#log-records li");
  const write = (functionName: string, text: string) =>
    test.log.write({ time: new Date(), functionName, text });
  write("echo", "2026-03-01T12:00:00.000Z\tid-1\tERROR\t<img src=x onerror=alert(1)>");
  write("plain", `2026-03-01T12:00:00.000Z\tid-2\tINFO\tfirst\r${"line\r".repeat(9)}last`);
  write("plain", '{"level":"WARN","message":"from JSON","requestId":"id-3"}');
  test.log.note("Reloaded the functions");
  await records.nth(3).waitFor();
  assertEquals(await records.nth(0).getAttribute("class"), "error");
  assertMatch(await records.nth(0).innerText(), /echo\s+ERROR <img src=x onerror=alert\(1\)>/);
  assertEquals(await page.locator("#log-records img").count(), 0);
  await records.nth(1).locator("summary").click();
  assertStringIncludes(await records.nth(1).innerText(), "line\nlast");
  assertMatch(await records.nth(2).innerText(), /WARN from JSON/);
  assertMatch(await records.nth(3).innerText(), /platform\s+Reloaded the functions/);
  await page.getByLabel("Show").selectOption("echo");
  assertEquals(await page.locator("#log-records li:visible").count(), 1);
  await page.getByLabel("Show").selectOption("*");
  await page.getByRole("button", { name: "Clear" }).click();
  assertEquals(await records.count(), 0);
  await page.getByText("Nothing yet").waitFor();
});

testPage("sends a message to a queue, and counts the messages", async (page, test) => {
  const article = card(page, "worker");
  await article.getByText("0 waiting, 0 in flight").waitFor();
  await article.getByLabel("Message of the queue").fill("Hello");
  await article.getByRole("button", { name: "Send the message" }).click();
  await article.getByText("200 OK").waitFor();
  await test.platform.settled();
  assertEquals(test.host.calls[0]!.event.Records[0].body, "Hello");
});

testPage("puts an event that matches the pattern of a function", async (page, test) => {
  const article = card(page, "listener");
  await article.getByRole("button", { name: "Put the event" }).click();
  await article.getByText("200 OK").waitFor();
  await test.platform.settled();
  const { source, detail } = test.host.calls[0]!.event;
  assertEquals([source, detail], ["shop", { kind: "order" }]);
});

const VIEWS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1_280, 360].map((width) => ({ colorScheme, width }))
);

testPage("is accessible and fits, light and dark, on a desk and on a phone", async (page, test) => {
  const text = `2026-03-01T12:00:00.000Z\tid\tERROR\tno\r${"x".repeat(2_000)}`;
  for (const functionName of ["echo", "plain", "clock", "reader", "created", ""]) {
    test.log.write({ time: new Date(), functionName, text });
  }
  await page.locator("#log-records li").nth(5).waitFor();
  for (const summary of await page.locator("summary").all()) await summary.click();
  const excess = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assertEquals(excess, 0, "nothing sticks out");
  // Evaluated by the browser's protocol, which the page's own policy does not bind.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run()") as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  assertEquals(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`), []);
}, VIEWS);
