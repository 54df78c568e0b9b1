import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import type { Browser, Page } from "playwright-core";
import { assertAccessible, openStartPage } from "../../testdata/start_page.ts";
import { browserTest } from "../../../testdata/browser.ts";
import {
  MANIFEST,
  manifestWith,
  startTestPlatform,
  type TestPlatform,
} from "../../testdata/platform.ts";

type Step = (page: Page, test: TestPlatform) => Promise<void>;

const STEPS: [name: string, step: Step][] = [];

/** Adds a step. Each step gets the start page of a new platform. */
function testPage(name: string, step: Step): void {
  STEPS.push([name, step]);
}

/** Opens the forms of a function. */
async function card(page: Page, name: string) {
  await page.getByRole("link", { name: "Try it" }).click();
  await page.locator("#functions").getByRole("link", { name, exact: true }).click();
  return page.getByRole("article", { name, exact: true });
}

/** Opens a place with data. */
async function place(page: Page, name: string) {
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.locator("#data-places").getByRole("link", { name }).click();
  return page.locator("section[data-place]:visible");
}

testPage("sends a request and shows the response", async (page, test) => {
  const article = await card(page, "echo");
  await article.getByLabel("Method").selectOption("PUT");
  await article.getByLabel("Path and query").fill("/v0/echo/x?a=<b>");
  await article.getByLabel("Accept").selectOption("text/html");
  await article.getByLabel("Header fields").fill("Authorization: Bearer a:b\nX-Order:7\n");
  await article.getByLabel("Body").fill("ü");
  await article.getByRole("button", { name: "Send", exact: true }).click();
  await article.getByText("200 OK").waitFor();
  const answer = await article.locator("output pre").innerText();
  assertStringIncludes(answer, '"resource": "/echo/{proxy+}"');
  const trace = page.getByRole("tree").getByRole("treeitem");
  await trace.nth(1).waitFor();
  assertMatch((await trace.allInnerTexts()).join(), /PUT \/v0\/echo\/x[^,]*200[^,]*,[^,]*echo/);
  const { httpMethod, headers, queryStringParameters, body } = test.host.calls[0]!.event;
  const sent = new Headers(headers);
  assertEquals([httpMethod, sent.get("Accept")], ["PUT", "text/html"]);
  assertEquals([sent.get("Authorization"), sent.get("X-Order")], ["Bearer a:b", "7"]);
  assertEquals([queryStringParameters, body], [{ a: "<b>" }, "w7w="]);
});

testPage("invokes a function, and shows a failure", async (page, test) => {
  const article = await card(page, "plain");
  await article.getByText("Invoke with").click();
  await article.getByLabel("Event").fill('{"n":1}');
  await article.getByRole("button", { name: "Invoke" }).click();
  await article.getByText("200 OK").waitFor();
  assertEquals(test.host.calls[0]!.event, { n: 1 });
  test.host.answer = () => ({ failure: "error" });
  await article.getByRole("button", { name: "Invoke" }).click();
  await article.getByText("the function failed").waitFor();
});

testPage("fires a schedule, puts an event and sends a message to a queue", async (page, test) => {
  const clock = await card(page, "clock");
  await clock.getByRole("button", { name: "Fire now" }).click();
  await clock.getByText("202 Accepted").waitFor();
  const listener = await card(page, "listener");
  await listener.getByRole("button", { name: "Put the event" }).click();
  await listener.getByText("200 OK").waitFor();
  const worker = await card(page, "worker");
  await worker.getByLabel("Message of the queue").fill("Hello");
  await worker.getByRole("button", { name: "Send a message" }).click();
  await worker.getByText("200 OK").waitFor();
  await test.platform.settled();
  const eventOf = (name: string) => test.host.calls.find((call) => call.name === name)!.event;
  assertEquals(eventOf("clock")["detail-type"], "Scheduled Event");
  const { source, detail } = eventOf("listener");
  assertEquals([source, detail], ["shop", { kind: "order" }]);
  assertEquals(eventOf("worker").Records[0].body, "Hello");
  await page.getByRole("treeitem", { name: "worker" }).waitFor();
});

testPage("sends a message to a group of a FIFO queue", async (page, test) => {
  const article = await card(page, "follower");
  await article.getByLabel("Message of the queue").fill("Hello");
  await article.getByLabel("Message group").fill("a&b");
  await article.getByRole("button", { name: "Send a message" }).click();
  await article.getByText("200 OK").waitFor();
  await test.platform.settled();
  assertEquals(test.host.calls[0]!.event.Records[0].attributes.MessageGroupId, "a&b");
});

testPage("uploads an object, lists it, finds it by its key and deletes it", async (page, test) => {
  const objects = await place(page, "Objects of files");
  await objects.locator("summary").click();
  const file = { name: "red flower.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") };
  await objects.getByLabel("File", { exact: true }).setInputFiles(file);
  await objects.getByRole("button", { name: "Upload" }).click();
  await objects.getByRole("link", { name: "red flower.txt" }).waitFor();
  assertStringIncludes(await objects.locator(".entry").innerText(), "5 B");
  await objects.getByLabel("File", { exact: true }).setInputFiles(file);
  await objects.getByLabel("Key", { exact: true }).fill("a/<b>#?.txt");
  await objects.getByRole("button", { name: "Upload" }).click();
  await objects.getByRole("link", { name: "a/<b>#?.txt" }).waitFor();
  await objects.getByLabel("Keys that begin with").fill("a/");
  await objects.getByRole("button", { name: "Find" }).click();
  await objects.getByRole("link", { name: "red flower.txt" }).waitFor({ state: "detached" });
  await objects.getByRole("button", { name: "Delete a/<b>#?.txt" }).click();
  await objects.getByText("No objects.").waitFor();
  await test.platform.settled();
  const keys = test.host.calls
    .map(({ event }) => `${event.Records[0].eventName} ${event.Records[0].s3.object.key}`);
  assertEquals(keys, [
    "ObjectCreated:Put red+flower.txt",
    "ObjectCreated:Put a/%3Cb%3E%23%3F.txt",
    "ObjectRemoved:DeleteMarkerCreated a/%3Cb%3E%23%3F.txt",
  ]);
});

testPage("puts items into a table, finds one by its key and deletes it", async (page, test) => {
  const items = await place(page, "Items of notes");
  await items.locator("summary").click();
  for (const item of ['{"id":"<b>","list":[1.5,{"a":null}]}', '{"id":"2"}']) {
    await items.getByLabel("Item (JSON)").fill(item);
    await items.getByRole("button", { name: "Put an item" }).click();
    await items.getByText("204 No Content").waitFor();
    await items.locator(".entries").getByText(item).waitFor();
  }
  await items.getByLabel("Partition key: id").fill("2");
  await items.getByRole("button", { name: "Find" }).click();
  await items.getByRole("button", { name: 'Delete {"id":"<b>"' }).waitFor({ state: "detached" });
  await items.getByRole("button", { name: 'Delete {"id":"2"}' }).click();
  await items.getByText("No items.").waitFor();
  await items.getByRole("button", { name: "All" }).click();
  await items.getByRole("button", { name: 'Delete {"id":"<b>"' }).waitFor();
  await test.platform.settled();
  const { Records } = test.host.calls[0]!.event;
  assertEquals([Records[0].eventName, Records[0].dynamodb.Keys], ["INSERT", { id: { S: "<b>" } }]);
});

testPage("publishes a message with several attributes", async (page, test) => {
  const article = await card(page, "reader");
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

testPage("shows new records of the log, escaped and filtered", async (page, test) => {
  await page.getByRole("link", { name: "Log", exact: true }).click();
  const records = page.locator("#log-records li");
  const write = (functionName: string, text: string) =>
    test.log.write({ time: new Date(), functionName, text });
  write("echo", "2026-03-01T12:00:00.000Z\tid-1\tERROR\t<img src=x onerror=alert(1)>");
  write("plain", `2026-03-01T12:00:00.000Z\tid-2\tINFO\tfirst\r${"line\r".repeat(9)}last`);
  write("plain", '{"level":"WARN","message":"from JSON","requestId":"id-3"}');
  test.log.note("Reloaded the functions");
  write("plain", '{"level":"WARN","message":"turned \\u202egnp.exe"}');
  write("plain", `turned \u202e${"gnp.exe".repeat(100)}`);
  await records.nth(5).waitFor();
  assertEquals(await records.nth(0).getAttribute("class"), "error");
  assertMatch(await records.nth(0).innerText(), /echo\s+ERROR <img src=x onerror=alert\(1\)>/);
  assertEquals(await page.locator("#log-records img").count(), 0);
  await records.nth(1).locator("summary").click();
  assertStringIncludes(await records.nth(1).innerText(), "line\nlast");
  assertMatch(await records.nth(2).innerText(), /WARN from JSON/);
  assertMatch(await records.nth(3).innerText(), /platform\s+Reloaded the functions/);
  for (const index of [4, 5]) {
    assertMatch(await records.nth(index).innerText(), /turned <U\+202E>gnp\.exe/);
  }
  await page.getByLabel("Show").selectOption("echo");
  assertEquals(await page.locator("#log-records li:visible").count(), 1);
  await page.getByLabel("Show").selectOption("*");
  await page.getByRole("button", { name: "Clear" }).click();
  assertEquals(await records.count(), 0);
  await page.locator("#log-empty").waitFor();
});

const follower = manifestWith(
  {
    follower: {
      module: "a.ts",
      triggers: { tables: [{ name: "notes" }], queues: [{ name: "line" }] },
    },
  },
  { line: { fifo: true } },
  { notes: { key: { id: "string" } } },
);

/** The application of the other tests, with a table and a FIFO queue. */
const manifest = {
  ...MANIFEST,
  functions: { ...MANIFEST.functions, ...follower.functions },
  queues: { ...MANIFEST.queues, ...follower.queues },
  tables: follower.tables,
};

browserTest("the start page works in a browser", async (browser, t) => {
  for (const [name, step] of STEPS) {
    await t.step(name, async () => await withPage(browser, step));
  }
});

browserTest("the start page is accessible and fits, light and dark", async (browser) => {
  await withPage(browser, async (page, test) => {
    const text = `2026-03-01T12:00:00.000Z\tid\tERROR\tno\r${"x".repeat(2_000)}`;
    for (const functionName of ["echo", "plain", "clock", "reader", "created", ""]) {
      test.log.write({ time: new Date(), functionName, text });
    }
    for (const name of ["echo", "created", "reader", "follower"]) {
      await assertAccessible(page, `#try/${name}`);
    }
    for (const name of ["buckets/files", "tables/notes", "queues/line"]) {
      await assertAccessible(page, `#data/${name}`);
    }
    for (const name of ["log", "traces"]) await assertAccessible(page, `#${name}`);
  });
});

/** Opens the start page of a new platform, and expects no complaint of the browser. */
async function withPage(browser: Browser, step: Step): Promise<void> {
  await using test = await startTestPlatform(({ event }) => ({
    payload: Buffer.from(JSON.stringify({ body: JSON.stringify(event) })),
  }), { manifest });
  const page = await browser.newPage();
  const complaints = await openStartPage(page, test.platform.controlUrl);
  await step(page, test);
  assertEquals(complaints, []);
  await page.close();
}
