import { assert, assertEquals, assertMatch } from "@std/assert";
import { startTestPlatform } from "../../testdata/platform.ts";

const IDENTITY = [
  "accessKey",
  "accountId",
  "caller",
  "cognitoAuthenticationProvider",
  "cognitoAuthenticationType",
  "cognitoIdentityId",
  "cognitoIdentityPoolId",
  "principalOrgId",
  "sourceIp",
  "user",
  "userAgent",
  "userArn",
];

Deno.test("the gateway sends the event that the platform's documentation shows", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const before = Date.now();
  await test.send({
    method: "POST",
    path: "/v0/echo/a%2Fb/c?x=1&x=2%20z&y=%C3%BC",
    headers: [["User-Agent", "curl/8"], ["X-MiXed", "yes"], ["x-dup", "1"], ["X-Dup", "2"]],
    body: '{"a":1}',
  });
  const { name, event, options } = test.host.calls[0]!;
  assertEquals(name, "echo");
  const { requestContext, ...rest } = event;
  const traceId = rest.headers["X-Amzn-Trace-Id"];
  assertMatch(traceId, /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  assertEquals(options.traceId, traceId);
  assertEquals(rest, {
    resource: "/echo/{proxy+}",
    path: "/echo/a%2Fb/c",
    httpMethod: "POST",
    headers: {
      Host: `localhost:${port}`,
      "User-Agent": "curl/8",
      "X-MiXed": "yes",
      "x-dup": "2",
      "X-Amzn-Trace-Id": traceId,
      "X-Forwarded-For": "127.0.0.1",
      "X-Forwarded-Port": String(port),
      "X-Forwarded-Proto": "http",
    },
    multiValueHeaders: {
      Host: [`localhost:${port}`],
      "User-Agent": ["curl/8"],
      "X-MiXed": ["yes"],
      "x-dup": ["1", "2"],
      "X-Amzn-Trace-Id": [traceId],
      "X-Forwarded-For": ["127.0.0.1"],
      "X-Forwarded-Port": [String(port)],
      "X-Forwarded-Proto": ["http"],
    },
    queryStringParameters: { x: "2 z", y: "ü" },
    multiValueQueryStringParameters: { x: ["1", "2 z"], y: ["ü"] },
    pathParameters: { proxy: "a%2Fb/c" },
    stageVariables: null,
    body: btoa('{"a":1}'),
    isBase64Encoded: true,
  });
  const { identity, requestId, requestTime, requestTimeEpoch, extendedRequestId, ...context } =
    requestContext;
  assertEquals(Object.keys(identity), IDENTITY);
  assertEquals([identity.sourceIp, identity.userAgent, identity.user], [
    "127.0.0.1",
    "curl/8",
    null,
  ]);
  assertMatch(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertMatch(extendedRequestId, /^[A-Za-z0-9+/]{15}=$/);
  assertMatch(requestTime, /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  assert(requestTimeEpoch >= before && requestTimeEpoch <= Date.now());
  const { apiId, deploymentId, resourceId, ...named } = context;
  assertMatch(`${apiId} ${deploymentId} ${resourceId}`, /^[0-9a-z]{10} [0-9a-z]{6} [0-9a-z]{6}$/);
  assertEquals(named, {
    accountId: "000000000000",
    domainName: `localhost:${port}`,
    domainPrefix: "localhost",
    httpMethod: "POST",
    path: "/v0/echo/a%2Fb/c",
    protocol: "HTTP/1.1",
    resourcePath: "/echo/{proxy+}",
    stage: "v0",
  });
});

Deno.test("the gateway sends null for absent parts of a request", async () => {
  await using test = await startTestPlatform();
  await test.send({ path: "/v0/echo" });
  const { event } = test.host.calls[0]!;
  assertEquals(event.queryStringParameters, null);
  assertEquals(event.multiValueQueryStringParameters, null);
  assertEquals(event.pathParameters, null);
  assertEquals(event.body, null);
  assertEquals(event.isBase64Encoded, false);
  assertEquals(event.requestContext.identity.userAgent, null);
});

Deno.test("the gateway decodes the query", async (t) => {
  for (
    const [query, expected] of [
      ["?", null],
      ["?x", { x: [""] }],
      ["?x=", { x: [""] }],
      ["?=1", { "": ["1"] }],
      ["?a=b=c", { a: ["b=c"] }],
      ["?&&a=1&", { a: ["1"] }],
      ["?a+b=c+d", { "a b": ["c d"] }],
      ["?a=%2B%26%3D", { a: ["+&="] }],
      ["?a=1;b=2", { a: ["1"], b: ["2"] }],
      ["?a=%3B", { a: [";"] }],
      ["?a=%zz", { a: ["%zz"] }],
      ["?a=%ff", { a: ["\ufffd"] }],
      ["?a=b?c/d", { a: ["b?c/d"] }],
      ["?__proto__=1", Object.fromEntries([["__proto__", ["1"]]])],
    ] as const
  ) {
    await t.step(`${query}`, async () => {
      await using test = await startTestPlatform();
      await test.send({ path: `/v0/echo${query}` });
      const { event } = test.host.calls[0]!;
      assertEquals(
        JSON.stringify(event.multiValueQueryStringParameters),
        JSON.stringify(expected),
      );
    });
  }
});

Deno.test("the gateway passes the path on as it is", async (t) => {
  for (
    const [path, eventPath, contextPath] of [
      ["/v0/echo/", "/echo/", "/v0/echo/"],
      ["/v0/echo/%E4%B8%AD%20x", "/echo/%E4%B8%AD%20x", "/v0/echo/%E4%B8%AD%20x"],
      ["/v0/echo/a//b/../c", "/echo/a//b/../c", "/v0/echo/a//b/../c"],
      ["http://localhost/v0/echo/x", "/echo/x", "/v0/echo/x"],
    ] as const
  ) {
    await t.step(`${path}`, async () => {
      await using test = await startTestPlatform();
      assertEquals((await test.send({ path })).status, 200);
      const { event } = test.host.calls[0]!;
      assertEquals([event.path, event.requestContext.path], [eventPath, contextPath]);
    });
  }
});

Deno.test("the gateway appends the client to X-Forwarded-For, keeps its trace, and keeps hop-by-hop headers", async () => {
  await using test = await startTestPlatform();
  await test.send({
    method: "PUT",
    path: "/v0/echo",
    headers: [
      ["X-Forwarded-For", "192.0.2.1"],
      ["x-forwarded-for", "192.0.2.2"],
      ["x-amzn-trace-id", "Root=1-5-6"],
      ["X-Forwarded-Proto", "https"],
      ["TE", "trailers"],
      ["Content-MD5", "abc"],
    ],
    body: Uint8Array.of(0xff, 0),
  });
  const { headers, multiValueHeaders, body } = test.host.calls[0]!.event;
  assertEquals(multiValueHeaders["X-Forwarded-For"], ["192.0.2.1, 192.0.2.2, 127.0.0.1"]);
  assertEquals(headers["X-Amzn-Trace-Id"], "Root=1-5-6");
  assertEquals(headers["X-Forwarded-Proto"], "http");
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  for (const name of ["te", "content-md5", "content-length", "connection"]) {
    assertEquals(names.includes(name), false, name);
  }
  assertEquals(body, "/wA=");
});

Deno.test("the gateway takes the host from a target that is a URL, not from Host", async () => {
  await using test = await startTestPlatform();
  const path = "http://LOCALHOST:8000/v0/echo";
  const { status } = await test.send({ path, headers: [["host", "evil.example"]] });
  assertEquals(status, 200);
  const { headers, multiValueHeaders, requestContext } = test.host.calls[0]!.event;
  assertEquals([headers.host, headers.Host], ["LOCALHOST:8000", undefined]);
  assertEquals(multiValueHeaders.host, ["LOCALHOST:8000"]);
  assertEquals(requestContext.domainName, "localhost:8000");
});

Deno.test("the gateway takes a request of HTTP/1.0 without a Host", async () => {
  await using test = await startTestPlatform();
  using connection = await Deno.connect({ port: test.platform.port });
  const request = "GET http://localhost/v0/echo HTTP/1.0\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  await connection.read(new Uint8Array(1_000));
  const { domainName, protocol } = test.host.calls[0]!.event.requestContext;
  assertEquals([domainName, protocol], ["localhost", "HTTP/1.0"]);
});
