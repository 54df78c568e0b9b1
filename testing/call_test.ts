import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { HTTP_STREAM } from "../function/http.ts";
import {
  HttpNotFoundError,
  proxyHandler,
  reply as answerWith,
  streamHandler,
} from "../gateway/mod.ts";
import { logger } from "../logger/mod.ts";
import { httpStream } from "../runtime/mod.ts";
import {
  call,
  type CallOptions,
  captureLog,
  createContext,
  type Gateway,
  proxyEvent,
} from "./mod.ts";

const GATEWAYS: readonly Gateway[] = ["rest", "http", "url", "alb", "lattice"];
const REQUEST = { url: "/orders/7" };

async function* chunks(chunk: string) {
  yield await Promise.resolve(chunk);
}

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

Deno.test("call() adds the status and the headers that the gateway adds", async () => {
  const cases: [Gateway, unknown, number, string | null, string][] = [
    ["rest", {}, 200, "application/json", ""],
    ["rest", { statusCode: null, headers: null, body: null }, 200, "application/json", ""],
    ["rest", { statusCode: "201", body: "x" }, 201, "application/json", "x"],
    ["rest", { body: "YWI=", isBase64Encoded: true }, 200, "application/json", "ab"],
    ["rest", { body: "YWI=" }, 200, "application/json", "YWI="],
    ["rest", { headers: { "content-TYPE": "a/b" }, body: "Grüße" }, 200, "a/b", "Grüße"],
    ["rest", { headers: { "WWW-Authenticate": "Basic" } }, 200, "application/json", ""],
    ["http", { statusCode: 200, body: "x" }, 200, "text/plain; charset=utf-8", "x"],
    ["http", { hello: 1 }, 200, "application/json", '{"hello":1}'],
    ["url", { statusCode: 200, body: "x" }, 200, "application/json", "x"],
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
});

Deno.test("call() renames the header fields that the gateway renames, in any case", async () => {
  const renamed = "Authorization Connection Content-Length Content-MD5 Date Expect Host " +
    "Max-Forwards Proxy-Authenticate Server Trailer Upgrade User-Agent WWW-Authenticate";
  const kept = "Age Content-Encoding Pragma TE Vary Via Warning";
  const names = `${renamed} ${renamed.toLowerCase()} ${kept}`.split(" ");
  for (const gateway of GATEWAYS) {
    const isRenaming = gateway === "rest" || gateway === "url";
    for (const name of names) {
      const { headers } = await reply({ statusCode: 200, headers: { [name]: "x" } }, { gateway });
      headers.delete("content-type");
      const isRenamed = isRenaming && !kept.includes(name);
      const expected = `${isRenamed ? "x-amzn-remapped-" : ""}${name.toLowerCase()}`;
      assertEquals([...headers], [[expected, "x"]], gateway);
    }
  }
});

Deno.test("call() reads the header fields of a REST API result as documented", async () => {
  const cases: [Record<string, unknown>, string | null][] = [
    [{ headers: { a: "ü" } }, "Ã¼"], // one character for each byte of UTF-8
    [{ headers: { a: 5 } }, "5"],
    [{ headers: { a: true } }, "true"],
    [{ headers: { "Transfer-Encoding": "chunked" } }, null],
    [{ headers: { a: "3" }, multiValueHeaders: { A: ["1", "2"] } }, "1, 2, 3"],
    [{ headers: { A: "1" }, multiValueHeaders: { a: ["1", "2"] } }, "1, 2"],
    [{ headers: { a: "1" }, multiValueHeaders: { A: ["1"] } }, "1"],
  ];
  for (const [result, value] of cases) {
    const { headers } = await reply(result);
    headers.delete("content-type");
    assertEquals([...headers.values()], value === null ? [] : [value]);
  }
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
    const logged = records.map(({ level, errorType }) => [level, errorType]);
    assertEquals(logged, [["ERROR", "RangeError"]]);
  }
});

Deno.test("call() answers HEAD without a body behind every gateway (RFC 9110 §9.3.2)", async () => {
  const headers = { "Content-Type": "text/plain", "X-A": "1" };
  const fail = () => Promise.reject(new Error("no"));
  for (const gateway of GATEWAYS) {
    for (const method of ["HEAD", "head", "GET"]) {
      const body = method === "GET" ? "x" : "";
      const ask = { url: "/", method };
      const options = { gateway };
      const whole = await call(() => ({ statusCode: 201, headers, body: "x" }), ask, options);
      assertEquals([whole.status, await whole.text()], [201, body], gateway);
      assertEquals(whole.headers.get("x-a"), "1");
      const { result: failed } = await captureLog(() => call(fail, ask, options));
      assertEquals(failed.status, gateway === "http" ? 500 : 502);
      assertEquals(await failed.text() === "", method !== "GET", gateway);
    }
  }
  let closed = false;
  async function* chunks() {
    try {
      for (;;) yield await Promise.resolve("x");
    } finally {
      closed = true;
    }
  }
  const cookies = ["a=1", "b=2"];
  const request = new Request("https://api.example.com/", { method: "HEAD" });
  const streamed = await call(
    () => httpStream({ statusCode: 203, headers, cookies }, chunks()),
    request,
  );
  assertEquals([streamed.status, streamed.body, closed], [203, null, true]);
  assertEquals(streamed.headers.getSetCookie(), cookies);
});

Deno.test("call() rejects a request without a URL, and a body that is neither text nor bytes", async () => {
  const noUrl = 'Invalid request: expected a Request, or parts such as { url: "/orders" }';
  const body = "Invalid body: expected a string, for example of JSON.stringify(), or a Uint8Array";
  for (
    const [request, problem] of [
      [undefined, `${noUrl}, got undefined`],
      [null, `${noUrl}, got null`],
      ["/orders", `${noUrl}, got a string`],
      [{}, `${noUrl}, got an object`],
      [{ body: {} }, `${noUrl}, got an object`],
      [{ url: "orders" }, 'Invalid URL "orders"'],
      [{ url: "/", body: { dish: "soup" } }, `${body}, got an object`],
      [{ url: "/", body: 5 }, `${body}, got a number`],
      [
        { url: "/", body: new URLSearchParams("a=1") },
        `${body}, got an instance of URLSearchParams`,
      ],
    ] as const
  ) {
    let ran = false;
    const calling = () => call(() => ran = true, request as never);
    await assertRejects(calling, TypeError, problem);
    assert(!ran);
  }
});

Deno.test("call() rejects a malformed result, and says why", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const cases: [Gateway, unknown, string][] = [
    ["rest", undefined, "it must be an object"],
    ["rest", { statusCode: 200, hello: 1 }, 'unknown key "hello"'],
    ["rest", { statusCode: 200.5 }, '"statusCode" must be an integer'],
    ["rest", { body: { a: 1 } }, '"body" must be a string'],
    ["rest", { isBase64Encoded: "true" }, '"isBase64Encoded" must be a boolean'],
    ["rest", { headers: [] }, '"headers" must be an object'],
    ["rest", { headers: { a: {} } }, '"headers.a" must be a string'],
    ["rest", { headers: { "a b": "x" } }, '"headers.a b" must have a token for its name'],
    ["rest", { headers: { a: "x\r\ny" } }, '"headers.a" must not have control characters'],
    ["rest", [], "it must be an object"],
    ["rest", { statusCode: 101 }, "599, got 101"],
    ["rest", { statusCode: 600 }, '"statusCode" must be an integer from 200 to 599, got 600'],
    ["rest", { multiValueHeaders: "x" }, '"multiValueHeaders" must be an object'],
    ["rest", { multiValueHeaders: { a: [null] } }, '"multiValueHeaders.a" must be a string'],
    ["rest", { multiValueHeaders: { a: "x" } }, '"multiValueHeaders.a" must be an array'],
    ["http", { statusCode: 200, cookies: "a=1" }, '"cookies" must be an array'],
    ["alb", { body: "" }, '"statusCode" must be an integer'],
    ["http", { statusCode: 200, cookies: [{}] }, '"cookies" must be a string'],
    ["http", cycle, ""], // the engine says why
  ];
  for (const [gateway, result, message] of cases) {
    await assertRejects(() => reply(result, { gateway }), TypeError, message);
  }
  const options = { gateway: "alb", multiValueHeaders: true } as const;
  const problem = 'the load balancer takes "multiValueHeaders", not "headers"';
  const single = { statusCode: 200, headers: { a: "1" } };
  await assertRejects(() => reply(single, options), TypeError, problem);
});

Deno.test("call() rejects a flagged body that is not base64", async () => {
  for (const body of ["YWI", "YW I=", "Y===", "YWI_", "<p>Hello</p>"]) {
    const calling = reply({ body, isBase64Encoded: true });
    await assertRejects(() => calling, SyntaxError, "the body is not base64", body);
  }
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

Deno.test("call() makes the response of a stream as that of any other result", async () => {
  const fields = { "X-Uni": "5 €", "X-Cafe": "café", "Transfer-Encoding": "chunked" };
  const renamed = { "WWW-Authenticate": "Basic", Date: "x", Server: "x", Connection: "close" };
  const headers = { ...fields, ...renamed };
  for (const gateway of ["rest", "url"] as const) {
    for (const statusCode of [200, 203, 204, undefined]) {
      const body = statusCode === 204 ? "" : "x";
      const streamed = await reply(httpStream({ statusCode, headers }, chunks("x")), { gateway });
      const whole = await reply({ statusCode: statusCode ?? 200, headers, body }, { gateway });
      assertEquals([streamed.status, ...streamed.headers], [whole.status, ...whole.headers]);
      assertEquals(await streamed.text(), body);
      assertEquals(streamed.headers.get("x-amzn-remapped-server"), "x");
      assertEquals(streamed.headers.get("content-type"), "application/json");
    }
  }
  const handler = streamHandler(() =>
    answerWith(200, "x", { headers: fields, type: "text/plain" })
  );
  const response = await call(handler, REQUEST, { gateway: "url" });
  assertEquals([response.status, await response.text()], [200, "x"]);
  assertEquals(response.headers.get("x-cafe"), "cafÃ©"); // one character for each byte of UTF-8
});

Deno.test("call() rejects a malformed prelude, and says why", async () => {
  const cases: [Gateway, Record<string, unknown>, string][] = [
    ["url", { statusCode: 99 }, '"statusCode" must be an integer from 200 to 599, got 99'],
    ["url", { headers: { a: "x\ny" } }, '"headers.a" must not have control characters'],
    ["url", { cookies: "a=1" }, '"cookies" must be an array'],
    ["rest", { cookies: "a=1" }, '"multiValueHeaders.Set-Cookie" must be an array'],
    ["rest", { status: 200 }, 'unknown key "status"'],
  ];
  for (const [gateway, prelude, message] of cases) {
    const result = { [HTTP_STREAM]: true, prelude, body: chunks("x") };
    await assertRejects(() => reply(result, { gateway }), TypeError, message);
  }
});

Deno.test("call() and proxyEvent() refuse unknown options", async () => {
  const options = { gatway: "http" } as object;
  const expected = "gateway, stage, basePath, route, claims, authorizer, stageVariables, " +
    "sourceIp, requestId, extendedRequestId, apiId, time, protocol, multiValueHeaders, base64";
  const problem = `Unknown option "gatway": expected one of ${expected}`;
  await assertRejects(() => reply({}, options), TypeError, `${problem}, context`);
  await assertRejects(() => proxyEvent(REQUEST, options), TypeError, problem);
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

Deno.test("createContext() makes a context with a decreasing remaining time", async () => {
  const context = createContext({ functionName: "orders", tenantId: "t" });
  assertEquals([context.functionName, context.tenantId], ["orders", "t"]);
  assertEquals(context.logGroupName, "/aws/lambda/orders");
  assertEquals(context.invokedFunctionArn.endsWith(":function:orders"), true);
  assertMatch(context.logStreamName, /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][\da-f]{32}$/);
  const before = context.getRemainingTimeInMillis();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert(before <= 30_000 && context.getRemainingTimeInMillis() < before);
  assertNotEquals(createContext().awsRequestId, context.awsRequestId);
});
