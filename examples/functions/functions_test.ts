import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import axe, { type AxeResults } from "axe-core";
import { type Platform, startPlatform } from "@mate/cli/platform";
import { browserTest } from "../../testdata/browser.ts";
import { page } from "./page.ts";
import { within } from "../../testdata/waiting.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** Runs the example application in this process. */
function start(): Promise<Platform> {
  return startPlatform(`${import.meta.dirname}/../app.json`, { inProcess: true });
}

/** Registers a test of the running application. */
function platformTest(name: string, run: (url: string, platform: Platform) => Promise<void>): void {
  Deno.test(name, async () => {
    await using platform = await start();
    await run(`${platform.url}/v0`, platform);
  });
}

/** The text that the functions have logged. */
async function logOf(platform: Platform): Promise<string> {
  await platform.settled();
  return platform.log.after(0).map(({ text }) => text).join("\n");
}

platformTest("okay answers with the result of every accessor", async (url) => {
  const response = await fetch(`${url}/okay/a%20b?name=fish%20%26%20chips`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: "a=1" },
    body: '{ "count": 2 }',
  });
  assertEquals(response.status, 200);
  const { accessors } = await response.json();
  assertEquals(accessors["queryPayload()"], { result: { count: 2 } });
  assertEquals(accessors["queryStringParameters()"], { result: { name: "fish & chips" } });
  assertEquals(accessors["pathParameters()"], { result: { proxy: "a b" } });
  assertEquals(accessors["cookies()"], { result: { a: "1" } });
  const names = Object.keys(accessors).map((call) => call.replace(/\(.*/, ""));
  // Imported after the start of the platform, because the logger keeps the console that exists when it is loaded.
  const { FnProxyEvent } = await import("@mate/core/gateway");
  const unread = ["constructor", "formData", "toRequest"]; // these give no JSON
  for (const name of Object.getOwnPropertyNames(FnProxyEvent.prototype)) {
    assert(names.includes(name) || unread.includes(name), name);
  }
});

platformTest("okay shows the error of an accessor in its place", async (url) => {
  const response = await fetch(`${url}/okay`, { method: "POST", body: "{" });
  const { accessors } = await response.json();
  assertStringIncludes(accessors["queryPayload()"].error, "MalformedPayloadError");
  assertEquals(accessors["httpMethod()"], { result: "POST" });
});

platformTest("okay refuses bodies whose answer would be huge", async (url) => {
  const deep = await fetch(`${url}/okay`, {
    method: "POST",
    body: "[".repeat(999) + "]".repeat(999),
  });
  assertStringIncludes((await deep.json()).accessors["queryPayload()"].error, "nested too deeply");
  const large = await fetch(`${url}/okay`, { method: "POST", body: "x".repeat(60_000) });
  assertEquals([large.status, (await large.json()).Message], [
    413,
    "The body is too large to be echoed",
  ]);
});

platformTest("forbidden tells the caller, and logs one record", async (url, platform) => {
  const response = await fetch(`${url}/forbidden`);
  assertEquals([response.status, await response.json()], [403, { Message: "Nobody may see this" }]);
  assertEquals((await logOf(platform)).match(/Nobody may see this/g)?.length, 1);
});

platformTest("crash tells the caller nothing, and logs every cause", async (url, platform) => {
  const response = await fetch(`${url}/crash`);
  const text = await response.text();
  const log = await logOf(platform);
  assertEquals(response.status, 500);
  for (const secret of ["4711", "db.internal", "password"]) {
    assertEquals(text.includes(secret), false, secret);
    assertStringIncludes(log, secret);
  }
});

platformTest(
  "the HTTP functions negotiate, and scripts of every origin may call them",
  async (url) => {
    const origin = { Origin: "https://app.example" };
    for (const [name, status] of [["okay", 200], ["forbidden", 403], ["crash", 500]] as const) {
      for (const [Accept, type] of [[BROWSER, "text/html"], ["*/*", "application/json"]] as const) {
        const response = await fetch(`${url}/${name}`, { headers: { ...origin, Accept } });
        await response.body?.cancel();
        assertEquals(response.status, status, name);
        assertEquals(response.headers.get("content-type"), `${type}; charset=utf-8`, name);
        assertEquals(response.headers.get("access-control-allow-origin"), "*", name);
        assertEquals(response.headers.get("cache-control"), "no-store", name);
      }
      const preflight = await fetch(`${url}/${name}`, {
        method: "OPTIONS",
        headers: { ...origin, "Access-Control-Request-Method": "DELETE" },
      });
      assertEquals([preflight.status, await preflight.text()], [204, ""], name);
      assertEquals(preflight.headers.get("access-control-allow-methods"), "DELETE");
    }
  },
);

platformTest(
  "storage, topic and scheduler log the accessors of their events",
  async (_, platform) => {
    const { controlUrl: url } = platform;
    const body = new URLSearchParams({ message: '{"a":1}', subject: "Hello" });
    const replies = [
      await fetch(`${url}/buckets/uploads/red%20flower.jpg`, { method: "PUT", body: "content" }),
      await fetch(`${url}/topics/messages`, { method: "POST", body }),
      await fetch(`${url}/schedules/scheduler`, { method: "POST" }),
    ];
    for (const reply of replies) assert(reply.ok, await reply.text());
    const log = await logOf(platform);
    assertMatch(log, /"objectKey\(\)":\s*\{\s*"result":\s*"red flower.jpg"/);
    assertMatch(log, /"messagePayload\(\)":\s*\{\s*"result":\s*\{\s*"a":\s*1/);
    assertMatch(log, /"detailType\(\)":\s*\{\s*"result":\s*"Scheduled Event"/);
  },
);

platformTest("queue logs every message, and reports the failing one", async (_, platform) => {
  const texts = [
    /"payload\(\)":\s*\{\s*"result":\s*\{\s*"count":\s*2/,
    /The message asks for a failure/,
  ];
  const { promise, resolve } = Promise.withResolvers<void>();
  let log = "";
  const stop = platform.log.follow(({ text }) => {
    log += text;
    if (texts.every((expected) => expected.test(log))) resolve();
  });
  for (const body of ['{"count":2}', '{"fail":true}']) {
    const sent = await fetch(`${platform.controlUrl}/queues/jobs`, { method: "POST", body });
    assert(sent.ok, await sent.text());
  }
  await within("both records of the log", promise, () => log);
  stop();
});

platformTest("logger logs every level, then crashes", async (_, platform) => {
  const invocation = await fetch(`${platform.controlUrl}/2015-03-31/functions/logger/invocations`, {
    method: "POST",
    body: "{}",
  });
  assertEquals((await invocation.json()).errorMessage, "Cannot write the order");
  const log = await logOf(platform);
  for (const text of ["The order is complete", "mailbox full", "FATAL", "the disk is full"]) {
    assertStringIncludes(log, text);
  }
});

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
