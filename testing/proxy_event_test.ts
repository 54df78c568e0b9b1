import { assertEquals, assertRejects } from "@std/assert";
import { type Gateway, proxyEvent, type ProxyEventOptions } from "./mod.ts";

const GATEWAYS: readonly Gateway[] = ["rest", "http", "url", "alb", "lattice"];
const TIME = new Date("2026-11-21T08:15:42.117Z");

Deno.test("proxyEvent() makes the event of a REST API", async () => {
  const event = await proxyEvent({
    method: "POST",
    url: "https://API.example.com:8443/v0/orders/J%C3%B6rg/../x%2Fy?a=1;b=%C3%B6+x&a=2",
    headers: [
      ["Accept", "a"],
      ["accept", "b"],
      ["Content-Length", "2"],
      ["X-Forwarded-For", "::1"],
      ["X-Amzn-Trace-Id", "Root=1"],
    ],
    body: "{}",
  }, {
    stage: "v0",
    route: "ANY /orders/{name}/{rest+}",
    claims: { sub: "ada" },
    stageVariables: { mode: "live" },
    requestId: "id-1",
    extendedRequestId: "id-2",
    apiId: "api",
    time: TIME,
    sourceIp: "192.0.2.1",
    protocol: "HTTP/2.0",
  });
  const { requestContext, headers, multiValueHeaders, ...rest } = event;
  assertEquals([headers["Accept"], multiValueHeaders["Accept"]], ["b", ["a", "b"]]);
  assertEquals(headers["X-Forwarded-For"], "::1, 192.0.2.1");
  assertEquals(headers["X-Forwarded-Port"], "8443");
  assertEquals(headers["X-Amzn-Trace-Id"], "Root=1");
  assertEquals("Content-Length" in headers, false);
  assertEquals(rest, {
    resource: "/orders/{name}/{rest+}",
    path: "/orders/J%C3%B6rg/../x%2Fy",
    httpMethod: "POST",
    queryStringParameters: { a: "2", b: "ö x" },
    multiValueQueryStringParameters: { a: ["1", "2"], b: ["ö x"] },
    pathParameters: { name: "J%C3%B6rg", rest: "../x%2Fy" },
    stageVariables: { mode: "live" },
    body: "{}",
    isBase64Encoded: false,
  });
  assertEquals({ ...requestContext, identity: requestContext.identity.sourceIp }, {
    ...requestContext,
    path: "/v0/orders/J%C3%B6rg/../x%2Fy",
    stage: "v0",
    requestId: "id-1",
    extendedRequestId: "id-2",
    apiId: "api",
    domainName: "api.example.com:8443",
    domainPrefix: "api",
    requestTime: "21/Nov/2026:08:15:42 +0000",
    requestTimeEpoch: TIME.getTime(),
    authorizer: { claims: { sub: "ada" } },
    identity: "192.0.2.1",
    protocol: "HTTP/2.0",
  });
  const authorizer = { role: "chef" };
  const { requestContext: custom } = await proxyEvent({ url: "/" }, { authorizer });
  const { principalId, role } = custom.authorizer!;
  assertEquals([principalId, role, custom.apiId], ["user", "chef", "a1b2c3d4e5"]);
});

Deno.test("proxyEvent() makes the events of payload format 2.0", async () => {
  const request = {
    method: "POST",
    url: "/v0/orders/J%C3%B6rg?a=1&a=%C3%B6",
    headers: { Cookie: "a=1; b=2", "Content-Type": "application/x-www-form-urlencoded" },
    body: "x=1",
  };
  const http = await proxyEvent(request, {
    gateway: "http",
    stage: "v0",
    route: "POST /orders/{name}",
    authorizer: { role: "chef" },
    time: TIME,
  });
  const url = await proxyEvent(request, { gateway: "url" });
  assertEquals([http.rawPath, url.rawPath], ["/v0/orders/Jörg", "/v0/orders/J%C3%B6rg"]);
  assertEquals([http.routeKey, url.routeKey], ["POST /orders/{name}", "$default"]);
  assertEquals(http.pathParameters, { name: "Jörg" });
  assertEquals(http.requestContext.authorizer, { lambda: { role: "chef" } });
  assertEquals([http.cookies, url.cookies], [["a=1", "b=2"], ["a=1", "b=2"]]);
  assertEquals([http.headers["cookie"], url.headers["cookie"]], [undefined, "a=1; b=2"]);
  assertEquals([url.requestContext.accountId, url.requestContext.domainPrefix], [
    "anonymous",
    "abcdefghijklmnopqrstuvwxyz012345",
  ]);
  for (const event of [http, url]) {
    assertEquals(event.queryStringParameters, { a: "1,ö" });
    assertEquals(event.rawQueryString, "a=1&a=%C3%B6");
    assertEquals([event.body, event.isBase64Encoded], ["eD0x", true]);
    assertEquals(event.headers["content-length"], "3");
    assertEquals(event.headers["x-forwarded-port"], "443");
  }
});

Deno.test("proxyEvent() makes the events of a load balancer", async () => {
  const request = { url: "http://www.example.com/a?b=%C3%B6&b=c", headers: { accept: "d" } };
  const single = await proxyEvent(request, { gateway: "alb" });
  const multi = await proxyEvent(request, { gateway: "alb", multiValueHeaders: true });
  assertEquals(single.queryStringParameters, { b: "c" });
  assertEquals(multi.multiValueQueryStringParameters, { b: ["%C3%B6", "c"] });
  const lattice = await proxyEvent(request, { gateway: "lattice" });
  assertEquals(lattice.queryStringParameters, { b: ["ö", "c"] });
  assertEquals([single.headers?.["accept"], multi.multiValueHeaders?.["accept"]], ["d", ["d"]]);
  assertEquals([single.multiValueHeaders, multi.headers], [undefined, undefined]);
  assertEquals(single.headers?.["x-forwarded-proto"], "http");
  assertEquals(single.headers?.["x-forwarded-port"], "80");
  assertEquals([single.body, single.isBase64Encoded], ["", false]);
});

Deno.test("proxyEvent() encodes a body as its gateway does", async () => {
  // The developer guide of API Gateway lists the types of an HTTP API. The type is a whole word there.
  const texts = [
    "text/plain",
    "application/json; charset=utf-8",
    "Application/XML",
    "application/javascript",
  ];
  const others = [undefined, "application/problem+json", "application/json5", "image/svg+xml"];
  const flags = async (
    type: string | undefined,
    options: ProxyEventOptions,
    coding: Record<string, string> = {},
  ) => {
    const headers = { ...(type !== undefined && { "content-type": type }), ...coding };
    const request = { method: "POST", url: "/", body: "x", headers };
    return (await proxyEvent(request, options)).isBase64Encoded;
  };
  for (const gateway of GATEWAYS) {
    const isRest = gateway === "rest";
    for (const type of texts) {
      assertEquals(await flags(type, { gateway }), false, `${gateway} ${type}`);
    }
    for (const type of [...others, "application/x-www-form-urlencoded"]) {
      assertEquals(await flags(type, { gateway }), !isRest, `${gateway} ${type}`);
    }
    const coding = { "content-encoding": "gzip" };
    assertEquals(await flags("text/plain", { gateway }, coding), gateway === "alb", gateway);
    assertEquals(await flags("text/plain", { gateway, base64: true }), true, gateway);
    const body = new Uint8Array([255]);
    assertEquals((await proxyEvent({ url: "/", body }, { gateway })).isBase64Encoded, true);
  }
});

Deno.test("proxyEvent() takes several slashes after the stage of a REST API as one", async () => {
  const request = { url: "/prod//orders//7" };
  const event = await proxyEvent(request, { stage: "prod", route: "GET /{path+}" });
  assertEquals([event.path, event.pathParameters], ["/orders//7", { path: "orders//7" }]);
  assertEquals(event.requestContext.path, "/prod//orders//7");
});

Deno.test("proxyEvent() adds nothing to a request without query and body", async () => {
  for (const gateway of GATEWAYS) {
    const event: Record<string, unknown> = await proxyEvent({ url: "/" }, { gateway });
    assertEquals(event.isBase64Encoded, false, gateway);
    assertEquals((event.headers as Record<string, unknown>)["content-length"], undefined);
    const isAbsent = event.queryStringParameters === undefined;
    assertEquals(isAbsent, gateway !== "rest" && gateway !== "alb", gateway);
  }
});

Deno.test("proxyEvent() refuses facts that the gateway does not send", async () => {
  const request = { url: "/orders/7" };
  const cases: [ProxyEventOptions, string][] = [
    [
      { gateway: "apigw" as "rest" },
      'Invalid gateway "apigw": expected one of rest, http, url, alb, lattice',
    ],
    [{ gateway: "url", stage: "v0" }, 'the gateway "url" does not send stage'],
    [{ gateway: "alb", claims: {} }, 'the gateway "alb" does not send claims'],
    [{ gateway: "alb", authorizer: {} }, 'the gateway "alb" does not send authorizer'],
    [{ gateway: "lattice", route: "/" }, 'the gateway "lattice" does not send route'],
    [{ gateway: "http", multiValueHeaders: true }, "does not send multiValueHeaders"],
    [{ route: "GET /orders" }, "the request GET /orders/7 does not match the route"],
    [{ route: "POST /orders/{id}" }, "does not match the route"],
    [{ route: "/orders/{id}/{path+}" }, "does not match the route"],
    [{ route: "orders" }, 'does not match the route "orders"'],
  ];
  for (const [options, message] of cases) {
    await assertRejects(() => proxyEvent(request, options), TypeError, message);
  }
  await assertRejects(() => proxyEvent({ url: "orders" }), TypeError, 'Invalid URL "orders"');
});

Deno.test("proxyEvent() matches routes below the stage, and gives unmatched paths to a proxy", async () => {
  const cases: [string, ProxyEventOptions<"rest">, string, unknown][] = [
    ["/prod/orders/7", {}, "/{proxy+}", { proxy: "orders/7" }],
    ["/orders/7/", { route: "/orders/{id}" }, "/orders/{id}", { id: "7" }],
    ["/", {}, "/", null],
    ["/prod", { route: "$default" }, "/", null],
    ["/production", {}, "/{proxy+}", { proxy: "production" }],
    ["/a.b", { route: "GET /a.b" }, "/a.b", null],
    ["/files/a/b%20c/", { route: "/files/{path+}" }, "/files/{path+}", { path: "a/b%20c" }],
    ["/x", { route: "/{__proto__}" }, "/{__proto__}", JSON.parse('{"__proto__":"x"}')],
    ["//evil.example/x", {}, "/{proxy+}", { proxy: "/evil.example/x" }],
  ];
  for (const [url, options, resource, parameters] of cases) {
    const event = await proxyEvent({ url }, options);
    assertEquals([event.resource, event.pathParameters], [resource, parameters], url);
  }
  await assertRejects(() => proxyEvent({ url: "/axb" }, { route: "/a.b" }), TypeError);
});

Deno.test("proxyEvent() makes a list of the cookies for payload 2.0, however the client sent them", async () => {
  for (
    const [headers, cookies] of [
      [[["Cookie", "a=1; b=2"]], ["a=1", "b=2"]],
      [[["Cookie", "a=1;b=2"]], ["a=1", "b=2"]],
      [[["Cookie", "a=1; b=2;"]], ["a=1", "b=2"]],
      [[["Cookie", ";a=1;;  b=2"]], ["a=1", "b=2"]],
      [[["Cookie", "a=1"], ["cookie", "b=2; c=3"]], ["a=1", "b=2", "c=3"]],
      [[], undefined],
    ] as const
  ) {
    for (const gateway of ["http", "url"] as const) {
      const event = await proxyEvent({ url: "/", headers }, { gateway });
      assertEquals(event.cookies, cookies && [...cookies], JSON.stringify(headers));
    }
  }
});

Deno.test("proxyEvent() with a base path makes the event of a custom domain", async () => {
  const options = { route: "GET /orders/{id}", basePath: "/shop" };
  const url = "/shop/orders/7";
  // As https://github.com/aws/serverless-java-container/issues/34 shows it.
  const rest = await proxyEvent({ url }, { ...options, stage: "v0" });
  assertEquals(
    [rest.path, rest.requestContext.path, rest.resource, rest.pathParameters],
    [url, url, "/orders/{id}", { id: "7" }],
  );
  assertEquals([rest.requestContext.stage, rest.headers["Host"]], ["v0", "api.example.com"]);
  const root = await proxyEvent({ url: "/shop" }, { basePath: "/shop" });
  assertEquals([root.path, root.resource, root.pathParameters], ["/shop", "/", null]);
  const plain = await proxyEvent({ url: "/orders/7" }, { ...options, basePath: "" });
  assertEquals([plain.path, plain.requestContext.path], ["/orders/7", "/orders/7"]);
  for (
    // As https://github.com/CodeGenieApp/serverless-express/issues/465 and 612 show it.
    const [url, stage, rawPath] of [
      ["/shop/orders/7", undefined, "/orders/7"],
      ["/shop/orders/7", "v0", "/v0/orders/7"],
      ["/shop/", undefined, "/"],
      ["/shop", undefined, ""],
    ] as const
  ) {
    const route = url.includes("7") ? options.route : "$default";
    const facts = { gateway: "http", basePath: "/shop", route, ...(stage && { stage }) } as const;
    const event = await proxyEvent({ url }, facts);
    assertEquals([event.rawPath, event.requestContext.http.path], [rawPath, rawPath]);
    assertEquals(event.pathParameters, url.includes("7") ? { id: "7" } : undefined);
  }
  for (
    const [url, wrong, problem] of [
      ["/orders/7", { basePath: "/shop" }, 'is not below the base path "/shop"'],
      ["/shopping", { basePath: "/shop" }, "is not below"],
      ["/shop/orders/7", { basePath: "shop" }, "is not below"],
      ["/shop/7", { ...options }, "does not match the route"],
      ...(["url", "alb", "lattice"] as const).map((gateway) =>
        ["/shop/7", { gateway, basePath: "/shop" }, "does not send basePath"] as const
      ),
    ] as const
  ) {
    await assertRejects(() => proxyEvent({ url }, wrong), TypeError, problem);
  }
});
