import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  type Call,
  manifestWith,
  startTestPlatform,
  type TestRequest,
} from "../../testdata/platform.ts";

const manifestOf = (url: Record<string, unknown>) =>
  manifestWith({
    page: {
      module: "page.ts",
      triggers: {
        url: { auth: "none", ...url },
        routes: [{ method: "GET", path: "/page", stream: true }],
      },
    },
    plain: { module: "plain.ts" },
  });

/** A platform whose function has a URL, and a client of the URL. */
async function startUrl(
  url: Record<string, unknown>,
  answer: Parameters<typeof startTestPlatform>[0] = () => '{"statusCode":200}',
) {
  const test = await startTestPlatform(answer, { manifest: manifestOf(url) });
  const request = (options: Partial<TestRequest> = {}) =>
    test.send({
      path: "/",
      ...options,
      headers: [["Host", `page.localhost:${test.platform.port}`], ...options.headers ?? []],
    });
  return { ...test, request, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };
}

Deno.test("a function URL sends the event of the payload format 2.0", async () => {
  await using test = await startUrl({});
  const { port } = test.platform;
  await test.request({
    method: "POST",
    path: "/a%20b/c?x=1&x=2&y=%C3%BC",
    headers: [
      ["Content-Type", "application/json"],
      ["X-Dup", "1"],
      ["x-dup", "2"],
      ["Cookie", "a=1; b=2"],
      ["User-Agent", "curl/8"],
    ],
    body: '{"a":1}',
  });
  const { requestContext, headers, ...event } = test.host.calls[0]!.event;
  assertEquals(event, {
    version: "2.0",
    routeKey: "$default",
    rawPath: "/a%20b/c",
    rawQueryString: "x=1&x=2&y=%C3%BC",
    cookies: ["a=1", "b=2"],
    queryStringParameters: { x: "1,2", y: "ü" },
    body: '{"a":1}',
    isBase64Encoded: false,
  });
  assertEquals([headers["x-dup"], headers["x-forwarded-for"]], ["1,2", "127.0.0.1"]);
  const { time, timeEpoch, requestId, ...context } = requestContext;
  assertMatch(time, /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  assertEquals([Number.isInteger(timeEpoch), requestId.length], [true, 36]);
  assertEquals(context, {
    accountId: "anonymous",
    apiId: "page",
    domainName: `page.localhost:${port}`,
    domainPrefix: "page",
    http: {
      method: "POST",
      path: "/a%20b/c",
      protocol: "HTTP/1.1",
      sourceIp: "127.0.0.1",
      userAgent: "curl/8",
    },
    routeKey: "$default",
    stage: "$default",
  });
  await test.request({ method: "POST", body: Uint8Array.of(0xff) });
  const { body, isBase64Encoded } = test.host.calls[1]!.event;
  assertEquals([body, isBase64Encoded], ["/w==", true]);
});

Deno.test("a function URL makes a response of any result, and 502 of a failure", async (t) => {
  const cookies = { statusCode: 201, cookies: ["a=1", "b=2"], body: "aGk=", isBase64Encoded: true };
  for (
    const [rule, answer, status, text] of [
      ["a response", JSON.stringify(cookies), 201, "hi"],
      ["an object", '{"a":1}', 200, '{"a":1}'],
      ["a string", '"text"', 200, "text"],
      ["null", "null", 200, "null"],
      ["a malformed response", '{"statusCode":9}', 502, "Internal Server Error"],
      ["an error", { failure: "error" }, 502, "Internal Server Error"],
      ["a time-out", { failure: "timeout" }, 502, "Internal Server Error"],
    ] as const
  ) {
    await t.step(rule, async () => {
      await using test = await startUrl({}, () => answer);
      const response = await test.request();
      assertEquals([response.status, response.text], [status, text]);
      assertMatch(response.header("x-amzn-RequestId")!, /^[0-9a-f-]{36}$/);
      if (status !== 201) return;
      const set = response.headers.filter(([name]) => name === "set-cookie");
      assertEquals(set.map(([, value]) => value), ["a=1", "b=2"]);
    });
  }
});

Deno.test("a function URL belongs to the host of its function", async () => {
  await using test = await startUrl({});
  for (
    const [host, status] of [
      ["PAGE.localhost", 200],
      ["plain.localhost", 421],
      ["nope.localhost", 421],
      ["page.localhost.evil.example", 421],
      ["evil.page.localhost", 421],
    ] as const
  ) {
    const response = await test.send({ path: "/log", headers: [["Host", host]] });
    assertEquals([host, response.status], [host, status]);
  }
  assertEquals(test.host.calls.length, 1);
});

Deno.test("a function URL with IAM refuses requests without a signature", async () => {
  await using test = await startUrl({ auth: "iam" });
  const refused = await test.request();
  assertEquals([refused.status, refused.text], [403, '{"Message":"Forbidden"}']);
  assertEquals(refused.header("x-amzn-ErrorType"), "AccessDeniedException");
  const headers = [["Authorization", "AWS4-HMAC-SHA256 Credential=x"]] as const;
  assertEquals((await test.request({ headers })).status, 200);
});

Deno.test("a function URL answers pages of the origins that it allows", async () => {
  const cors = {
    origins: ["https://shop.example"],
    methods: ["GET"],
    headers: ["x-a"],
    exposeHeaders: ["x-b", "x-c"],
    credentials: true,
    maxAge: 60,
  };
  const answer = () =>
    '{"statusCode":200,"headers":{"access-control-allow-origin":"https://mine"}}';
  await using test = await startUrl({ cors }, answer);
  const origin = ["Origin", "https://shop.example"] as const;
  const preflight = await test.request({
    method: "OPTIONS",
    headers: [origin, ["Access-Control-Request-Method", "GET"]],
  });
  assertEquals([preflight.status, test.host.calls.length], [200, 0]);
  const fields = ["Methods", "Headers"].map((name) => `Access-Control-Allow-${name}`);
  assertEquals([...fields, "Access-Control-Max-Age"].map(preflight.header), ["GET", "x-a", "60"]);
  const response = await test.request({ headers: [origin] });
  const origins = response.headers.filter(([name]) => /allow-origin/i.test(name));
  assertEquals(origins, [["Access-Control-Allow-Origin", "https://shop.example"]]);
  assertEquals(response.header("Access-Control-Expose-Headers"), "x-b,x-c");
  assertEquals(response.header("Access-Control-Allow-Credentials"), "true");
  const other = await test.request({ headers: [["Origin", "https://evil.example"]] });
  assertEquals(other.header("Access-Control-Allow-Credentials"), undefined);
  await using open = await startUrl({ cors: { origins: ["*"] } });
  const any = await open.request({ headers: [["Origin", "https://any.example"]] });
  assertEquals(any.header("Access-Control-Allow-Origin"), "*");
  assertEquals(any.header("Access-Control-Expose-Headers"), undefined);
});

/** Streams a response as a function does, and waits in the middle for `release`. */
async function streamResponse({ options }: Call, release: Promise<void>, type?: string) {
  const writer = options.stream!(type ?? "application/vnd.awslambda.http-integration-response")
    .getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  if (type === undefined) {
    const prelude = {
      statusCode: 201,
      headers: { "content-type": "text/plain" },
      cookies: ["a=1"],
    };
    await write(JSON.stringify(prelude).slice(0, 20));
    await write(`${JSON.stringify(prelude).slice(20)}${"\0".repeat(8)}one`);
  } else await write("one");
  await release;
  await write("two");
  await writer.close();
  return "";
}

Deno.test("a function URL and a route stream a response as it comes", async (t) => {
  for (
    const [rule, host, path, type] of [
      ["a function URL", "page.localhost", "/", undefined],
      ["a route", "localhost", "/v0/page", undefined],
      ["plain bytes", "page.localhost", "/", "text/csv"],
    ] as const
  ) {
    await t.step(rule, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await using test = await startUrl(
        { stream: true },
        (call) => streamResponse(call, promise, type),
      );
      using connection = await Deno.connect({ port: test.platform.port });
      const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(request));
      let text = "";
      for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes("one")) resolve(); // The first part arrives before the second is made.
      }
      assertMatch(text, type === undefined ? /^HTTP\/1.1 201 / : /^HTTP\/1.1 200 /);
      assertStringIncludes(text.toLowerCase(), `content-type: ${type ?? "text/plain"}`);
      assertMatch(text, /one[^]*two/);
      if (type === undefined) assertMatch(text, /set-cookie: a=1/i);
    });
  }
});

Deno.test("a function URL that streams answers 502 to a malformed prelude", async () => {
  for (const text of ["{}", `nonsense${"\0".repeat(8)}`]) {
    await using test = await startUrl({ stream: true }, async ({ options }) => {
      const writer = options.stream!("application/vnd.awslambda.http-integration-response")
        .getWriter();
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
      return "";
    });
    assertEquals((await test.request()).status, 502, text);
  }
});
