import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { setEnvironment } from "./in_process_host.ts";
import { createInProcessHost } from "./manifest_hosts.ts";
import type { InvokeOptions, LogRecord } from "../lambda/function_host.ts";
import { resolveGiven } from "./resolve_locally.ts";
import { manifestWith } from "../testdata/platform.ts";
import { logger } from "@mate/core/logger";

logger.level = "INFO"; // The functions run in this process, whose environment may set another level.

const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

/** Hosts one function whose module has the given text. */
async function createHost(source: string, timeout = 5) {
  const folder = await Deno.makeTempDir();
  const write = (text: string) => Deno.writeTextFile(join(folder, "f.js"), text);
  await write(source);
  const manifest = manifestWith({ f: { module: "f.js", timeout, memory: 512 } });
  const records: LogRecord[] = [];
  const log = (record: LogRecord) => void records.push(record);
  const host = await createInProcessHost({ manifest, manifestPath: join(folder, "app.json"), log });
  return {
    host,
    records,
    write,
    invoke: (options?: InvokeOptions) =>
      host.invoke("f", new TextEncoder().encode('{"n":1}'), options),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("the host in this process calls the handler with event and context", async () => {
  await using test = await createHost(`
    export const handler = (event, { getRemainingTimeInMillis, ...context }) =>
      ({ event, context, left: getRemainingTimeInMillis() > 0 });
  `);
  const outcome = await test.invoke({
    requestId: "id",
    clientContext: '{"a":1}',
    tenantId: "blue",
  });
  assertEquals([outcome.requestId, outcome.failure], ["id", undefined]);
  const { event, context: { logStreamName, ...context }, left } = decode(outcome.payload);
  assertEquals([event, left], [{ n: 1 }, true]);
  assertMatch(logStreamName, /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\]local$/);
  assertEquals(context, {
    awsRequestId: "id",
    functionName: "app-f",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:app-f",
    memoryLimitInMB: "512",
    logGroupName: "/aws/lambda/app-f",
    clientContext: { a: 1 },
    tenantId: "blue",
  });
});

Deno.test("the host in this process has an outcome for every failure", async () => {
  const handler = (code: string) => `export const handler = () => { ${code} }`;
  const cases = [
    [handler("throw new RangeError('no')"), "RangeError", "no"],
    [handler("return Promise.reject('text')"), "string", "text"],
    [handler("throw null"), "null", "null"],
    [handler("const a = {}; a.a = a; return a"), "Runtime.MarshalError", "circular"],
    ["export const handler = missing;", "ReferenceError", "missing is not"],
    ["export const handler = (", "TypeError", "Expression expected"],
    [
      "export const other = 1;",
      "Runtime.HandlerNotFound",
      'Cannot use the module "f.js": it has no function "handler"',
    ],
    [
      handler("return 'x'.repeat(6_291_555)"),
      "Function.ResponseSizeTooLarge",
      "exceeded maximum allowed payload size",
      "too large",
    ],
    [
      handler("return new Promise(() => {})"),
      "Sandbox.Timedout",
      "RequestId: id Error: Task timed out after 1.00 seconds",
      "timeout",
    ],
  ] as const;
  for (const [source, type, message, failure = "error"] of cases) {
    await using test = await createHost(source, 1);
    const outcome = await test.invoke({ requestId: "id" });
    const { errorType, errorMessage, stackTrace } = decode(outcome.payload);
    assertEquals([outcome.failure, errorType], [failure, type], source);
    assertStringIncludes(errorMessage, message);
    if (failure !== "error") continue;
    assertEquals(Array.isArray(stackTrace), true);
    assertStringIncludes(outcome.logTail, "\tERROR\tThe invocation failed ");
  }
});

Deno.test("the host in this process logs the console output of a function with its request", async () => {
  const consoleLog = console.log;
  await using test = await createHost(`
    export const handler = async ({ n }) => {
      console.log("n is %d\\nthen", n);
      await 0;
      console.error("bad");
      console.log('{"level":"INFO"}');
      console.log("2026-03-01T12:00:00.000Z\\tid\\tINFO\\tcomplete");
    };
  `);
  const { logTail } = await test.invoke({ requestId: "id" });
  const texts = test.records.map(({ functionName, text }) => `${functionName}: ${text}`);
  assertMatch(texts[0]!, /^f: \d{4}-\S+Z\tid\tINFO\tn is 1\rthen$/);
  assertMatch(texts[1]!, /^f: \d{4}-\S+Z\tid\tERROR\tbad$/);
  assertEquals(texts.slice(2), [
    'f: {"level":"INFO"}',
    "f: 2026-03-01T12:00:00.000Z\tid\tINFO\tcomplete",
  ]);
  assertEquals(logTail, test.records.map(({ text }) => `${text}\n`).join(""));
  await test.host[Symbol.asyncDispose]();
  assertEquals(console.log, consoleLog, "the console is as it was");
});

Deno.test("the host in this process does not log other console output", async () => {
  const lines: unknown[] = [];
  const original = console.log;
  console.log = (...data: unknown[]) => void lines.push(...data);
  try {
    await using test = await createHost("export const handler = () => 1;");
    await test.invoke();
    console.log("not the function's");
    assertEquals(test.records, []);
  } finally {
    console.log = original;
  }
  assertEquals(lines, ["not the function's"]);
});

Deno.test("the host in this process loads a function again after reload()", async () => {
  await using test = await createHost("export const handler = () => 1;");
  assertEquals(decode((await test.invoke()).payload), 1);
  await test.write("export const handler = () => 2;");
  assertEquals(decode((await test.invoke()).payload), 1);
  await test.host.reload();
  assertEquals(decode((await test.invoke()).payload), 2);
});

Deno.test("the host in this process refuses an unknown function", async () => {
  await using test = await createHost("");
  const { message } = await assertRejects(() => test.host.invoke("g", new Uint8Array()), TypeError);
  assertEquals(message, 'Cannot invoke "g": there is no such function');
});

Deno.test("the host in this process sets the variables with the same value in all functions", () => {
  const functions = {
    a: { module: "a.ts", environment: { SAME_X: "1", OTHER_X: "1", ONE_X: "1" } },
    b: { module: "b.ts", environment: { SAME_X: "1", OTHER_X: "2" } },
  };
  const names = ["SAME_X", "OTHER_X", "ONE_X"];
  const read = () => names.map((name) => Deno.env.get(name));
  Deno.env.set("ONE_X", "before");
  const restore = setEnvironment(resolveGiven(manifestWith(functions)));
  assertEquals(read(), ["1", undefined, "1"]);
  restore();
  assertEquals(read(), [undefined, undefined, "before"]);
  Deno.env.delete("ONE_X");
});

Deno.test("the host in this process streams to the caller, or returns the whole stream", async () => {
  await using test = await createHost("export async function* handler() { yield 'a'; }");
  const written: string[] = [];
  const stream = (type: string) => {
    const write = (bytes: Uint8Array) => void written.push(type, new TextDecoder().decode(bytes));
    return new WritableStream<Uint8Array>({ write });
  };
  assertEquals((await test.invoke({ stream })).payload.length, 0);
  assertEquals(written, ["application/octet-stream", "a"]);
  const { payload, isStream } = await test.invoke();
  assertEquals([new TextDecoder().decode(payload), isStream], ["a", true]);
});
