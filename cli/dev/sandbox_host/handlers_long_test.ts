import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { proxyEvent, proxyResponse, queueEvent, tableEvent } from "@mate/core/testing";
import type { InvokeOutcome } from "../../lambda/function_host.ts";
import { type LogFormat, parseManifest, type Runtime } from "../../manifest/manifest.ts";
import { RUNTIMES } from "../../testdata/sandbox.ts";
import { resolveGiven } from "../resolve_locally.ts";
import { SandboxHost } from "./host.ts";
import { until } from "../../../testdata/waiting.ts";

const FOLDER = fileURLToPath(new URL("testdata", import.meta.url));

const get = (url: string, headers: Record<string, string> = {}) => proxyEvent({ url, headers });
const order = (id: string, init: { method?: string; body?: string } = {}) =>
  proxyEvent({
    url: `/orders/${id}`,
    headers: { "Accept-Encoding": "gzip", "Content-Type": "application/json" },
    ...init,
  }, { route: `${init.method ?? "GET"} /orders/{id}` });
const form = { method: "POST", body: "name=pea", url: "/soups" };
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const payment = await proxyEvent({ method: "POST", url: "/", headers: { "Idempotency-Key": "1" } });
const soups = [{ soup: "leek" }, { soup: "cold" }];
const messages = soups.map((payload, index) => ({ messageId: `m${index}`, payload }));
const changes = ["leek", "cold", "pea"].map((id, index) => ({
  kind: "INSERT" as const,
  keys: { id },
  sequenceNumber: `${100 + index}`,
}));

/** The handlers with the events that each of them gets, and the status and the body of each result. */
const CASES: readonly (readonly [string, unknown, status: number, body: RegExp])[] = [
  ["proxy", await order("7"), 201, /"id": "7"/],
  ["proxy", await order("ü", { method: "POST", body: '{"soup":"ü"}' }), 201, /"soup": "ü"/],
  ["proxy", await order("large"), 200, /(soup ){1000}/],
  ["proxy", await order("lost"), 404, /"detail":"There is no such order"/],
  ["proxy", await order("broken"), 500, /^(?![^]*no soup)/],
  ["stream", await get("/"), 200, /^data: leek\n\ndata: pea\n\ndata: ü\n\n$/],
  ["stream", await get("/?broken=1"), 404, /There is no soup/],
  ["web", await get("/soups/pea"), 200, /^\{"name":"pea"\}$/],
  ["web", await proxyEvent({ ...form, headers: FORM }), 201, /^pea$/],
  ["web", await get("/bytes"), 200, /^\0\uFFFD$/],
  ["web", await get("/none"), 404, /Not Found/],
  ["pay", payment, 201, /"payment": 1/],
  ["pay", payment, 201, /"payment": 1/],
  ["queue", queueEvent(messages), 0, /^\{"batchItemFailures":\[\{"itemIdentifier":"m1"\}\]\}$/],
  ["table", tableEvent(changes), 0, /^\{"batchItemFailures":\[\{"itemIdentifier":"101"\}\]\}$/],
];

const nameOf = (runtime: Runtime, handler: string) => `${handler}-${runtime.replace(/\W.*/, "")}`;

/** Opens the application. Each runtime has a function for each handler. */
function open(handlers: Iterable<string>, format: LogFormat): Promise<SandboxHost> {
  const functions = Object.fromEntries(
    RUNTIMES.flatMap((runtime) =>
      [...handlers].map((handler) => {
        const settings = { module: "handlers.ts", handler, runtime, timeout: 30 };
        return [nameOf(runtime, handler), settings];
      })
    ),
  );
  const settings = { logs: { format } };
  const text = JSON.stringify({ name: "handlers", stage: "v0", functions, settings });
  return SandboxHost.open({
    application: resolveGiven(parseManifest(text, "app.json")),
    manifestPath: `${FOLDER}/app.json`,
    log() {},
    idleLimit: 2_000,
  });
}

/** Invokes a handler on each runtime. */
function invokeAll<T>(
  host: SandboxHost,
  [handler, event]: readonly [string, unknown],
  read: (outcome: InvokeOutcome, payload: string) => T | Promise<T>,
): Promise<T[]> {
  const data = new TextEncoder().encode(JSON.stringify(event));
  return Promise.all(RUNTIMES.map(async (runtime) => {
    const outcome = await host.invoke(nameOf(runtime, handler), data);
    const payload = new TextDecoder().decode(outcome.payload);
    assertEquals(outcome.failure, undefined, `${runtime}: ${payload}`);
    return await read(outcome, payload);
  }));
}

/** Reads a result as a gateway does: the status, the header fields and the body. */
async function answerOf({ isStream }: InvokeOutcome, payload: string) {
  if (isStream) {
    const [prelude = "", body] = payload.split("\0".repeat(8));
    return { ...JSON.parse(prelude), body };
  }
  const result = JSON.parse(payload);
  if (result.batchItemFailures) return { statusCode: 0, body: payload };
  const { status: statusCode, headers, body } = proxyResponse(result);
  const isGzipped = headers.get("content-encoding") === "gzip";
  if (isGzipped) headers.delete("content-length"); // Each runtime has its own zlib.
  const bytes = isGzipped ? body!.pipeThrough(new DecompressionStream("gzip")) : body;
  return { statusCode, headers: [...headers], body: await new Response(bytes).text() };
}

Deno.test("each runtime gives the same results of handlers of several kinds", async (t) => {
  await using host = await open(new Set(CASES.map(([handler]) => handler)), "Text");
  for (const [index, [handler, event, status, body]] of CASES.entries()) {
    await t.step(`${handler} ${index}`, async () => {
      const [first, ...others] = await invokeAll(host, [handler, event], answerOf);
      assertEquals(first.statusCode, status);
      assertMatch(first.body, body);
      for (const other of others) assertEquals(other, first);
    });
  }
});

/** Removes what differs: times, identifiers, and the frames outside of the author's file, which Node.js also writes longer. */
function comparable(line: string, requestId: string): string {
  return line.replaceAll(requestId, "ID").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/"Timestamp":\d+/g, '"Timestamp":0')
    .replaceAll(/(?:at <anonymous> \(\/var\/task\/|at )(handlers\.ts:\d+:\d+)\)?/g, "in $1")
    .replaceAll(/(?:\r|\\n) +at [^\r"\\]+/g, "");
}

const METRIC = '"soups":3,"_aws":{"Timestamp":0,"CloudWatchMetrics":' +
  '[{"Namespace":"kitchen","Dimensions":[[]],"Metrics":[{"Name":"soups","Unit":"Count"}]}]}}';

/** The lines of the log by format. */
const LOGS: Readonly<Record<LogFormat, readonly RegExp[]>> = {
  Text: [
    /^TIME\tID\tINFO\tSoup \{"text":"leek","count":1\}$/,
    /^TIME\tID\tERROR\tNo soup \{"order":7\} RangeError: bad\r +in handlers\.ts:81:7\r\[cause\]: Error: cold\r +in handlers\.ts:81:38$/,
    /^\{"timestamp":"TIME",/,
    /^TIME\tID\tWARN\tfrom the console$/,
  ],
  JSON: [
    /^\{"timestamp":"TIME","level":"INFO","requestId":"ID","message":"Soup","data":/,
    /"requestId":"ID","message":"No soup".*"RangeError".*in handlers\.ts:81:7.*in handlers\.ts:81:38/,
    /^\{"timestamp":"TIME",/,
    /"level":"WARN",.*"from the console"/,
  ],
};

Deno.test("each runtime writes the same log as text and as JSON, with the author's lines", async () => {
  for (const format of ["Text", "JSON"] as const) {
    await using host = await open(["log"], format);
    const logs = await invokeAll(host, ["log", "leek"], ({ logTail, requestId }, payload) => {
      assertEquals(payload, '"leek"');
      return logTail.trimEnd().split("\n").slice(1, -2).map((line) => comparable(line, requestId));
    });
    for (const log of logs) {
      for (const [index, pattern] of LOGS[format].entries()) assertMatch(log[index]!, pattern);
      assertEquals(log.length, LOGS[format].length);
      assertStringIncludes(log[2]!, METRIC);
    }
  }
});

Deno.test("each runtime sends each part of a stream at once", async () => {
  const event = new TextEncoder().encode(JSON.stringify(await get("/")));
  const invocations: Promise<InvokeOutcome>[] = [];
  {
    await using host = await open(["endless"], "Text");
    await Promise.all(RUNTIMES.map(async (runtime) => {
      let text = "";
      const write = (part: Uint8Array) => void (text += new TextDecoder().decode(part));
      const options = { stream: () => new WritableStream({ write }) };
      invocations.push(host.invoke(nameOf(runtime, "endless"), event, options));
      await until(`the first part on ${runtime}`, () => text.endsWith("leek"), () => text);
    }));
  }
  for (const { failure } of await Promise.all(invocations)) assert(failure !== undefined);
});
