import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { send, startRunning, startRuntimeApi } from "../../testdata/runtime_api.ts";
import type { Answer } from "./invocation.ts";
import { until, within } from "../../../testdata/waiting.ts";

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Selects the parts of an answer that tests compare. */
const brief = (answer: Answer) => [
  answer.kind,
  answer.kind === "response" ? answer.contentType : answer.errorType,
  decode(answer.body),
];

Deno.test("RuntimeApi hands an invocation with its headers to a runtime that waits", async () => {
  await using runtime = await startRuntimeApi();
  const polling = runtime.next();
  assertEquals(await runtime.api.started, undefined);
  runtime.invoke("id-1", { clientContext: '{"k":\n"é"}', tenantId: "t", traceId: "Root=1-2-3" });
  const { status, text, headers } = await polling;
  assertEquals([status, text], [200, '{"a":1}']);
  const own = Object.fromEntries([...headers].filter(([name]) => name.startsWith("lambda-")));
  assertEquals(own, {
    "lambda-runtime-aws-request-id": "id-1",
    "lambda-runtime-aws-tenant-id": "t",
    "lambda-runtime-client-context": '{"k": "\\u00e9"}',
    "lambda-runtime-deadline-ms": "1700000000000",
    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:000000000000:function:one",
    "lambda-runtime-trace-id": "Root=1-2-3",
  });
  assertEquals(headers.get("content-type"), "application/json");
});

Deno.test("RuntimeApi sends a new trace identifier, and no header without a value", async () => {
  await using runtime = await startRuntimeApi();
  runtime.invoke("id");
  const { headers } = await runtime.next();
  assertMatch(
    headers.get("lambda-runtime-trace-id")!,
    /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0$/,
  );
  assertEquals(headers.has("lambda-runtime-client-context"), false);
  assertEquals(headers.has("lambda-runtime-aws-tenant-id"), false);
});

Deno.test("RuntimeApi takes a result, and finishes when the runtime asks for the next invocation", async () => {
  await using runtime = await startRunning();
  const again = await runtime.next();
  assertEquals(again.headers.get("lambda-runtime-aws-request-id"), "id", "the same invocation");
  const post = await runtime.post("invocation/id/response", "[1]", { "content-type": "a/b" });
  assertEquals([post.status, post.text], [202, '{"status":"OK"}\n']);
  assertEquals(brief(await runtime.answered), ["response", "a/b", "[1]"]);
  const polling = runtime.next();
  await runtime.finished;
  runtime.invoke("id-2");
  assertEquals((await polling).headers.get("lambda-runtime-aws-request-id"), "id-2");
});

Deno.test("RuntimeApi answers only a runtime that has its secret", async () => {
  await using other = await startRuntimeApi();
  await using runtime = await startRuntimeApi();
  assertMatch(runtime.root, /^\/[0-9a-f]{32}$/);
  assertNotEquals(runtime.root, other.root);
  runtime.invoke("id");
  const { host, root } = runtime;
  const next = "/2018-06-01/runtime/invocation/next";
  const requests = [
    [next, host],
    [`${other.root}${next}`, host],
    [`${root}x${next}`, host],
    [root, host],
    [`//${host}${root}${next}`, host],
    [`${root}${next}`, "evil.example"],
    [`${root}${next}`, `localhost:${host.split(":")[1]}`],
    [`${root}${next}`, `${host}\r\nOrigin: http://${host}`],
    [`${root}${next}`, `${host}\r\nSec-Fetch-Site: none`],
  ];
  for (const [path, lines] of requests) {
    using connection = await runtime.connect();
    const head = `GET ${path} HTTP/1.1\r\nHost: ${lines}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    const buffer = new Uint8Array(1_000);
    const text = decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
    assertMatch(text, /^HTTP\/1.1 403 /, head);
  }
  assertEquals((await runtime.next()).status, 200, "the runtime still gets its invocation");
});

Deno.test("RuntimeApi refuses a second request for the next invocation while the first one waits", async () => {
  await using runtime = await startRuntimeApi();
  const polling = runtime.next();
  await runtime.api.started;
  assertEquals((await runtime.next()).status, 403);
  runtime.invoke("id");
  assertEquals((await polling).headers.get("lambda-runtime-aws-request-id"), "id");
});

Deno.test("RuntimeApi sends no invocation to a runtime that stopped waiting", async () => {
  await using runtime = await startRuntimeApi();
  const aborting = new AbortController();
  const polling = runtime.next(aborting.signal).catch(() => {});
  await runtime.api.started;
  aborting.abort();
  await polling;
  let next = await runtime.next(AbortSignal.timeout(100)).catch(() => undefined);
  runtime.invoke("id");
  // The API takes a moment to notice the closed connection.
  const isSent = async () => (next = await within("an answer", runtime.next())).status === 200;
  await until("the invocation", isSent, () => next);
  assertEquals(next!.headers.get("lambda-runtime-aws-request-id"), "id");
});

Deno.test("RuntimeApi records the type of an error", async () => {
  const body = '{"e":1}';
  const cases = [
    ["Function.MyError", "Function.MyError"],
    ["Runtime.ExitError", "Runtime.ExitError"],
    ["Function.my-error", "Function.Unknown"],
    ["TypeError", "Runtime.Unknown"],
    ["", "Runtime.Unknown"],
    ["Function.No", "Function.No", "", '{"errorType":"Function.No","errorMessage":""}'],
  ] as const;
  for (const [header, recorded, posted = body, expected = posted] of cases) {
    await using runtime = await startRunning();
    const headers: Record<string, string> =
      header && { "lambda-runtime-function-error-type": header } || {};
    assertEquals((await runtime.post("invocation/id/error", posted, headers)).status, 202);
    assertEquals(brief(await runtime.answered), ["error", recorded, expected], header);
  }
});

Deno.test("RuntimeApi refuses a post for another invocation, and a second post", async () => {
  for (const kind of ["response", "error"]) {
    await using runtime = await startRunning();
    const other = await runtime.post(`invocation/other/${kind}`);
    assertEquals([other.status, JSON.parse(other.text)], [400, {
      errorMessage: "Invalid request ID",
      errorType: "InvalidRequestID",
    }]);
    assertEquals((await runtime.post("invocation/id/response")).status, 202);
    const second = await runtime.post(`invocation/id/${kind}`);
    const { errorType, errorMessage } = JSON.parse(second.text);
    assertEquals([second.status, errorType], [403, "InvalidStateTransition"]);
    assertMatch(errorMessage, /^State transition from RuntimeResponseSentState to Invocation/);
  }
});

Deno.test("RuntimeApi takes a result of 6,291,556 bytes, and answers 413 to one byte more", async () => {
  for (const isChunked of [false, true]) {
    for (const [size, status, kind] of [[0, 202, "response"], [1, 413, "too large"]] as const) {
      await using runtime = await startRunning();
      const bytes = new Uint8Array(6_291_556 + size);
      const body = isChunked ? new Blob([bytes]).stream() : bytes;
      const post = await runtime.post("invocation/id/response", body);
      const answer = await runtime.answered;
      assertEquals([post.status, answer.kind], [status, kind]);
      if (answer.kind === "response") continue;
      assertEquals(JSON.parse(post.text), {
        errorMessage: "Exceeded maximum allowed payload size (6291556 bytes).",
        errorType: "RequestEntityTooLarge",
      });
      const { errorMessage } = JSON.parse(decode(answer.body));
      assertMatch(errorMessage, /^Response payload size \(6291557 bytes\) exceeded maximum/);
      assertEquals((await runtime.post("invocation/id/error")).status, 403, "it is answered");
    }
  }
});

Deno.test("RuntimeApi answers 413 to a result or an error that tells too large a length", async () => {
  for (const path of ["invocation/id/response", "invocation/id/error", "init/error"]) {
    const running = path === "init/error" ? undefined : await startRunning();
    await using runtime = running ?? await startRuntimeApi();
    using connection = await runtime.connect();
    const head =
      `POST ${runtime.root}/2018-06-01/runtime/${path} HTTP/1.1\r\nHost: ${runtime.host}\r\n`;
    await connection.write(
      new TextEncoder().encode(`${head}Content-Length: 99999999999\r\n\r\n{}`),
    );
    const buffer = new Uint8Array(4_096);
    const size = await within("the answer", connection.read(buffer)) ?? 0;
    assertMatch(
      decode(buffer.subarray(0, size)),
      /^HTTP\/1\.1 413 [^]*"RequestEntityTooLarge"/,
      path,
    );
    const answer: Answer | undefined = await (running?.answered ?? runtime.api.started);
    assertEquals(answer!.kind, "too large");
    const { errorType, errorMessage } = JSON.parse(decode(answer!.body));
    assertEquals(errorType, "Function.ResponseSizeTooLarge");
    assertMatch(errorMessage, /^Response payload size \(99999999999 bytes\) exceeded maximum/);
  }
});

Deno.test("RuntimeApi takes one init error, before the first poll", async () => {
  await using runtime = await startRuntimeApi();
  const type = { "lambda-runtime-function-error-type": "Runtime.NoHandler" };
  const first = await runtime.post("init/error", '{"errorType":"E"}', type);
  assertEquals([first.status, first.text], [202, '{"status":"OK"}\n']);
  assertEquals((await runtime.api.started)?.errorType, "Runtime.NoHandler");
  for (const response of [await runtime.post("init/error"), await runtime.next()]) {
    assertEquals(response.status, 403);
    assertEquals(JSON.parse(response.text).errorType, "InvalidStateTransition");
  }
  await using running = await startRunning();
  const { status, text } = await running.post("init/error");
  const message = "State transition from Running to InitError failed for runtime. " +
    "Error: State transition is not allowed";
  assertEquals([status, JSON.parse(text).errorMessage], [403, message]);
});

Deno.test("RuntimeApi answers 404 to other requests", async () => {
  await using runtime = await startRuntimeApi();
  const cases = [
    ["GET", "/"],
    ["GET", "/2018-06-01/runtime/init/error"],
    ["POST", "/2018-06-01/runtime/invocation/next"],
    ["POST", "/2018-06-01/runtime/invocation/%/response/x"],
    ["POST", "/2020-01-01/extension/register"],
  ];
  for (const [method, path] of cases) {
    const { status } = await send(`http://${runtime.api.address}${path}`, { method: method! });
    assertEquals(status, 404, `${method} ${path}`);
  }
});

/** Makes a streamed result without its end. */
const streamed = ({ host, root }: { readonly host: string; readonly root: string }) =>
  [
    `POST ${root}/2018-06-01/runtime/invocation/id/response HTTP/1.1`,
    `Host: ${host}`,
    "Lambda-Runtime-Function-Response-Mode: streaming",
    "Content-Type: application/vnd.awslambda.http-integration-response",
    "Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
    "Transfer-Encoding: chunked",
    "",
    "3",
    "{}\0",
    "2",
    "ab\r\n",
  ].join("\r\n");

/** Sends a whole stream over a new connection. Returns the status line of the answer. */
async function stream(runtime: Awaited<ReturnType<typeof startRunning>>, end: string) {
  using connection = await runtime.connect();
  const bytes = new TextEncoder().encode(streamed(runtime) + end);
  await connection.write(bytes);
  const buffer = new Uint8Array(4_096);
  const size = await within("the answer", connection.read(buffer)) ?? 0;
  return decode(buffer.subarray(0, size)).split("\r\n")[0];
}

const TYPE = "application/vnd.awslambda.http-integration-response";
const TRAILERS = "Lambda-Runtime-Function-Error-Type: Function.Broken\r\n" +
  `Lambda-Runtime-Function-Error-Body: ${btoa('{"errorType":"E"}')}\r\n`;

Deno.test("RuntimeApi collects a streamed result, and takes the error of its trailers", async () => {
  await using runtime = await startRunning();
  assertEquals(await stream(runtime, "0\r\n\r\n"), "HTTP/1.1 202 Accepted");
  assertEquals(brief(await runtime.answered), ["response", TYPE, "{}\0ab"]);
  await using broken = await startRunning();
  assertEquals(await stream(broken, `0\r\n${TRAILERS}\r\n`), "HTTP/1.1 202 Accepted");
  assertEquals(brief(await broken.answered), ["error", "Function.Broken", '{"errorType":"E"}']);
});

const BROKEN = "the function failed in the middle of its stream (Function.Broken)";

Deno.test("RuntimeApi passes each part of a streamed result on at once, and its error", async () => {
  for (const [end, expected] of [["0\r\n\r\n", "end"], [`0\r\n${TRAILERS}\r\n`, BROKEN]]) {
    const types: string[] = [];
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const open = (type: string) => (types.push(type), writable);
    await using runtime = await startRunning({ stream: open });
    using connection = await runtime.connect();
    const write = (text: string) => connection.write(new TextEncoder().encode(text));
    await write(streamed(runtime));
    const reader = readable.getReader();
    let text = "";
    while (text !== "{}\0ab") { // before the end
      const { value } = await within("the first part", reader.read(), () => text);
      assert(value, text);
      text += decode(value);
    }
    await write(end!);
    const last = await reader.read().then(({ done }) => done && "end", ({ message }) => message);
    assertEquals([types, last], [[TYPE], expected]);
  }
});

Deno.test("RuntimeApi goes on if the reader of a streamed result goes away", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  await readable.cancel();
  await using runtime = await startRunning({ stream: () => writable });
  assertEquals(await stream(runtime, "0\r\n\r\n"), "HTTP/1.1 202 Accepted");
  assertEquals((await runtime.answered).kind, "response");
});

Deno.test("RuntimeApi makes an error if the connection of a result breaks", async () => {
  await using runtime = await startRunning();
  const connection = await runtime.connect();
  await connection.write(new TextEncoder().encode(streamed(runtime)));
  connection.close();
  assertEquals(brief(await runtime.answered)[1], "Runtime.TruncatedResponse");
});
