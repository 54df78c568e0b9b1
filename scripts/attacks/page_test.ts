import { assertEquals } from "@std/assert";
import { manifestWith, startTestPlatform } from "../../cli/testdata/platform.ts";
import { browserTest } from "../../testdata/browser.ts";

/** The application of the attacks. The function "page" sends pages and a service worker. */
const APPLICATION = manifestWith({
  page: {
    module: "page.ts",
    triggers: { url: { auth: "none" }, routes: [{ method: "ANY", path: "/page/{file+}" }] },
  },
  plain: { module: "plain.ts" },
  clock: { module: "clock.ts", triggers: { schedules: ["rate(1 day)"] } },
  created: {
    module: "created.ts",
    triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
  },
  reader: { module: "reader.ts", triggers: { topics: [{ name: "news" }] } },
  worker: { module: "worker.ts", triggers: { queues: [{ name: "jobs" }] } },
  listener: { module: "listener.ts", triggers: { events: [{ pattern: { source: ["shop"] } }] } },
}, { jobs: {} });

const WORKER = {
  headers: { "Content-Type": "text/javascript", "Service-Worker-Allowed": "/" },
  body: "addEventListener('fetch', (event) => event.respondWith(new Response('worker')))",
};
const PAGE = {
  headers: { "Content-Type": "text/html" },
  body: "<!DOCTYPE html><title>Page</title>",
};

/** What a page tries with the platform at a URL. The result has the names of the attempts whose responses the page could read. */
const attempts = (platform: string) =>
  `(async () => {
  const invoke = "${platform}/2015-03-31/functions/plain/invocations";
  const send = (path, init) => fetch("${platform}" + path, init).then(async (response) => {
    const text = await response.text();
    if (!response.ok) throw new Error(response.status + " " + text);
  });
  const tries = {
    page: () => send("/"),
    log: () => new Promise((resolve, reject) => {
      const source = new EventSource("${platform}/log");
      source.onopen = () => { source.close(); resolve(); };
      source.onerror = () => { source.close(); reject(); };
    }),
    invoke: () => fetch(invoke, { method: "POST", body: "{}" }).then((r) => r.ok || Promise.reject()),
    request: () => send("/requests", {
      method: "POST",
      body: JSON.stringify({ method: "GET", path: "/v0/page/x", headers: [], body: "" }),
    }),
    queue: () => send("/queues/jobs", { method: "POST", body: "x" }),
    topic: () => send("/topics/news", { method: "POST", body: new URLSearchParams({ message: "m" }) }),
    events: () => send("/events", { method: "POST", body: '{"source":"shop","detail-type":"x","detail":{}}' }),
    schedule: () => send("/schedules/clock/0", { method: "POST" }),
    put: () => send("/buckets/files/x", { method: "PUT", body: "x" }),
    objects: () => send("/buckets/files"),
    remove: () => send("/buckets/files/x", { method: "DELETE" }),
  };
  const done = [];
  for (const [name, attempt] of Object.entries(tries)) await attempt().then(() => done.push(name), () => {});
  return done;
})()`;

const ALL = [
  ...["page", "log", "invoke", "request", "queue", "topic", "events", "schedule", "put"],
  ...["objects", "remove"],
];

/** What a page tries without reading a response: requests without CORS, forms, frames and windows. */
const blind = (platform: string) =>
  `(async () => {
  const invoke = "${platform}/2015-03-31/functions/plain/invocations";
  await fetch(invoke, { method: "POST", mode: "no-cors", body: "{}" }).catch(() => {});
  navigator.sendBeacon(invoke, "{}");
  const frame = document.createElement("iframe");
  frame.name = crypto.randomUUID();
  document.body.append(frame);
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: invoke, enctype: "text/plain", target: frame.name });
  document.body.append(form);
  const loaded = (element) => new Promise((resolve) => element.onload = element.onerror = resolve);
  form.submit();
  await loaded(frame);
  const page = document.createElement("iframe");
  page.src = "${platform}/";
  document.body.append(page);
  await loaded(page);
  const shown = [];
  if (page.contentDocument !== null) shown.push("frame");
  const script = document.createElement("script");
  script.src = "${platform}/assets/script.js";
  document.head.append(script);
  if ((await loaded(script)).type === "load") shown.push("script");
  return shown;
})()`;

browserTest("a page that a function sends cannot use the platform", async (browser, t) => {
  await using test = await startTestPlatform(({ event }) => {
    const path = event?.rawPath ?? event?.path ?? "";
    return JSON.stringify({ statusCode: 200, ...(path.endsWith("worker.js") ? WORKER : PAGE) });
  }, { manifest: APPLICATION });
  const { controlUrl, url, port } = test.platform;
  const context = await browser.newContext();
  const callsAfter = async (work: () => Promise<void>) => {
    test.host.calls.length = 0;
    await work();
    await test.platform.settled();
    return test.host.calls.map(({ name }) => name).filter((name) => name !== "page");
  };
  await t.step("the same attempts succeed on the start page", async () => {
    const page = await context.newPage();
    await page.goto(controlUrl);
    const calls = await callsAfter(async () => {
      assertEquals(await page.evaluate(attempts(controlUrl)), ALL);
    });
    assertEquals(calls.includes("plain"), true);
    await page.close();
  });
  for (
    const [name, from] of [["route", `${url}/v0/page/index.html`], [
      "function URL",
      `http://page.localhost:${port}/`,
    ]]
  ) {
    await t.step(`from a ${name}`, async () => {
      const page = await context.newPage();
      await page.goto(from!);
      const calls = await callsAfter(async () => {
        for (
          const platform of [controlUrl, url, `http://[::1]:${port}`, test.platform.servicesUrl]
        ) {
          assertEquals(await page.evaluate(attempts(platform)), [], platform);
          assertEquals(await page.evaluate(blind(platform)), [], platform);
        }
      });
      assertEquals(calls, []);
      await page.close();
    });
  }
  await t.step("nor install a service worker for paths that are not its own", async () => {
    const page = await context.newPage();
    await page.goto(`${url}/v0/page/index.html`);
    const register = (scope: string) =>
      page.evaluate(
        `navigator.serviceWorker.register("/v0/page/worker.js", { scope: "${scope}" })
          .then(() => "registered", (error) => error.name)`,
      );
    assertEquals(await register("/"), "SecurityError");
    assertEquals(await register("/v0/"), "SecurityError");
    assertEquals(await register("/v0/page/"), "registered");
    await page.goto(`${url}/`);
    const text = await page.evaluate("document.body.textContent");
    assertEquals(`${text}`.includes("app is running"), true, "the platform, not the worker");
    await page.close();
  });
  await t.step("and the platform has no cookies", async () => {
    assertEquals(await context.cookies(), []);
  });
});
