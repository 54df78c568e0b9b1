import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { within } from "../../testdata/waiting.ts";
import type { Platform } from "@mate/cli/platform";
import manifest from "../app.json" with { type: "json" };
import { checkOutcomes, done, recordsOf, recordsSoFar, start } from "./testdata/example.ts";

/** The size of the largest body: 50,000 characters in base64, as API Gateway sends it. */
const MAX_BYTES = 37_500;

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** What the functions do on one platform, one after the other. */
const STEPS: [name: string, run: (url: string, platform: Platform) => Promise<void>][] = [];
const step = (...test: typeof STEPS[number]) => STEPS.push(test);

step("okay answers with the result of every accessor, and the raw event", async (url) => {
  // Imported after the start of the platform, because the logger keeps the console that exists when it is loaded.
  const { FnProxyEvent } = await import("@mate/core/gateway");
  const form = "name=tea&name=caf%C3%A9";
  const bodies = {
    "application/json": '{ "count": 2 }',
    "application/x-www-form-urlencoded": form,
  };
  for (const [type, body] of Object.entries(bodies)) {
    const response = await fetch(`${url}/okay/a%20b?name=fish%20%26%20chips`, {
      method: "POST",
      headers: { "Content-Type": type, Cookie: "a=1" },
      body,
    });
    assertEquals(response.status, 200);
    const { accessors, rawEvent } = await response.json();
    const event = new FnProxyEvent(rawEvent);
    const { method, url: target, headers } = event.toRequest();
    const parts = { method, url: target, headers: Object.fromEntries(headers), text: body };
    const fields = [{ name: "name", value: "tea" }, { name: "name", value: "café" }];
    const isForm = body === form;
    await checkOutcomes(accessors, event, FnProxyEvent, {
      "bytes()": { result: btoa(body) },
      "toRequest()": { result: parts },
      ...(isForm ? { "formData()": { result: fields } } : {}),
    });
    assertEquals(accessors["text()"], { result: body });
    assertEquals(accessors["pathParameters()"], { result: { proxy: "a b" } });
    assertEquals(accessors["queryStringParameters()"], { result: { name: "fish & chips" } });
    const failed = Object.keys(accessors).filter((call) => "error" in accessors[call]);
    assertEquals(failed, [isForm ? "queryPayload()" : "formData()"]);
  }
});

step("okay shows a file of a form, and bytes that are not text", async (url) => {
  const body = new FormData();
  body.set("photo", new File([Uint8Array.of(0xff, 0xfe, 0xfd)], "a.png", { type: "image/png" }));
  const form = await (await fetch(`${url}/okay`, { method: "POST", body })).json();
  const value = { filename: "a.png", type: "image/png", size: 3 };
  assertEquals(form.accessors["formData()"], { result: [{ name: "photo", value }] });
  assertStringIncludes(form.accessors["text()"].error, "MalformedPayloadError");
  assertStringIncludes(atob(form.accessors["bytes()"].result), "\xff\xfe\xfd");
});

step("okay and its page are compressed", async (url) => {
  for (const [Accept, start] of [["*/*", '{\n  "accessors"'], ["text/html", "<!doctype html>"]]) {
    const headers = { Accept, "Accept-Encoding": "gzip" };
    const request = get(`${url}/okay`, { headers }); // `fetch` would decompress the body
    const [response] = await once(request, "response");
    assertEquals(response.headers["content-encoding"], "gzip", Accept);
    const content = gunzipSync(await buffer(response)).toString();
    assertEquals(content.slice(0, start!.length), start);
  }
});

step("okay answers every method, at its path and below it", async (url) => {
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
    for (const path of ["/okay", "/okay/a", "/okay/a/b"]) {
      const response = await fetch(url + path, { method });
      await response.body?.cancel();
      assertEquals(response.status, 200, `${method} ${path}`);
    }
  }
});

step("okay shows the error of an accessor in its place", async (url) => {
  const response = await fetch(`${url}/okay`, { method: "POST", body: "{" });
  const { accessors } = await response.json();
  assertStringIncludes(accessors["queryPayload()"].error, "MalformedPayloadError");
  assertEquals(accessors["httpMethod()"], { result: "POST" });
});

step("okay refuses bodies whose answer would be huge", async (url) => {
  for (const [depth, outcome] of [[50, "result"], [51, "error"], [10_000, "error"]] as const) {
    const body = "[".repeat(depth) + "]".repeat(depth);
    const { accessors } = await (await fetch(`${url}/okay`, { method: "POST", body })).json();
    assertEquals(Object.keys(accessors["queryPayload()"]), [outcome], `${depth}`);
  }
  const large = await fetch(`${url}/okay`, { method: "POST", body: "x".repeat(MAX_BYTES + 1) });
  assertEquals([large.status, (await large.json()).Message], [
    413,
    "The body is too large to be echoed",
  ]);
});

step("the largest answers of okay are below the 6 MB of AWS Lambda", async (url) => {
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const bodies = [
    [{}, "[".repeat(50) + "1" + ",1".repeat(MAX_BYTES / 2 - 51) + "]".repeat(50), "queryPayload()"],
    [form, "&a".repeat(10_000).slice(1), "formData()"],
    [{}, "\0".repeat(MAX_BYTES), "text()"],
  ] as const;
  for (const [headers, body, call] of bodies) {
    for (const Accept of ["application/json", "text/html"]) {
      const init = { method: "POST", headers: { ...headers, Accept }, body };
      const text = await (await fetch(`${url}/okay`, init)).text();
      assert(text.length < 6_000_000, `${call}: ${text.length}`);
      if (Accept !== "text/html") assert("result" in JSON.parse(text).accessors[call], call);
    }
  }
});

step("forbidden tells the caller, and logs one error", async (url, platform) => {
  const response = await fetch(`${url}/forbidden`);
  assertEquals([response.status, await response.json()], [403, { Message: "Nobody may see this" }]);
  const records = await recordsOf(platform, "forbidden");
  assertEquals(records.map(({ level }) => level), ["ERROR"]);
  assertStringIncludes(records[0]!.text, "Nobody may see this");
});

step("crash tells the caller nothing, and logs every cause", async (url, platform) => {
  const response = await fetch(`${url}/crash`);
  const text = await response.text();
  assertEquals(response.status, 500);
  const records = await recordsOf(platform, "crash");
  assertEquals(records.map(({ level }) => level), ["FATAL"]);
  const log = records[0]!.text;
  for (const secret of ["4711", "db.internal", "password"]) {
    assertEquals(text.includes(secret), false, secret);
    assertStringIncludes(log, secret);
  }
  const order = ["Error: Cannot read the order", "at readOrder", "Error: Cannot log in as"];
  assertMatch(log, new RegExp([...order, "at connect", "at readOrder"].join("[^]*")));
});

step(
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

step("storage logs every accessor of uploads and deletions", async (_, platform) => {
  const object = `${platform.controlUrl}/buckets/uploads/red%20flower.jpg`;
  for (const init of [{ method: "PUT", body: "content" }, { method: "DELETE" }]) {
    await done(fetch(object, init));
    await platform.settled();
  }
  const records = await recordsOf(platform, "storage");
  const { FnNotificationEvent, FnNotificationRecord } = await import("@mate/core/storage");
  const events: string[] = [];
  for (let index = 0; index < records.length; index += 2) {
    const [notification, outcomes] = records.slice(index, index + 2).map(({ data }) => data!);
    assertEquals(notification!.isTestEvent, false);
    const record = new FnNotificationEvent(notification!.rawEvent).records()[0]!;
    await checkOutcomes(outcomes!, record, FnNotificationRecord);
    assertEquals(outcomes!["objectKey()"], { result: "red flower.jpg" });
    events.push(record.eventName());
  }
  assertEquals(events, ["ObjectCreated:Put", "ObjectRemoved:DeleteMarkerCreated"]);
});

step("topic logs every accessor of a message, and the raw event", async (_, platform) => {
  const body = new URLSearchParams({ message: '{"a":1}', subject: "Hello" });
  await done(fetch(`${platform.controlUrl}/topics/messages`, { method: "POST", body }));
  const [event, message] = (await recordsOf(platform, "topic")).map(({ data }) => data!);
  const { FnMessageEvent, FnMessageRecord } = await import("@mate/core/topic");
  const record = new FnMessageEvent(event!.rawEvent).records()[0]!;
  await checkOutcomes(message!, record, FnMessageRecord);
  assertEquals(message!["messagePayload()"], { result: { a: 1 } });
});

step("scheduler logs every accessor, and the raw event", async (_, platform) => {
  await done(fetch(`${platform.controlUrl}/schedules/scheduler`, { method: "POST" }));
  const [record] = await recordsOf(platform, "scheduler");
  const { accessors, rawEvent } = record!.data!;
  const { FnBridgePutEvent } = await import("@mate/core/scheduler");
  const event = new FnBridgePutEvent(rawEvent);
  await checkOutcomes(accessors as Record<string, unknown>, event, FnBridgePutEvent);
  assertEquals(event.detailType(), "Scheduled Event");
});

step(
  "logger ignores its event, logs each level, and crashes",
  async (_, platform) => {
    const url = `${platform.controlUrl}/2015-03-31/functions/logger/invocations`;
    const invocation = await fetch(url, { method: "POST", body: '{"event":"marker"}' });
    assertEquals((await invocation.json()).errorMessage, "Cannot write the order");
    const records = await recordsOf(platform, "logger");
    const levels = ["INFO", "WARN", "ERROR", "FATAL", "FATAL", "ERROR"]; // the runtime logs the last one
    assertEquals(records.map((record) => record.level), levels);
    const log = records.map(({ text }) => text).join("\n");
    for (const text of ["The order is complete", "mailbox full", "the disk is full"]) {
      assertStringIncludes(log, text);
    }
    assertEquals(log.includes("marker"), false);
  },
);

step("queue logs every message, and reports the failing one", async (_, platform) => {
  const bodies = ['{"count":2}', '{"fail":true}', "no JSON"];
  const received = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = platform.log.follow(({ text }) => {
    for (const body of [...bodies, "The message asks for a failure"]) {
      if (text.includes(JSON.stringify(body).slice(1, -1))) received.add(body);
    }
    if (received.size > bodies.length) resolve();
  });
  for (const body of bodies) {
    await done(fetch(`${platform.controlUrl}/queues/jobs`, { method: "POST", body }));
  }
  await within("the records of the log", promise, () => [...received].join());
  stop();
  const records = recordsSoFar(platform, "queue"); // the retry comes after 30 seconds, so this step is the last one
  const errors = records.filter(({ level }) => level === "ERROR").map(({ text }) => text);
  assertEquals(errors.length, 1, errors.join("\n"));
  const outcomes = records.find(({ text }) => text.includes("count"))!.data!;
  const { FnQueueEvent, FnQueueRecord } = await import("@mate/core/queue");
  const { result } = outcomes["rawRecord()"] as { result: object };
  const record = new FnQueueEvent({ Records: [result] }).records()[0]!;
  await checkOutcomes(outcomes, record, FnQueueRecord);
  assertEquals(outcomes["payload()"], { result: { count: 2 } });
});

Deno.test("the functions of the example do what its README says", async (t) => {
  await using platform = await start();
  for (const [name, run] of STEPS) {
    await t.step(name, () => run(`${platform.url}/v0`, platform));
  }
});

Deno.test("each function has the triggers that README.md describes", async () => {
  const functions = Object.entries<{ readonly module: string; readonly triggers?: unknown }>(
    manifest.functions,
  );
  const triggers = functions.map(([name, { triggers = "none" }]) => [name, triggers]);
  const anyMethod = (...paths: string[]) => paths.map((path) => ({ method: "ANY", path }));
  const events = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"];
  assertEquals(triggers, [
    ["okay", { routes: anyMethod("/okay", "/okay/{proxy+}") }],
    ["forbidden", { routes: anyMethod("/forbidden") }],
    ["crash", { routes: anyMethod("/crash") }],
    ["scheduler", { schedules: ["rate(5 minutes)"] }],
    ["storage", { buckets: [{ name: "uploads", events }] }],
    ["topic", { topics: [{ name: "messages" }] }],
    ["queue", { queues: [{ name: "jobs" }] }],
    ["logger", "none"],
  ]);
  const readme = await Deno.readTextFile(`${import.meta.dirname}/../README.md`);
  const [, list = ""] = readme.split(/^## .*shows$/m);
  const names = [...list.split("\n## ")[0]!.matchAll(/`(\w+)`\s+\(/g)].map(([, name]) => name);
  assertEquals(names, functions.map(([name]) => name));
});
