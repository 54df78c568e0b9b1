/**
 * Measures what the traces of `mate dev` cost: `deno task bench:traces`. First the processor time of the recording of a request with
 * its invocation, beside that of a warm request of the platform. The time of the function's own process does not count. Then the
 * memory while 100,000 requests come.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import type { HttpRequest } from "../cli/gateway/protocol.ts";
import { RecordedHost } from "../cli/dev/traces/record_invocations.ts";
import { recordRequests } from "../cli/dev/traces/record_requests.ts";
import { Traces } from "../cli/dev/traces/traces.ts";
import { startPlatform } from "../cli/dev/platform.ts";
import { makeApp } from "../cli/testdata/bundle.ts";
import { TestHost } from "../cli/testdata/platform.ts";

const RECORDED = 100_000;
const SENT = 500;

const EVENT = Buffer.from(JSON.stringify({ headers: { a: "x".repeat(1_000) }, body: null }));
const RESULT = JSON.stringify({ statusCode: 200, body: "y".repeat(500) });
const REQUEST: HttpRequest = {
  method: "GET",
  url: "http://localhost:8000/v0/a",
  authority: "localhost:8000",
  path: "/v0/a",
  query: "",
  headers: [["Host", "localhost:8000"], ["User-Agent", "benchmark"], ["Accept", "*/*"]],
  protocol: "HTTP/1.1",
  sourceIp: "127.0.0.1",
  body: new Uint8Array(),
  time: new Date(),
};

/** Returns the microseconds of the processor for each time that something is done. */
async function costOf(times: number, act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const plain = new TestHost(() => RESULT);
const traces = new Traces();
const recorded = new RecordedHost(plain, traces);
const trigger = { type: "route", name: "GET /a" } as const;
const answerWith = (host: Pick<TestHost, "invoke">) => async ({ trace }: HttpRequest) => {
  const { payload } = await host.invoke("f", EVENT, { traceId: trace, facts: { trigger } });
  plain.calls.length = 0;
  return { status: 200, headers: [], body: payload };
};
const record = recordRequests(answerWith(recorded), traces, { "mate.gateway": "rest" });
const pass = answerWith(plain);

await using app = await makeApp({ "f.ts": "export const handler = () => ({ statusCode: 200 });" }, {
  f: { module: "f.ts", triggers: { routes: [{ method: "GET", path: "/a" }] } },
});
await using platform = await startPlatform(app.manifest);
const send = async () => await (await fetch(`${platform.url}/v0/a`)).text();
await costOf(20, send);
const request = await costOf(SENT, send);
await costOf(5_000, () => pass(REQUEST));
await costOf(5_000, () => record(REQUEST));
const memory: number[] = [];
let extra = 0;
for (let part = 0; part < 10; part++) {
  extra += await costOf(RECORDED / 10, () => record(REQUEST));
  extra -= await costOf(RECORDED / 10, () => pass(REQUEST));
  memory.push(Deno.memoryUsage().heapUsed / 1024 / 1024);
}
const recording = extra / 10;
console.log(`| | µs of the processor |\n|---|--:|
| a warm request, with the recording | ${request.toFixed(0)} |
| the recording of it, two spans | ${recording.toFixed(0)} |
| its part | ${(100 * recording / request).toFixed(1)} % |

MiB of the heap after each ${RECORDED / 10} requests: ${
  memory.map((one) => one.toFixed(0)).join(", ")
}`);
