// Where an expectation comes from is said beside it. GUIDE is https://docs.aws.amazon.com/apigateway/latest/developerguide
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { proxyEvent } from "@mate/core/testing";
import { parseManifest } from "../manifest/manifest.ts";
import { startTestPlatform, type TestRequest } from "../testdata/platform.ts";

type Routes = readonly (readonly [key: string, owner: string])[];

/** A manifest of an HTTP API. A route is `GET /path` or `$default`. */
function manifestOf(routes: Routes, others: object = {}) {
  const owners = [...Map.groupBy(routes, ([, owner]) => owner)];
  const functions = Object.fromEntries(owners.map(([owner, own]) => [owner, {
    module: "f.ts",
    triggers: {
      routes: own.map(([key]) => {
        const [method, path = method] = key.split(" ");
        return path === method ? { path } : { method, path };
      }),
    },
  }]));
  const manifest = { name: "app", stage: "v0", gateway: "http", functions, ...others };
  return parseManifest(JSON.stringify(manifest), "app.json");
}

async function start(
  routes: Routes,
  answer: Parameters<typeof startTestPlatform>[0] = () => "{}",
  others: object = {},
  options: object = {},
) {
  const manifest = manifestOf(routes, others);
  const test = await startTestPlatform(answer, { manifest, ...options });
  const host = ["Host", `localhost:${test.platform.port}`] as const;
  const send = (request: TestRequest) =>
    test.send({ ...request, headers: [host, ...request.headers ?? []] });
  return { ...test, send };
}

const ALL: Routes = [["$default", "f"]];

Deno.test("an HTTP API chooses a full match, then a greedy variable, then $default", async () => {
  // The routes and the first four requests are those of GUIDE/http-api-develop-routes.html.
  await using test = await start([
    ["GET /pets/dog/1", "static"],
    ["GET /pets/dog/{id}", "variable"],
    ["GET /pets/{proxy+}", "greedy"],
    ["ANY /{proxy+}", "any"],
    ["$default", "rest"],
    ["GET /{kind}/toys", "toys"],
  ]);
  const cases = [
    ["GET", "/pets/dog/1", "static", "GET /pets/dog/1"],
    ["GET", "/pets/dog/2", "variable", "GET /pets/dog/{id}"],
    ["GET", "/pets/cat/1", "greedy", "GET /pets/{proxy+}"],
    ["POST", "/test/5", "any", "ANY /{proxy+}"],
    ["POST", "/", "rest", "$default"],
    // A full match comes before a greedy variable, whatever its first segments are.
    ["GET", "/pets/toys", "toys", "GET /{kind}/toys"],
    // https://github.com/storacha/w3infra/pull/166: a trailing slash counts.
    ["GET", "/pets/dog/1/", "greedy", "GET /pets/{proxy+}"],
    // https://github.com/localstack/localstack/issues/8170: several slashes at the start count as one.
    ["GET", "//pets/dog/1", "static", "GET /pets/dog/1"],
  ] as const;
  for (const [method, path, name, key] of cases) {
    assertEquals((await test.send({ method, path })).status, 200, path);
    const { event, ...call } = test.host.calls.at(-1)!;
    assertEquals(
      [call.name, event.routeKey, event.requestContext.routeKey],
      [name, key, key],
      path,
    );
  }
});

Deno.test("an HTTP API sends the event of the payload format 2.0 with the facts of the request", async () => {
  await using test = await start([["ANY /items/{id}/{path+}", "f"]]);
  const { port } = test.platform;
  const request = {
    method: "POST",
    path: "/items/a%20b/c%2Fd/%C3%BC?x=1&x=2%20z&y",
    headers: [
      ["User-Agent", "curl/8"],
      ["x-dup", "1"],
      ["X-Dup", "2"],
      ["Cookie", "a=1; b=2"],
      ["Content-Type", "application/json"],
    ],
    body: '{"a":1}',
  } as const;
  await test.send(request);
  const [{ event, options }] = test.host.calls as unknown as [
    { event: Readonly<Record<string, unknown>>; options: object },
  ];
  // GUIDE/http-api-develop-integrations-lambda.html: repeated fields and parameters are joined by commas, cookies are apart,
  // names of fields are in lower case, and parameters of the path are decoded.
  const { headers, requestContext, ...sent } = event;
  assertEquals(sent, {
    version: "2.0",
    routeKey: "ANY /items/{id}/{path+}",
    rawPath: "/items/a b/c/d/ü",
    rawQueryString: "x=1&x=2%20z&y",
    cookies: ["a=1", "b=2"],
    queryStringParameters: { x: "1,2 z", y: "" },
    pathParameters: { id: "a b", path: "c/d/ü" },
    body: '{"a":1}',
    isBase64Encoded: false,
  });
  const { requestId, timeEpoch } = requestContext as { requestId: string; timeEpoch: number };
  const expected = await proxyEvent({
    ...request,
    url: `http://localhost:${port}${request.path}`,
    headers: [...request.headers, [
      "X-Amzn-Trace-Id",
      (headers as Record<string, string>)["x-amzn-trace-id"]!,
    ]],
  }, {
    gateway: "http",
    apiId: "app",
    route: "ANY /items/{id}/{path+}",
    sourceIp: "127.0.0.1",
    time: new Date(timeEpoch),
    requestId,
  });
  expected.requestContext.accountId = "000000000000";
  assertEquals<unknown>(requestContext, expected.requestContext);
  assertEquals<unknown>(headers, { ...expected.headers, connection: "close" });
  assertMatch(String((options as Record<string, unknown>).traceId), /^Root=1-/);
});

Deno.test("an HTTP API sends text types as text, and other bodies in base64", async () => {
  await using test = await start(ALL);
  // The types are those of https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html and GUIDE/http-api-develop-integrations-lambda.html.
  for (
    const [type, isBase64] of [
      ["text/plain", false],
      ["application/json; charset=utf-8", false],
      ["application/xml", false],
      ["application/javascript", false],
      ["application/x-www-form-urlencoded", true],
      ["application/octet-stream", true],
    ] as const
  ) {
    await test.send({ method: "POST", path: "/", headers: [["Content-Type", type]], body: "é=1" });
    const { event } = test.host.calls.at(-1)!;
    assertEquals(
      [event.isBase64Encoded, event.body],
      [isBase64, isBase64 ? "w6k9MQ==" : "é=1"],
      type,
    );
  }
});

Deno.test("an HTTP API infers the response of a result without statusCode", async () => {
  await using test = await start(ALL);
  // GUIDE/http-api-develop-integrations-lambda.html, "Lambda function response for format 2.0"
  const cases = [
    ['"Hello from Lambda!"', 200, "application/json", "Hello from Lambda!"],
    ['{ "message": "Hello" }', 200, "application/json", '{"message":"Hello"}'],
    ['{"statusCode":201,"body":"a"}', 201, "text/plain; charset=utf-8", "a"],
    [
      '{"statusCode":200,"body":"w6k=","isBase64Encoded":true}',
      200,
      "text/plain; charset=utf-8",
      "é",
    ],
    [
      '{"statusCode":200,"headers":{"Content-Type":"image/png","Content-Length":"9"},"body":"a"}',
      200,
      "image/png",
      "a",
    ],
  ] as const;
  for (const [result, status, type, text] of cases) {
    test.host.answer = () => result;
    const response = await test.send({ path: "/" });
    assertEquals([response.status, response.header("content-type"), response.text], [
      status,
      type,
      text,
    ]);
    assertEquals(response.header("content-length"), String(response.bytes.length));
  }
  test.host.answer = () => '{"statusCode":200,"cookies":["a=1","b=2"]}';
  const { headers } = await test.send({ path: "/" });
  const cookies = headers.filter(([name]) => name.toLowerCase() === "set-cookie");
  assertEquals(cookies.map(([, value]) => value), ["a=1", "b=2"]); // "each cookie becomes a set-cookie header"
});

Deno.test("an HTTP API answers a failure as Amazon API Gateway does", async () => {
  await using test = await start([["GET /a", "f"]]);
  const internal = "Internal Server Error";
  const cases = [
    ["an unknown route", "/nope", "{}", 404, "Not Found"], // GUIDE/http-api-develop-routes.html
    ["the stage", "/v0/a", "{}", 404, "Not Found"],
    ["a result that is not JSON", "/a", "", 500, internal],
    ["a malformed status", "/a", '{"statusCode":"no"}', 500, internal],
    [
      "a flagged body that is not base64",
      "/a",
      '{"statusCode":200,"isBase64Encoded":true,"body":"?"}',
      500,
      internal,
    ],
    ["a function that fails", "/a", { failure: "error" }, 500, internal],
    ["a function's own time-out", "/a", { failure: "timeout" }, 500, internal],
  ] as const;
  for (const [rule, path, answer, status, message] of cases) {
    test.host.answer = () => answer;
    const response = await test.send({ path });
    assertEquals([response.status, response.text], [status, JSON.stringify({ message })], rule);
    assertEquals(response.header("content-type"), "application/json");
    assertMatch(response.header("apigw-requestid")!, /^[\w+/]{15}=$/); // as in GUIDE/http-api-troubleshooting-jwt.html
    assertEquals(response.header("access-control-allow-origin"), undefined);
    assertStringIncludes(test.log.after(0).at(-1)!.text, `GET ${path}: `);
  }
  test.host.answer = () => "{}";
  const large = await test.send({ method: "GET", path: "/a", body: new Uint8Array(10_485_761) });
  assertEquals(large.status, 413); // GUIDE/http-api-quotas.html: 10 MB
  const long = await test.send({ path: "/a", headers: [["X", "x".repeat(10_240)]] });
  assertEquals(long.status, 431); // GUIDE/http-api-quotas.html: 10,240 bytes
});

Deno.test("an HTTP API answers 503 after its time limit", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await using test = await start(ALL, () => promise, {}, { gatewayTimeout: 5 });
  const { status, text } = await test.send({ path: "/" });
  assertEquals([status, text], [503, '{"message":"Service Unavailable"}']);
  resolve("{}");
});

const ORIGIN = "https://shop.example";

Deno.test("an HTTP API with cors answers preflights, and replaces the CORS fields of functions", async () => {
  const settings = {
    origins: [ORIGIN, "http://localhost:3000"],
    methods: ["GET", "POST"],
    headers: ["content-type"],
    exposeHeaders: ["etag"],
    credentials: true,
    maxAge: 300,
  };
  const result = JSON.stringify({
    statusCode: 200,
    headers: { "Access-Control-Allow-Origin": "*", "access-control-max-age": "1", etag: "x" },
  });
  const routes: Routes = [["GET /a", "f"], ["ANY /any", "f"]];
  await using test = await start(routes, () => result, { cors: settings });
  const corsOf = async (
    method: string,
    path: string,
    ...names: readonly (readonly [string, string])[]
  ) => {
    const before = test.host.calls.length;
    const { status, headers } = await test.send({ method, path, headers: names });
    const fields = headers.filter(([name]) => /^access-control-/i.test(name))
      .map(([name, value]) => `${name.slice(15).toLowerCase()}: ${value}`).sort();
    return [status, test.host.calls.length - before, fields.join("; ")] as const;
  };
  const asks = ["Access-Control-Request-Method", "GET"] as const;
  const origin = ["Origin", ORIGIN] as const;
  const answers = `allow-credentials: true; allow-origin: ${ORIGIN}; expose-headers: etag`;
  const preflight =
    `allow-credentials: true; allow-headers: content-type; allow-methods: GET,POST; allow-origin: ${ORIGIN}; expose-headers: etag; max-age: 300`;
  // GUIDE/http-api-cors.html: "automatically sends a response to preflight OPTIONS requests, even if there isn't an OPTIONS route",
  // "adds the configured CORS headers to the response", "ignores CORS headers returned from your backend integration", and
  // "To return CORS headers, your request must contain an origin header".
  assertEquals(await corsOf("OPTIONS", "/a", origin, asks), [204, 0, preflight]);
  assertEquals(await corsOf("GET", "/a", origin), [200, 1, answers]);
  assertEquals(await corsOf("GET", "/a"), [200, 1, ""]);
  assertEquals(await corsOf("GET", "/a", ["Origin", "https://evil.example"]), [200, 1, ""]);
  assertEquals(await corsOf("OPTIONS", "/a", ["Origin", "https://evil.example"], asks), [
    204,
    0,
    "",
  ]);
  assertEquals(await corsOf("OPTIONS", "/a", origin), [404, 0, answers]); // no preflight
  // https://github.com/aws/serverless-application-model/issues/1603 and https://github.com/anomalyco/sst/issues/5493:
  // a route with ANY gets the preflight.
  assertEquals(await corsOf("OPTIONS", "/any", origin, asks), [200, 1, preflight]);
});

Deno.test("an HTTP API lets all origins in by *, and no page without cors", async () => {
  for (const [cors, expected] of [[{ origins: ["*"] }, "*"], [undefined, undefined]] as const) {
    await using test = await start([["GET /a", "f"]], () => "{}", { cors });
    const headers = [["Origin", ORIGIN], ["Access-Control-Request-Method", "GET"]] as const;
    const { status, ...response } = await test.send({ method: "OPTIONS", path: "/a", headers });
    const names = ["origin", "methods", "headers", "credentials"];
    assertEquals(
      [status, ...names.map((name) => response.header(`access-control-allow-${name}`))],
      [
        cors ? 204 : 404,
        expected,
        cors && "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT",
        cors && "Authorization,Content-Type",
        undefined,
      ],
    );
  }
});

Deno.test("an HTTP API answers below the base path of its domain too, which is not in rawPath", async () => {
  // GUIDE/http-api-develop-integrations-lambda.html: "rawPath won't provide the API mapping value"
  const domain = { name: "api.example", certificate: "${infra.certificate}", basePath: "shop" };
  await using test = await start([["GET /", "f"], ["GET /orders/{id}", "f"]], () => "{}", {
    settings: { domain },
  });
  for (
    const [path, rawPath] of [
      ["/orders/7", "/orders/7"],
      ["/shop/orders/7", "/orders/7"],
      ["/shop", "/"],
      ["/shop/", "/"],
      ["/", "/"],
    ] as const
  ) {
    assertEquals((await test.send({ path })).status, 200, path);
    const { event } = test.host.calls.at(-1)!;
    assertEquals([event.rawPath, event.requestContext.http.path], [rawPath, rawPath], path);
  }
  assertEquals((await test.send({ path: "/shops/orders/7" })).status, 404);
});

Deno.test("a route of the application for / and /favicon.ico wins over the platform", async () => {
  await using test = await start(ALL, () => '"mine"');
  for (const path of ["/", "/favicon.ico"]) {
    assertEquals((await test.send({ path })).text, "mine", path);
  }
  await using other = await start([["GET /a", "f"]], () => '"mine"');
  assertEquals((await other.send({ path: "/" })).status, 404);
  assertEquals((await other.send({ path: "/favicon.ico" })).status, 200);
  assertEquals(other.host.calls, []);
});
