import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { proxyEvent } from "@mate/core/testing";
import { MANIFEST, startTestPlatform } from "../testdata/platform.ts";

/** A trace header without the span that is the parent. */
const withoutParent = (header = "") => header.replace(/;Parent=[\da-f]{16};Sampled=0/, "");

/** How the platform counts the first invocation of the function "echo". */
const FIRST_ROUND = "Lineage=092c79e8:1";

Deno.test("the gateway sends the event of a REST API with the facts of the request", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const request = {
    method: "POST",
    path: "/v0/echo/a%2Fb/c?x=1&x=2%20z&y=%C3%BC",
    headers: [["User-Agent", "curl/8"], ["X-MiXed", "yes"], ["x-dup", "1"], ["X-Dup", "2"]],
    body: '{"a":1}',
  } as const;
  const before = Date.now();
  await test.send(request);
  const { name, event, options } = test.host.calls[0]!;
  const { requestContext, headers } = event;
  const { deploymentId, resourceId, requestId, requestTimeEpoch, extendedRequestId } =
    requestContext;
  const traceId = headers["X-Amzn-Trace-Id"];
  assertEquals([name, withoutParent(options.traceId)], ["echo", `${traceId};${FIRST_ROUND}`]);
  assertMatch(traceId, /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  assertMatch(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertMatch(extendedRequestId, /^[A-Za-z0-9+/]{15}=$/);
  assert(requestTimeEpoch >= before && requestTimeEpoch <= Date.now());
  const expected = await proxyEvent({
    ...request,
    url: `http://localhost:${port}${request.path}`,
    headers: [...request.headers, ["X-Amzn-Trace-Id", traceId]],
  }, {
    apiId: "app",
    base64: true,
    stage: "v0",
    route: "ANY /echo/{proxy+}",
    sourceIp: "127.0.0.1",
    time: new Date(requestTimeEpoch),
    requestId,
    extendedRequestId,
  });
  Object.assign(expected.requestContext, { accountId: "000000000000", deploymentId, resourceId });
  assertEquals(event, expected);
});

Deno.test("the gateway takes several slashes after the stage as one", async () => {
  await using test = await startTestPlatform();
  await test.send({ method: "GET", path: "/v0//echo//x" });
  const { path, pathParameters, requestContext } = test.host.calls[0]!.event;
  assertEquals([path, pathParameters], ["/echo//x", { proxy: "/x" }]);
  assertEquals(requestContext.path, "/v0//echo//x");
});

Deno.test("the gateway does not normalize the path", async () => {
  await using test = await startTestPlatform();
  const cases = [
    ["/v0/echo/", "/echo/"],
    ["/v0/echo/%E4%B8%AD%20x", "/echo/%E4%B8%AD%20x"],
    ["/v0/echo/a//b/../c", "/echo/a//b/../c"],
  ] as const;
  for (const [path, eventPath] of cases) {
    assertEquals((await test.send({ path })).status, 200);
    const { event } = test.host.calls.at(-1)!;
    assertEquals([event.path, event.requestContext.path], [eventPath, `/v0${eventPath}`]);
  }
});

Deno.test("the gateway keeps the trace of the client, whatever the case of its header", async () => {
  await using test = await startTestPlatform();
  const root = "Root=1-5759e988-bd862e3fe1be46a994272793";
  await test.send({ path: "/v0/echo", headers: [["x-amzn-trace-id", root]] });
  const { event: { headers }, options } = test.host.calls[0]!;
  assertEquals(headers["x-amzn-trace-id"], root);
  assertEquals(withoutParent(options.traceId), `${root};${FIRST_ROUND}`);
});

Deno.test("the gateway takes the host from a target that is a URL, not from Host", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const path = `http://LOCALHOST:${port}/v0/echo`;
  await test.send({ path, headers: [["host", "evil.example"]] });
  const { multiValueHeaders, requestContext } = test.host.calls[0]!.event;
  assertEquals(multiValueHeaders.host, [`localhost:${port}`]);
  assertEquals(requestContext.domainName, `localhost:${port}`);
});

Deno.test("the gateway sends the result of the function", async () => {
  await using test = await startTestPlatform(() =>
    JSON.stringify({
      statusCode: 201,
      headers: { "X-A": "1", "content-type": "image/png", Trailer: "Expires" },
      multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
      body: btoa("\x89PNG\xff"),
      isBase64Encoded: true,
    })
  );
  const response = await test.send({ path: "/v0/items/7" });
  assertEquals(response.status, 201);
  assertEquals([...response.bytes], [0x89, 0x50, 0x4e, 0x47, 0xff]);
  assertEquals(response.header("content-length"), "5");
  const cookies = response.headers.filter(([name]) => name === "set-cookie");
  assertEquals(cookies.map(([, value]) => value), ["a=1", "b=2"]);
  assertEquals([response.header("X-A"), response.header("Content-Type")], ["1", "image/png"]);
  assertEquals(response.header("Trailer"), undefined);
  assertMatch(response.header("x-amzn-RequestId")!, /^[0-9a-f-]{36}$/);
  assertMatch(response.header("x-amz-apigw-id")!, /=$/);
  assertMatch(response.header("X-Amzn-Trace-Id")!, /^Root=1-/);
});

/** `{"body":"…"}` with a byte that is not valid in UTF-8. */
const NOT_UTF8 = Uint8Array.from('{"body":"\xff"}', (character) => character.charCodeAt(0));

Deno.test("the gateway replaces the identifiers in a result by the identifiers of the event", async () => {
  await using test = await startTestPlatform();
  const names = ["x-amzn-requestid", "x-amz-apigw-id", "x-amzn-trace-id"];
  const mine = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
  for (const result of [{ headers: mine("mine") }, { multiValueHeaders: mine(["mine"]) }, []]) {
    test.host.answer = () => JSON.stringify(result);
    const response = await test.send({ path: "/v0/echo" });
    const { headers, requestContext } = test.host.calls.pop()!.event;
    const own = response.headers.filter(([name]) => names.includes(name.toLowerCase()));
    const ids = [
      ["x-amzn-RequestId", requestContext.requestId],
      ["x-amz-apigw-id", requestContext.extendedRequestId],
    ] as const;
    const trace = ["X-Amzn-Trace-Id", headers["X-Amzn-Trace-Id"]] as const;
    assertEquals(own, response.status === 200 ? [trace, ...ids] : [...ids]);
  }
});

Deno.test("the gateway answers a failure as Amazon API Gateway does", async () => {
  await using test = await startTestPlatform();
  const internal = ["InternalServerError", '{"message": "Internal server error"}'] as const;
  const noToken = [
    "MissingAuthenticationToken",
    '{"message":"Missing Authentication Token"}',
  ] as const;
  const base64 = '{"isBase64Encoded":true,"body":"?"}';
  const cases = [
    ["an unknown route", "/v0/nope", "{}", 403, noToken],
    ["the root, which has no route", "/v0", "{}", 403, noToken],
    ["another stage", "/v1/echo", "{}", 403, noToken],
    ["a stage with the same beginning", "/v0x/echo", "{}", 403, noToken],
    ["a malformed result", "/v0/echo", "[]", 502, internal],
    ["a result that is not JSON", "/v0/echo", "", 502, internal],
    ["a result that is not UTF-8", "/v0/echo", { payload: NOT_UTF8 }, 502, internal],
    ["a flagged body that is not base64", "/v0/echo", base64, 500, internal],
    ["a function that fails", "/v0/echo", { failure: "error" }, 502, internal],
    ["a function that exits", "/v0/echo", { failure: "exit" }, 502, internal],
    ["a result that is too large", "/v0/echo", { failure: "too large" }, 502, internal],
    ["a function's own time-out", "/v0/echo", { failure: "timeout" }, 502, internal],
    ["a brace", "/v0/echo?a={b}", "{}", 400, ["BadRequest", '{"message": "Bad Request"}']],
  ] as const;
  for (const [rule, path, answer, status, [type, body]] of cases) {
    test.host.answer = () => answer;
    const response = await test.send({ path });
    assertEquals([response.status, response.text], [status, body], rule);
    assertEquals(response.header("x-amzn-ErrorType"), `${type}Exception`);
    assertEquals(response.header("Content-Type"), "application/json");
    assertEquals(response.header("Access-Control-Allow-Origin"), "*");
    assertMatch(response.header("x-amzn-RequestId")!, /^[0-9a-f-]{36}$/);
    assertMatch(response.header("x-amz-apigw-id")!, /=$/);
    assertStringIncludes(test.log.after(0).at(-1)!.text, `GET ${path.split("?")[0]}: `);
  }
});

Deno.test("the gateway lets pages of the origin in the manifest read the answers that it makes", async () => {
  const cors = { origin: "https://shop.example" };
  await using test = await startTestPlatform(() => "{}", { manifest: { ...MANIFEST, cors } });
  const allowed = async (path: string) => {
    const response = await test.send({ path });
    const name = "Access-Control-Allow";
    return [response.header(`${name}-Origin`), response.header(`${name}-Credentials`)];
  };
  assertEquals(await allowed("/v0/nowhere"), ["https://shop.example", "true"]);
  test.host.answer = () => '{"statusCode":200}';
  assertEquals(await allowed("/v0/echo"), [undefined, undefined]);
});

Deno.test("the gateway writes the remedy of a failure to the log", async () => {
  const streamed = { payload: new TextEncoder().encode("one"), isStream: true };
  const wrap = "wrap the handler in proxyHandler(), or return { statusCode, body }";
  const cases = [
    ["GET", streamed, 'the handler streams: set "stream": true on this route in the manifest'],
    ["GET", '{"hello":1}', wrap],
    ["GET", '"text"', wrap],
    ["GET", '{"statusCode":404}', 'GET /v0/items/7: the function "echo" answered 404'],
    ["OPTIONS", "{}", "add the route OPTIONS /items/{id} without an authorizer"],
    ["POST", "{}", "the routes of this path do not include POST /items/{id}"],
  ] as const;
  for (const [method, answer, hint] of cases) {
    await using test = await startTestPlatform(() => answer);
    await test.send({ method, path: "/v0/items/7" });
    assertStringIncludes(test.log.after(0)[0]!.text, hint);
  }
});

Deno.test("the gateway answers 504 after its time limit", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await using test = await startTestPlatform(() => promise, { gatewayTimeout: 5 });
  const { status, text } = await test.send({ path: "/v0/echo" });
  assertEquals([status, text], [504, '{"message": "Endpoint request timed out"}']);
  resolve("{}");
});

Deno.test("the time limit of the gateway stands still while a debugger is attached", async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  await using test = await startTestPlatform(() => pause().then(() => "{}"), { gatewayTimeout: 5 });
  const release = test.host.time.hold();
  assertEquals((await test.send({ path: "/v0/echo" })).status, 200);
  release();
  assertEquals((await test.send({ path: "/v0/echo" })).status, 504);
});

Deno.test("the gateway answers 502 if the host rejects, and goes on", async () => {
  await using test = await startTestPlatform(() => Promise.reject(new Error("no sandbox")));
  assertEquals((await test.send({ path: "/v0/echo" })).status, 502);
  assertEquals(test.log.after(0)[0]!.text, "GET /v0/echo: 502, because no sandbox");
  test.host.answer = () => "{}";
  assertEquals((await test.send({ path: "/v0/echo" })).status, 200);
});

Deno.test("the gateway answers 413 to a body over 10 MB, and to an event over 6 MB", async () => {
  await using test = await startTestPlatform();
  const post = (size: number) =>
    test.send({ method: "POST", path: "/v0/echo", body: new Uint8Array(size) });
  assertEquals((await post(4_500_000)).status, 200);
  const long = await post(5_000_000);
  assertEquals([long.status, long.text], [413, '{"message":"Request Too Long"}']);
  const large = await post(10_485_761);
  const tooLarge = '{"message":"HTTP content length exceeded 10485760 bytes."}';
  assertEquals([large.status, large.text], [413, tooLarge]);
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  const chunked = await test.send({
    method: "POST",
    path: "/v0/echo",
    headers: [["Transfer-Encoding", "chunked"]],
    body: `${chunk.repeat(161)}0\r\n\r\n`,
  });
  assertEquals([chunked.status, chunked.text], [413, tooLarge], "a body of unknown length");
  assertEquals(test.host.calls.length, 1);
});

Deno.test("the gateway answers 431 to headers over 10,240 bytes", async () => {
  await using test = await startTestPlatform();
  const get = (size: number) => {
    // `send()` adds two lines.
    const others = `Host: localhost:${test.platform.port}\r\nConnection: close\r\n`.length;
    const value = "x".repeat(size - others - "X: \r\n".length);
    return test.send({ path: `/v0/echo?${"q".repeat(1_000)}`, headers: [["X", value]] });
  };
  assertEquals((await get(10_240)).status, 200);
  for (const size of [10_241, 12_000]) {
    const response = await get(size);
    assertEquals(response.status, 431);
    assertEquals(response.text, '{"message":"HTTP header is larger than 10240 bytes."}');
  }
  assertStringIncludes(test.log.after(0)[0]!.text, "the headers have 10241 bytes, over 10240");
  assertEquals(test.host.calls.length, 1);
});
