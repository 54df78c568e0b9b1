import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpNotFoundError, proxyHandler } from "../gateway/mod.ts";
import { logger } from "../logger/mod.ts";
import { httpStream } from "../runtime/mod.ts";
import { call, type CallOptions, captureLog, type Gateway } from "./mod.ts";

const GATEWAYS: readonly Gateway[] = ["rest", "http", "url", "alb", "lattice"];
const REQUEST = { url: "/orders/7" };

/** Calls a handler that returns a result. */
const reply = (result: unknown, options: CallOptions = {}) => call(() => result, REQUEST, options);

Deno.test("call() gives the handler the event and the context, and makes the response", async () => {
  const handler = proxyHandler((event, context) => ({
    format: event.format,
    body: event.queryPayload(),
    name: context.functionName,
  }));
  for (const gateway of GATEWAYS) {
    const request = new Request("https://api.example.com/", { method: "POST", body: '{"a":1}' });
    const response = await call(handler, request, { gateway, context: { functionName: "f" } });
    assertEquals(response.status, 200, gateway);
    assertEquals(response.headers.get("content-type"), "application/json; charset=utf-8");
    const format = gateway === "url" ? "http" : gateway;
    assertEquals(await response.json(), { format, body: { a: 1 }, name: "f" });
  }
});

Deno.test("call() decodes the body and keeps every header field", async () => {
  const handler = proxyHandler(() => {
    throw new HttpNotFoundError("Jörg ".repeat(300));
  });
  const headers = { "accept-encoding": "gzip" };
  const zipped = await call(handler, { ...REQUEST, headers });
  assertEquals([zipped.status, zipped.headers.get("content-encoding")], [404, "gzip"]);
  const text = new Response(zipped.body!.pipeThrough(new DecompressionStream("gzip")));
  assertEquals(await text.json(), { Message: "Jörg ".repeat(300) });

  const cookies = ["a=1", "b=2"];
  const results: [Gateway, unknown, CallOptions?][] = [
    ["rest", { headers: { A: "1" }, multiValueHeaders: { "Set-Cookie": cookies, a: ["1", "2"] } }],
    ["http", { statusCode: 200, headers: { A: "1, 2" }, cookies }],
    ["url", { statusCode: 200, headers: { A: "1, 2" }, cookies }],
    ["alb", { statusCode: 200, multiValueHeaders: { A: ["1", "2"], "set-cookie": cookies } }, {
      multiValueHeaders: true,
    }],
  ];
  for (const [gateway, result, options] of results) {
    const response = await reply(result, { ...options, gateway });
    assertEquals(response.headers.get("a"), "1, 2", gateway);
    assertEquals(response.headers.getSetCookie(), cookies, gateway);
  }
});

Deno.test("call() fills in what the gateway fills in", async () => {
  const cases: [Gateway, unknown, number, string | null, string][] = [
    ["rest", {}, 200, "application/json", ""],
    ["rest", { statusCode: "201", body: "x" }, 201, "application/json", "x"],
    ["rest", { headers: { "WWW-Authenticate": "Basic" } }, 200, "application/json", ""],
    ["http", { statusCode: 200, body: "x" }, 200, "text/plain; charset=utf-8", "x"],
    ["http", { hello: 1 }, 200, "application/json", '{"hello":1}'],
    ["url", "text", 200, "application/json", "text"],
    ["url", undefined, 200, "application/json", "null"],
    ["alb", { statusCode: 200, body: "x" }, 200, null, "x"],
    ["lattice", { statusCode: 204, body: "" }, 204, null, ""],
  ];
  for (const [gateway, result, status, type, body] of cases) {
    const response = await reply(result, { gateway });
    assertEquals([response.status, response.headers.get("content-type")], [status, type], gateway);
    assertEquals(await response.text(), body);
  }
  const names =
    "authorization connection content-length content-md5 date expect host max-forwards " +
    "proxy-authenticate server trailer upgrade user-agent www-authenticate";
  const headers = Object.fromEntries(names.split(" ").map((name) => [name, "x"]));
  const remapped = await reply({ headers: { ...headers, a: 5, b: true } });
  assertEquals(
    [...remapped.headers].filter(([, value]) => value === "x").map(([name]) => name),
    names.split(" ").map((name) => `x-amzn-remapped-${name}`),
  );
  assertEquals([remapped.headers.get("a"), remapped.headers.get("b")], ["5", "true"]);
  const kept = await reply({ statusCode: 401, headers: { "WWW-Authenticate": "Basic" } }, {
    gateway: "http",
  });
  assertEquals(kept.headers.get("www-authenticate"), "Basic");
});

Deno.test("call() answers 502, or 500 of an HTTP API, if the handler throws, and logs the error", async () => {
  for (const gateway of GATEWAYS) {
    const { result, records } = await captureLog(() =>
      call(() => Promise.reject(new RangeError("no")), REQUEST, {
        gateway,
        context: { awsRequestId: "8f5e" },
      })
    );
    assertEquals(result.status, gateway === "http" ? 500 : 502, gateway);
    assertEquals(records.map(({ level, errorType }) => [level, errorType]), [
      ["ERROR", "RangeError"],
    ]);
  }
});

Deno.test("call() rejects a malformed result, and says why", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const cases: [Gateway, unknown, string][] = [
    ["rest", undefined, "expected an object, got null"],
    ["rest", { statusCode: 200, hello: 1 }, 'unknown key "hello"'],
    ["rest", { statusCode: 200, cookies: [] }, 'unknown key "cookies"'],
    ["rest", { statusCode: 700 }, '"statusCode" must be an integer from 200 to 599, got 700'],
    ["rest", { statusCode: 200.5 }, '"statusCode" must be an integer'],
    ["rest", { body: { a: 1 } }, '"body" must be a string'],
    ["rest", { isBase64Encoded: "true" }, '"isBase64Encoded" must be a boolean'],
    ["rest", { isBase64Encoded: true, body: "a b" }, '"body" is not base64'],
    ["rest", { headers: [] }, '"headers" must be an object'],
    ["rest", { headers: { a: {} } }, '"headers.a" must be a string'],
    ["rest", { headers: { "a b": "x" } }, '"headers.a b" is not a header field'],
    ["rest", { multiValueHeaders: { a: "x" } }, '"multiValueHeaders.a" must be an array'],
    ["http", { statusCode: 200, cookies: "a=1" }, '"cookies" must be an array'],
    ["alb", { body: "" }, '"statusCode" must be an integer'],
    ["alb", "text", 'expected an object, got "text"'],
    ["http", { statusCode: 200, cookies: [{}] }, '"cookies.set-cookie" must be a string'],
    ["http", cycle, ""], // the engine says why
  ];
  for (const [gateway, result, message] of cases) {
    await assertRejects(() => reply(result, { gateway }), TypeError, message);
  }
  await assertRejects(
    () =>
      reply({ statusCode: 200, headers: { a: "1" } }, { gateway: "alb", multiValueHeaders: true }),
    TypeError,
    'the load balancer takes "multiValueHeaders", not "headers"',
  );
});

Deno.test("call() streams, and reads a chunk only when the reader wants it", async () => {
  let made = 0;
  let closed = false;
  async function* chunks() {
    try {
      for (;;) yield await Promise.resolve(made++ % 2 === 0 ? "é" : new Uint8Array([10]));
    } finally {
      closed = true;
    }
  }
  const headers = { "X-A": "1", "Content-Type": "text/csv" };
  const prelude = { statusCode: 201, headers, cookies: ["a=1", "b=2"] };
  const response = await call(() => httpStream(prelude, chunks()), REQUEST, { gateway: "url" });
  assertEquals([response.status, response.headers.get("x-a"), made], [201, "1", 1]);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assertEquals(response.headers.get("content-type"), "text/csv");
  const reader = response.body!.getReader();
  assertEquals([(await reader.read()).value, (await reader.read()).value], [
    new TextEncoder().encode("é"),
    new Uint8Array([10]),
  ]);
  assertEquals(made, 2);
  await reader.cancel();
  assert(closed);
});

Deno.test("call() streams the result of a generator, and a failure before the first chunk is 502", async () => {
  async function* rows() {
    yield await Promise.resolve("a");
    yield "b";
  }
  // deno-lint-ignore require-yield -- it fails first
  async function* failing() {
    await Promise.reject(new Error("no"));
  }
  const response = await reply(rows());
  assertEquals(await response.text(), "ab");
  assertEquals(response.headers.get("content-type"), "application/octet-stream");
  const { result } = await captureLog(() => reply(httpStream({}, failing())));
  assertEquals(result.status, 502);
  assertEquals((await reply(httpStream({ statusCode: 204 }, rows()))).body, null);
});

Deno.test("call() opens the scope of the request id", async () => {
  const handler = () => {
    logger.info("inside");
    return { statusCode: 204 };
  };
  const { records } = await captureLog(() =>
    call(handler, REQUEST, { context: { awsRequestId: "8f5e" } })
  );
  assertEquals(records.map(({ requestId }) => requestId), ["8f5e"]);
});
