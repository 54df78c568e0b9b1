import { assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { manifestWith, startTestPlatform, type TestPlatform } from "../../testdata/platform.ts";
import { sendSigned } from "../../testdata/services.ts";
import { drawTrees } from "../../testdata/traces.ts";
import { until } from "../../../testdata/waiting.ts";
import { HIDDEN } from "./hide.ts";

const ROOT = "Root=1-5759e988-bd862e3fe1be46a994272793";

const MANIFEST = manifestWith({
  f: {
    module: "f.ts",
    secrets: ["KEY"],
    triggers: {
      url: { auth: "none" },
      routes: [{ method: "POST", path: "/a" }],
      queues: [{ name: "jobs" }],
    },
  },
}, { jobs: { retries: 0 } });

/** Asks the platform for JSON. */
async function ask(test: TestPlatform, path: string, method = "GET") {
  const { status, text } = await test.send({ method, path });
  return { status, body: text === "" ? undefined : JSON.parse(text) };
}

Deno.test("a request and an event are sent again as they were, in a new trace", async () => {
  await using test = await startTestPlatform(() => '{"statusCode":200}', { manifest: MANIFEST });
  const body = Buffer.from([0, 255, 13, 10, 13, 10, 1]);
  const headers = [["x-amzn-trace-id", ROOT], ["X-A", "b"]] as const;
  const { port } = test.platform;
  await test.send({ method: "POST", path: "/v0/a?x=1", headers, body });
  await test.send({ method: "PUT", path: "/b", headers: [["Host", `f.localhost:${port}`]], body });
  await test.send({ method: "POST", path: "/queues/jobs", body: "m" });
  await test.platform.settled();
  const before = test.host.calls.slice();
  const spans = await test.platform.traces();
  const again = spans.filter(({ type, parent }) => type === "request" || parent === undefined);
  for (const { id, traceId } of again) {
    const { status, body } = await ask(test, `/spans/${id}/again`, "POST");
    assertEquals(status, 202);
    assertEquals(body.traceId === traceId, false);
    const next = async () => await test.platform.traces(body.traceId);
    await until("the end", async () => (await next()).some(({ end }) => end !== undefined));
  }
  const sent = test.host.calls.slice(before.length).map(({ event }) => event);
  const plain = (event: unknown) =>
    JSON.stringify(
      event,
      (key, value) => /id$|time/i.test(key) || value?.startsWith?.("Root=") ? undefined : value,
    );
  assertEquals(sent.map(plain), before.map(({ event }) => plain(event)));
  assertEquals(sent.length, 3);
});

Deno.test("what cannot be sent again says why, and a span that is gone is 404 with the reason", async () => {
  await using test = await startTestPlatform(() => "{}", { manifest: MANIFEST });
  const path = "/2015-03-31/functions/f/invocations";
  await test.send({ method: "POST", path, body: JSON.stringify("x".repeat(300_000)) });
  const [span] = await test.platform.traces();
  const reason = "It has 300002 bytes, and of more than 262144 only the first 65536 are kept";
  const { body: { actions, event } } = await ask(test, `/spans/${span!.id}`);
  assertEquals(actions.again, reason);
  assertEquals([event.size, event.isCut, event.text.length], [300_002, true, 65_536]);
  const refused = await ask(test, `/spans/${span!.id}/again`, "POST");
  assertEquals(refused, { status: 409, body: { message: reason } });
  assertEquals((await ask(test, `/spans/${span!.id}/again`)).status, 405);
  assertEquals((await ask(test, `/spans/${span!.id}/other`, "POST")).status, 404);
  assertEquals((await ask(test, "/traces", "DELETE")).status, 204);
  for (const action of ["", "/again"]) {
    const gone = await ask(test, `/spans/${span!.id}${action}`, action === "" ? "GET" : "POST");
    assertEquals(gone.status, 404);
    assertStringIncludes(gone.body.message, "it is too old, or all were cleared");
  }
  assertEquals((await ask(test, "/traces")).body, { resourceSpans: [] });
});

Deno.test("GET log sends the spans that are there, then each begin and end, and each line with its invocation", async () => {
  await using test = await startTestPlatform(({ options }) => {
    const { requestId } = options;
    test.log.write({ time: new Date(), functionName: "f", text: "hello", requestId });
    return "{}";
  }, { manifest: MANIFEST });
  const path = "/2015-03-31/functions/f/invocations";
  await test.send({ method: "POST", path });
  const response = await fetch(`${test.platform.controlUrl}/log`);
  let text = "";
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  })().catch(() => {}); // The platform ends.
  const events = () =>
    text.split("\n\n").filter((one) => one.startsWith("event: ")).map((one) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(one)!;
      const { status, name: span } = JSON.parse(data!);
      return [name, span, status].filter(Boolean).join(" ");
    });
  await until("the first spans", () => events().length === 2);
  await test.send({ method: "POST", path });
  await until("the second invocation", () => events().length === 4);
  await test.send({ method: "DELETE", path: "/traces" });
  await until("the end of all", () => events().length === 5);
  assertEquals(events(), ["clear", "span f ok", "span f running", "span f ok", "clear"]);
  const lines = [...text.matchAll(/^id: \d+\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  const told = lines.filter(({ text }) => text === "hello");
  assertEquals(told.map(({ requestId }) => typeof requestId), ["string", "string"]);
  await test.platform.stop();
  await reading;
});

// The names are those of the design: the header fields, the parameters of URLs, and the secrets of the manifest.
Deno.test("no secret leaves the platform, whatever a client and a function write", async () => {
  const secrets = {
    authorization: "Bearer header-authorization",
    "proxy-authorization": "Basic header-proxy",
    cookie: "session=header-cookie; x=1",
    "x-api-key": "header-api-key",
    "x-amz-security-token": "header-security-token",
  };
  const needles = [
    "header-",
    "manifest\\u0022secret",
    'manifest"secret',
    "url-signature",
    "url-token",
    "answer-cookie",
  ];
  const url = "/b?X-Amz-Signature=url-signature&X-Amz-Security-Token=url-token";
  await using test = await startTestPlatform(({ event, options: { requestId } }) => {
    const write = (text: string) =>
      test.log.write({ time: new Date(), functionName: "f", text, requestId });
    write(`got ${JSON.stringify(event.headers)} and ${url}`);
    write(`authorization: ${secrets.authorization} and header-api-key and manifest"secret`);
    const headers = { "Set-Cookie": "session=answer-cookie-1" };
    const payload = { statusCode: 200, headers, body: `manifest"secret ${JSON.stringify(event)}` };
    if (event.path !== "/a") throw new Error(`manifest"secret ${secrets.cookie} ${url}`);
    return JSON.stringify(payload);
  }, { manifest: MANIFEST, secrets: { KEY: 'manifest"secret' } });
  const headers = Object.entries(secrets);
  const body = JSON.stringify({ key: 'manifest"secret', headers: secrets, url });
  const query = url.slice(2);
  await test.send({ method: "POST", path: `/v0/a${query}`, headers, body });
  const own = [...headers, ["Host", `f.localhost:${test.platform.port}`]] as const;
  await test.send({ method: "POST", path: url, headers: own, body });
  const event = JSON.stringify({
    headers: secrets,
    multiValueHeaders: { cookie: [secrets.cookie] },
    body,
  });
  await test.send({ method: "POST", path: "/2015-03-31/functions/f/invocations", body: event });
  const spans = await test.platform.traces();
  assertEquals(spans.length, 5);
  const log = await fetch(`${test.platform.controlUrl}/log`);
  const reader = log.body!.getReader();
  let stream = "";
  await until("the stream", async () => {
    stream += new TextDecoder().decode((await reader.read()).value);
    return stream.split("event: span").length > spans.length;
  });
  await reader.cancel();
  const left = [
    JSON.stringify(spans),
    stream,
    (await test.send({ path: "/traces" })).text,
    (await test.send({ path: "/spans" })).text,
    ...await Promise.all(
      spans.map(async ({ id }) => (await test.send({ path: `/spans/${id}` })).text),
    ),
  ];
  for (const text of left) {
    assertStringIncludes(text, HIDDEN);
    for (const needle of needles) {
      const at = text.indexOf(needle);
      assertEquals(at < 0 ? "" : text.slice(at - 100, at + 50), "", needle);
    }
  }
});

Deno.test("twenty requests at a time have each their own calls below them", async () => {
  const uses = { queues: { jobs: "send" } };
  const triggers = { routes: [{ method: "GET", path: "/a/{id}" }] };
  const manifest = manifestWith({ f: { module: "f.ts", uses, triggers } }, { jobs: {} });
  await using test = await startTestPlatform(async ({ event, options }) => {
    const environment = test.environmentOf("f");
    // Each invocation has a sandbox of its own, with a token that begins with that of the function. Nothing else tells them apart.
    const token = `${environment.AWS_SESSION_TOKEN}${event.pathParameters.id}`;
    options.onSandbox?.(token);
    for (const part of ["a", "b"]) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      const response = await sendSigned({ ...environment, AWS_SESSION_TOKEN: token }, "sqs", {
        headers: { "x-amz-target": "AmazonSQS.SendMessage" },
        body: JSON.stringify({
          QueueUrl: `${environment.AWS_ENDPOINT_URL}/000000000000/app-jobs`,
          MessageBody: `${event.pathParameters.id} ${part}`,
        }),
      });
      await response.body?.cancel();
    }
    return '{"statusCode":200}';
  }, { manifest });
  const ids = Array.from({ length: 20 }, (_, id) => id);
  await Promise.all(ids.map((id) => test.send({ path: `/v0/a/${id}` })));
  const spans = await test.platform.traces();
  const trees = Map.groupBy(spans, ({ traceId }) => traceId);
  assertEquals(trees.size, 20);
  for (const own of trees.values()) {
    const lines = drawTrees(own);
    const [, id] = /\/v0\/a\/(\d+)/.exec(lines[0]!)!;
    assertEquals(lines, [
      `request GET /v0/a/${id} 200`,
      "  invocation f (route GET /a/{id})",
      "    call SendMessage jobs",
      "    call SendMessage jobs",
    ]);
    for (const { id: span } of own.filter(({ type }) => type === "call")) {
      const { event } = (await ask(test, `/spans/${span}`)).body;
      assertEquals(JSON.parse(event.text).MessageBody.split(" ")[0], id);
    }
  }
});
