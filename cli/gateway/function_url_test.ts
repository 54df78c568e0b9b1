import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { proxyEvent } from "@mate/core/testing";
import {
  type Call,
  manifestWith,
  startTestPlatform,
  TestHost,
  type TestRequest,
  type TestResponse,
} from "../testdata/platform.ts";
import { Log } from "../lambda/log.ts";
import { createFunctionUrls } from "./function_url.ts";
import type { HttpRequest } from "./protocol.ts";
import { run } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";

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

/** Starts a platform whose function `page` has a URL. `request()` sends a request to the URL. */
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
  const request = {
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
  } as const;
  await test.request(request);
  const { event } = test.host.calls[0]!;
  const { timeEpoch, requestId } = event.requestContext;
  const expected = await proxyEvent({
    ...request,
    url: `http://page.localhost:${test.platform.port}${request.path}`,
    headers: [
      ...request.headers,
      ["Connection", "close"],
      ["X-Amzn-Trace-Id", event.headers["x-amzn-trace-id"]],
    ],
  }, {
    gateway: "url",
    apiId: "page",
    sourceIp: "127.0.0.1",
    time: new Date(timeEpoch),
    requestId,
  });
  assertEquals(event, expected);
  await test.request({ method: "POST", body: Uint8Array.of(0xff) });
  const { body, isBase64Encoded } = test.host.calls[1]!.event;
  assertEquals([body, isBase64Encoded], ["/w==", true]);
});

Deno.test("a function URL makes a response of any result, and 502 of a failure", async () => {
  await using test = await startUrl({});
  const cookies = { statusCode: 201, cookies: ["a=1", "b=2"], body: "aGk=", isBase64Encoded: true };
  const cases = [
    ["a response", JSON.stringify(cookies), 201, "hi"],
    ["an object", '{"a":1}', 200, '{"a":1}'],
    ["a string", '"text"', 200, "text"],
    ["null", "null", 200, "null"],
    ["a malformed response", '{"statusCode":9}', 502, "Internal Server Error"],
    ["an error", { failure: "error" }, 502, "Internal Server Error"],
    ["a time-out", { failure: "timeout" }, 502, "Internal Server Error"],
  ] as const;
  for (const [rule, answer, status, text] of cases) {
    test.host.answer = () => answer;
    const response = await test.request();
    assertEquals([response.status, response.text], [status, text], rule);
    assertMatch(response.header("x-amzn-RequestId")!, /^[0-9a-f-]{36}$/);
    const set = response.headers.filter(([name]) => name === "set-cookie");
    assertEquals(set.map(([, value]) => value), status === 201 ? ["a=1", "b=2"] : []);
  }
});

Deno.test("a function URL belongs to the host of its function", async () => {
  await using test = await startUrl({});
  const { port } = test.platform;
  const others = ["plain.localhost", "nope.localhost", "page.localhost.evil.example"]
    .concat("evil.page.localhost").map((name) => `${name}:${port}`);
  const own = `PAGE.localhost:${port}`;
  for (const host of [...others, "page.localhost", `page.localhost:${port + 1}`, own]) {
    const { status } = await test.send({ path: "/log", headers: [["Host", host]] });
    assertEquals(status, host === own ? 200 : 421, host);
  }
  assertEquals(test.host.calls.length, 1);
});

/** Signs a request to a function URL with the AWS SDK. */
async function signed(
  { secret = "local", service = "lambda", age = 0 } = {},
): Promise<HttpRequest> {
  const signer = new SignatureV4({
    service,
    region: "eu-west-1",
    credentials: { accessKeyId: "me", secretAccessKey: secret },
    sha256: Sha256,
  });
  const authority = "page.localhost:8000";
  const facts = { method: "POST", path: "/a%20b/c", body: new TextEncoder().encode("hi") };
  const time = new Date(Date.now() - age);
  const { headers } = await signer.sign({
    ...facts,
    protocol: "http:",
    hostname: authority,
    query: { "b c": "ü+", a: ["2", "1"], constructor: "x" },
    headers: { host: authority, "x-note": " a  b " },
  }, { signingDate: time });
  return {
    ...facts,
    url: `http://${authority}`,
    authority,
    query: "a=2&b%20c=%C3%BC%2B&a=1&constructor=x",
    headers: Object.entries(headers),
    protocol: "HTTP/1.1",
    sourceIp: "127.0.0.1",
    time,
  };
}

Deno.test("a function URL with IAM refuses every request without a valid signature", async () => {
  const host = new TestHost(() => '{"statusCode":200}');
  const application = resolveApplication(manifestOf({ auth: "iam" }), LOCAL);
  const ask = (request: HttpRequest, mayInvokeUrl = () => true) =>
    createFunctionUrls(application, host, new Log(), { secretOf: () => "local", mayInvokeUrl })
      .answer("page", request);
  const good = await signed();
  assertEquals((await ask(good)).status, 200);
  assertEquals((await ask(good, () => false)).status, 403);
  const without = (name: string) => ({
    ...good,
    headers: good.headers.filter(([key]) => key !== name),
  });
  const cases = [
    ["no signature", without("authorization"), "AccessDenied"],
    ["another secret", await signed({ secret: "other" })],
    ["another service", await signed({ service: "s3" })],
    ["an old request", await signed({ age: 360_000 })],
    ["a request from the future", await signed({ age: -360_000 })],
    ["another method", { ...good, method: "PUT" }],
    ["another path", { ...good, path: "/a%20b/d" }],
    ["another query", { ...good, query: good.query.replace("1", "3") }],
    ["another body", { ...good, body: new TextEncoder().encode("ho") }],
    ["a removed header", without("x-amz-content-sha256")],
  ] as const;
  for (const [rule, request, type = "InvalidSignature"] of cases) {
    const { status, headers } = await ask(request);
    const answer = [status, Object.fromEntries(headers)["x-amzn-ErrorType"]];
    assertEquals(answer, [403, `${type}Exception`], rule);
  }
  assertEquals(host.calls.length, 1);
});

const hasCurl = await new Deno.Command("curl", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false);
if (!hasCurl) console.error("NOT RUN: the signature of curl, which is not installed");

Deno.test({
  name: "a function URL with IAM takes the signature of curl",
  ignore: !hasCurl,
  async fn() {
    await using test = await startUrl({ auth: "iam" });
    for (const [secret, status] of [["local", "200"], ["other", "403"]]) {
      const args = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-d", "hi"].concat(
        ["--aws-sigv4", "aws:amz:us-east-1:lambda", "--user", `me:${secret}`],
        `http://page.localhost:${test.platform.port}/a/b?x=1`,
      );
      assertEquals((await run("curl", args)).stdout, status);
    }
    const unsigned = await test.request({});
    assertEquals(unsigned.status, 403);
    const notes = test.log.after(0).map(({ text }) => text.replace(/.*is refused: /, ""));
    assertEquals(notes, [
      '{"message":"The request signature we calculated does not match the signature you provided. Check your key and signing method."}',
      'it is not signed, and the URL has "auth": "iam"',
    ]);
  },
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
  const fieldsOf = ({ headers }: TestResponse) =>
    Object.fromEntries(headers.filter(([name]) => /^access-control-/i.test(name)));
  const preflight = await test.request({
    method: "OPTIONS",
    headers: [origin, ["Access-Control-Request-Method", "GET"]],
  });
  assertEquals([preflight.status, test.host.calls.length], [200, 0]);
  const common = {
    "Access-Control-Allow-Origin": "https://shop.example",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "x-b,x-c",
  };
  assertEquals(fieldsOf(preflight), {
    ...common,
    "Access-Control-Allow-Methods": "GET",
    "Access-Control-Allow-Headers": "x-a",
    "Access-Control-Max-Age": "60",
  });
  assertEquals(fieldsOf(await test.request({ headers: [origin] })), common);
  const other = await test.request({ headers: [["Origin", "https://evil.example"]] });
  assertEquals(other.header("Access-Control-Allow-Credentials"), undefined);
  await using open = await startUrl({ cors: { origins: ["*"] } });
  const any = await open.request({ headers: [["Origin", "https://any.example"]] });
  assertEquals(fieldsOf(any), { "Access-Control-Allow-Origin": "*" });
});

const HTTP_TYPE = "application/vnd.awslambda.http-integration-response";
const PRELUDE = '{"statusCode":201,"headers":{"content-type":"text/plain"},"cookies":["a=1"]}';

/** Streams parts of a response as a function does. A part may be a promise. */
async function streamParts(
  { options }: Call,
  type: string,
  ...parts: (string | Promise<string>)[]
) {
  const writer = options.stream!(type).getWriter();
  for (const part of parts) await writer.write(new TextEncoder().encode(await part));
  await writer.close();
  return "";
}

Deno.test("a function URL and a route send each part of a stream at once", async () => {
  const start = [PRELUDE.slice(0, 20), `${PRELUDE.slice(20)}${"\0".repeat(8)}one`];
  const cases = [
    ["page.localhost", "/", HTTP_TYPE, start],
    ["localhost", "/v0/page", HTTP_TYPE, start],
    ["page.localhost", "/", "text/csv", ["one"]],
  ] as const;
  for (const [host, path, type, parts] of cases) {
    const { promise: two, resolve } = Promise.withResolvers<string>();
    await using test = await startUrl(
      { stream: true },
      (call) => streamParts(call, type, ...parts, two),
    );
    const { port } = test.platform;
    using connection = await Deno.connect({ port });
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    let text = "";
    const read = async () => {
      for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes("one")) resolve("two"); // The first part arrives before the second exists.
      }
    };
    await within("the end of the stream", read(), () => text);
    const hasPrelude = type === HTTP_TYPE;
    assertMatch(text, hasPrelude ? /^HTTP\/1.1 201 / : /^HTTP\/1.1 200 /);
    assertStringIncludes(text.toLowerCase(), `content-type: ${hasPrelude ? "text/plain" : type}`);
    assertMatch(text, /one[^]*two/);
    assertEquals(/set-cookie: a=1/i.test(text), hasPrelude);
  }
});

Deno.test("a streaming function URL and a streaming route take a result without a stream", async () => {
  await using test = await startUrl({ stream: true }, () => '{"statusCode":201,"body":"one"}');
  for (const response of [await test.request(), await test.send({ path: "/v0/page" })]) {
    assertEquals([response.status, response.text], [201, "one"]);
  }
});

Deno.test("a function URL refuses a request whose event is too large", async () => {
  await using test = await startUrl({});
  const response = await test.request({ method: "POST", body: new Uint8Array(5_000_000) });
  assertEquals([response.status, test.host.calls], [413, []]);
  const [note] = test.log.after(0);
  assertMatch(note!.text, /^POST page\.localhost:\d+\/\S*: the event has \d+ bytes, over 6291456$/);
});

Deno.test("a streaming function URL answers 502 to a malformed prelude", async () => {
  await using test = await startUrl({ stream: true });
  const late = JSON.stringify({ cookies: ["x".repeat(16_384)] }) + "\0".repeat(8);
  for (const text of ["{}", `nonsense${"\0".repeat(8)}`, late]) {
    test.host.answer = (call) => streamParts(call, HTTP_TYPE, text);
    assertEquals((await test.request()).status, 502, text);
  }
});
