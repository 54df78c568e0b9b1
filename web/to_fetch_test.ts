import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  compress,
  cors,
  etag,
  eventData,
  fetchHandler,
  FnProxyEvent,
  HttpNotFoundError,
  implement,
  type Middleware,
  problemDetails,
  proxyHandler,
  reply,
  routes,
  streamHandler,
} from "../gateway/mod.ts";
import { createClient } from "../client/mod.ts";
import { idempotent, memoryStore } from "../idempotency/mod.ts";
import { logger } from "../logger/mod.ts";
import { loggerState } from "../logger/state.ts";
import { captureLog } from "../testing/mod.ts";
import "../testdata/own_environment.ts";
import { until } from "../testdata/waiting.ts";
import { listen, toFetch } from "./mod.ts";

const ORIGIN = "http://shop.example:8000";

/** Sends a request to a handler. */
function ask(
  handler: Parameters<typeof toFetch>[0],
  path: string,
  init?: RequestInit & { info?: unknown },
  options?: Parameters<typeof toFetch>[1],
): Promise<Response> {
  return toFetch(handler, options)(new Request(`${ORIGIN}${path}`, init), init?.info);
}

/** What a function of the event gives for a request. */
async function see(
  read: (event: FnProxyEvent) => unknown,
  path = "/",
  init?: RequestInit & { info?: unknown },
  options?: Parameters<typeof toFetch>[1],
): Promise<unknown> {
  let seen: unknown;
  const handler = proxyHandler((event) => {
    try {
      seen = read(event);
    } catch (error) {
      seen = String(error);
    }
    return "";
  });
  await ask(handler, path, init, options);
  return seen;
}

Deno.test("toFetch() takes only handlers of the library, also guarded ones", async () => {
  const handler = proxyHandler(() => "yes");
  const wrong: unknown[] = [
    undefined,
    null,
    {},
    "text",
    () => Promise.resolve({ statusCode: 200 }),
    (event: unknown) => handler(event),
    (request: Request) => new Response(request.url),
  ];
  for (const value of wrong) {
    assertThrows(() => toFetch(value as typeof handler), TypeError, "proxyHandler()");
  }
  const guarded = idempotent(handler, { store: memoryStore(), key: () => "a" });
  const good = [
    handler,
    guarded,
    idempotent(guarded, { store: memoryStore(), key: () => "b" }),
    fetchHandler(() => new Response("yes")),
    streamHandler(() => "yes"),
    streamHandler({ fetch: () => new Response("yes") }),
  ];
  for (const value of good) assertEquals((await ask(value, "/")).status, 200);
});

Deno.test("toFetch() refuses unknown and wrong options by name", () => {
  const handler = proxyHandler(() => "");
  const wrong: Record<string, unknown[]> = {
    proxies: [-1, 1.5, "1", NaN, null],
    maxBody: [-1, 0.5, "9", Infinity, null],
    timeout: [0, -1, NaN, "9", null],
    port: [80],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertThrows(() => toFetch(handler, { [name]: value }), TypeError, name);
    }
  }
  assertThrows(() => toFetch(handler, null as never), TypeError, "options");
});

Deno.test("toFetch() reads its options once", async () => {
  let reads = 0;
  const options = {
    get proxies() {
      reads++;
      return 1;
    },
  };
  const fetch = toFetch(proxyHandler(() => ""), options);
  await fetch(new Request(ORIGIN));
  await fetch(new Request(ORIGIN));
  assertEquals(reads, 1);
});

Deno.test("the event of a request has the facts of the request", async () => {
  const init = {
    headers: { "User-Agent": "curl/8", Cookie: "a=1; b=%20", Accept: "application/json" },
    info: { remoteAddr: { hostname: "192.0.2.7" } },
  };
  const table: [(event: FnProxyEvent) => unknown, unknown][] = [
    [(event) => event.format, "web"],
    [(event) => String(event.sourceIp()), "192.0.2.7"],
    [(event) => event.httpMethod(), "GET"],
    [(event) => event.queryPath(), ["a%20b", "c"]],
    [(event) => event.queryStringParameters(), { q: "ä b", r: "2" }],
    [(event) => event.queryValues("r"), ["1", "2"]],
    [(event) => event.queryString(), "GET https://shop.example/a%20b/c/?q=%C3%A4+b&r=1&r=2"],
    [(event) => event.httpUserAgent(), "curl/8"],
    [(event) => event.header("ACCEPT"), "application/json"],
    [(event) => event.header("host"), "shop.example:8000"],
    [(event) => event.httpHeaders()["host"], "shop.example:8000"],
    [(event) => event.cookies(), { a: "1", b: " " }],
    [(event) => event.queryDomainName(), "shop.example"],
    [(event) => event.url().href, `${ORIGIN}/a%20b/c/?q=%C3%A4+b&r=1&r=2`],
    [(event) => [event.authorizer(), event.authorizerClaims(), event.routeKey()], [
      null,
      null,
      null,
    ]],
    [(event) => event.stageVariables(), {}],
    [(event) => event.pathParameters(), {}],
    [(event) => event.requestId().length, 36],
    [(event) => [event.bytes().length, event.text(), event.queryPayload()], [0, "", null]],
    [(event) => event.toRequest().url, `${ORIGIN}/a%20b/c/?q=%C3%A4+b&r=1&r=2`],
    [
      (event) => event.httpProtocol(),
      'CloudEventSpecificationError: Malformed event: "protocol" is absent from web events',
    ],
  ];
  for (const [read, expected] of table) {
    const seen = await see(read, "/a%20b/c/?q=%C3%A4+b&r=1&r=2", init);
    if (String(read).includes("httpProtocol")) assert(String(seen).includes("is absent from web"));
    else assertEquals(seen, expected, String(read));
  }
});

Deno.test("rawEvent has the documented form, and the same form of JSON is read as a REST event", async () => {
  const raw = await see((event) => event.rawEvent, "/a?b=c", {
    method: "POST",
    body: "text",
    headers: { "Content-Type": "text/plain" },
    info: { remoteAddr: { hostname: "::1" } },
  }) as Record<string, Record<string, unknown>>;
  const { requestId } = raw["requestContext"]!;
  assertEquals(raw as unknown, {
    method: "POST",
    path: "/a",
    query: "b=c",
    headers: { "content-type": "text/plain", host: "shop.example:8000" },
    requestContext: { requestId, scheme: "http", sourceIp: "::1" },
  });
  const copies = [JSON.parse(JSON.stringify(raw)), { ...raw }, structuredClone(raw)];
  assertEquals(copies.map((copy) => new FnProxyEvent(copy).format), ["rest", "rest", "rest"]);
  assertEquals(new FnProxyEvent(raw).format, "web");
});

Deno.test("sourceIp() is the address of the connection, or that of the n-th last proxy", async () => {
  const deno = (hostname: unknown) => ({ remoteAddr: { hostname } });
  const bun = { requestIP: (request: Request) => request.url && { address: "192.0.2.8" } };
  const absent = "requestContext.sourceIp";
  const table: [unknown, string | undefined, number | undefined, string][] = [
    [deno("192.0.2.7"), "198.51.100.1", undefined, "192.0.2.7"],
    [deno("::ffff:192.0.2.7"), undefined, 0, "192.0.2.7"],
    [deno("::FFFF:192.0.2.7"), undefined, 0, "192.0.2.7"],
    [deno("fe80::1%eth0"), undefined, 0, "fe80::1"],
    [bun, undefined, 0, "192.0.2.8"],
    [undefined, "198.51.100.1", undefined, absent],
    [{ requestIP: () => null }, "198.51.100.1", 0, absent],
    [{ requestIP: () => JSON.parse("{") }, "198.51.100.1", 0, absent],
    [deno(7), "198.51.100.1", 0, absent],
    ["text", undefined, 0, absent],
    [deno("192.0.2.7"), "10.0.0.1, 198.51.100.1", 1, "198.51.100.1"],
    [deno("192.0.2.7"), "10.0.0.1, 198.51.100.1", 2, "10.0.0.1"],
    [deno("192.0.2.7"), "10.0.0.1, 198.51.100.1", 3, absent],
    [deno("192.0.2.7"), undefined, 1, absent],
    [undefined, "198.51.100.1:4711", 1, "198.51.100.1"],
    [undefined, "[2001:db8::1]:4711", 1, "2001:db8::1"],
    [undefined, "[2001:db8::1]", 1, "2001:db8::1"],
    [undefined, "::ffff:198.51.100.1", 1, "198.51.100.1"],
    [undefined, "evil, ,,198.51.100.1 ,", 1, "198.51.100.1"],
    [undefined, "unknown", 1, absent],
  ];
  for (const [info, forwarded, proxies, expected] of table) {
    const headers: HeadersInit = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    const seen = await see((event) => String(event.sourceIp()), "/", { info, headers }, {
      proxies,
    });
    assert(String(seen).includes(expected), `${JSON.stringify([forwarded, proxies])}: ${seen}`);
  }
});

Deno.test("the scheme is that of the server, or of the last proxy", async () => {
  const table: [string | undefined, number, string][] = [
    [undefined, 0, "http:"],
    ["https", 0, "http:"],
    ["https", 1, "https:"],
    ["http, HTTPS", 1, "https:"],
    ["https, http", 2, "http:"],
    ["javascript", 1, "http:"],
  ];
  for (const [proto, proxies, expected] of table) {
    const headers = {
      "X-Forwarded-Host": "evil.example",
      ...proto !== undefined && { "X-Forwarded-Proto": proto },
    };
    const url = await see((event) => event.url().href, "/", { headers }, { proxies });
    assertEquals(url, `${expected}//shop.example:8000/`);
  }
});

Deno.test("in AWS Lambda, the id, the proxy, the scheme and the name are those of the platform", async () => {
  Deno.env.set("AWS_LAMBDA_HTTP_ENDPOINT", "0.0.0.0:3000");
  Deno.env.set("MATE_FUNCTION_NAME", "shop-orders");
  try {
    let context: unknown;
    const handler = proxyHandler((event, given) => {
      context = { ...given, left: given.getRemainingTimeInMillis() > 899_000 };
      return [event.requestId(), String(event.sourceIp()), event.url().protocol];
    });
    const response = await ask(handler, "/", {
      headers: {
        "lambda-web-request-id": "id-1",
        "X-Forwarded-For": "10.0.0.1, 198.51.100.1",
        "X-Forwarded-Proto": "http",
      },
    });
    assertEquals(await response.json(), ["id-1", "198.51.100.1", "https:"]);
    const { getRemainingTimeInMillis: _, ...facts } = context as Record<string, unknown>;
    assertEquals(facts, {
      awsRequestId: "id-1",
      functionName: "shop-orders",
      functionVersion: "",
      invokedFunctionArn: "",
      memoryLimitInMB: "",
      logGroupName: "",
      logStreamName: "",
      left: true,
    });
  } finally {
    Deno.env.delete("AWS_LAMBDA_HTTP_ENDPOINT");
    Deno.env.delete("MATE_FUNCTION_NAME");
  }
});

Deno.test("getRemainingTimeInMillis() counts down, and never below 0", async () => {
  const handler = proxyHandler(async (_event, context) => {
    const first = context.getRemainingTimeInMillis();
    await until("the end", () => context.getRemainingTimeInMillis() === 0);
    return first;
  });
  const first = await (await ask(handler, "/", {}, { timeout: 0.05 })).json();
  assert(first <= 50 && first >= 0, String(first));
});

Deno.test("a body has bytes, is too long, breaks off, or was read before", async () => {
  const send = (init: RequestInit, read: (event: FnProxyEvent) => unknown, maxBody = 10) => {
    const handler = proxyHandler((event) => ({ read: read(event) ?? null }));
    return ask(handler, "/", { method: "POST", ...init }, { maxBody });
  };
  const result = async (sent: Promise<Response>) => {
    const response = await sent;
    const { read, Message } = await response.json();
    return [response.status, read ?? Message];
  };
  assertEquals(await result(send({ body: "0123456789" }, (event) => event.text())), [
    200,
    "0123456789",
  ]);
  assertEquals(await result(send({ body: "{}" }, (event) => event.queryPayload())), [200, {}]);
  assertEquals(await result(send({ body: "" }, (event) => event.bytes().length)), [200, 0]);
  assertEquals((await result(send({ body: "" }, (event) => event.queryPayload())))[0], 200);
  const bytes = new Uint8Array([0, 255, 128]);
  assertEquals(await result(send({ body: bytes }, (event) => [...event.bytes()])), [200, [
    0,
    255,
    128,
  ]]);

  const long = { body: "0123456789+" };
  const limit = [413, "The body has more than 10 bytes"];
  assertEquals(await result(send(long, (event) => event.text())), limit);
  assertEquals(await result(send(long, (event) => event.queryPayload())), limit);
  assertEquals(await result(send(long, (event) => event.bytes())), limit);
  assertEquals(await result(send(long, (event) => event.toRequest())), limit);
  assertEquals(await result(send(long, (event) => event.header("host"))), [
    200,
    "shop.example:8000",
  ]);

  const broken = (at: number) => ({
    body: new ReadableStream({
      pull(controller) {
        if (at-- > 0) controller.enqueue(bytes);
        else controller.error(new Error("gone"));
      },
    }),
    duplex: "half",
  });
  const off = [400, "The body of the request broke off"];
  assertEquals(await result(send(broken(2), (event) => event.text())), off);
  assertEquals(await result(send(broken(0), (event) => event.toRequest())), off);
  assertEquals(await result(send(broken(2), (event) => event.httpMethod())), [200, "POST"]);

  // with the length that a server has checked, and with one that is wrong
  const headers = { "Content-Length": "6" };
  const known = { ...broken(2), headers };
  assertEquals(await result(send(known, (event) => event.text())), off);
  const exact = { body: "012345", headers };
  assertEquals(await result(send(exact, (event) => event.text())), [200, "012345"]);
  assertEquals(await result(send({ ...long, headers }, (event) => event.text())), limit);

  for (const init of [{ body: "012345" }, exact]) {
    const [used, locked] = [0, 1].map(() => new Request(ORIGIN, { method: "POST", ...init }));
    await used!.text();
    locked!.body!.getReader();
    for (const request of [used!, locked!]) {
      const { result: response, records } = await captureLog(() =>
        toFetch(proxyHandler(() => "unread"))(request)
      );
      assertEquals([response.status, records.length], [500, 1]);
      assertEquals(records[0]!.message, "INTERNAL ERROR: The body of the request was read before.");
    }
  }
});

Deno.test("a body that is too long is cancelled, and no more than the limit is read", async () => {
  let pulled = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel() {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  const init = { method: "POST", body, duplex: "half" };
  const response = await ask(proxyHandler((event) => event.text()), "/", init, { maxBody: 2_500 });
  assertEquals(response.status, 413);
  assert(pulled <= 4, String(pulled));
  await until("the end of the body", () => cancelled);
});

Deno.test("middleware sees a body that is too long", async () => {
  const seen: unknown[] = [];
  const watch: Middleware = async (_event, _context, next) => {
    const answer = await next();
    seen.push(answer.status);
    return answer;
  };
  const handler = proxyHandler((event) => event.text(), { use: [watch, problemDetails()] });
  const init = { method: "POST", body: "long" };
  const response = await ask(handler, "/", init, { maxBody: 3 });
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  assertEquals(seen, [413]);
});

Deno.test("answers are those of the handler, with bytes and their length", async () => {
  const form = "multipart/form-data";
  const handler = proxyHandler(
    routes({
      "GET /json": () => ({ soup: "ä" }),
      "GET /bytes": () => new Uint8Array([0, 255]),
      "GET /none": () => undefined,
      "GET /reset": () => reply(205),
      "GET /moved": () =>
        reply(302, undefined, { headers: { Location: "/" }, cookies: ["a=1", "b=2"] }),
      "GET /web": () => new Response("web", { headers: { "X-Web": "1" } }),
      "GET /lost": () => {
        throw new HttpNotFoundError("No such dish");
      },
      "GET /hop": () =>
        reply(200, "hop", {
          type: "text/plain",
          headers: {
            Connection: "close",
            "Keep-Alive": "1",
            "Proxy-Connection": "1",
            TE: "1",
            Trailer: "a",
            "Transfer-Encoding": "chunked",
            Upgrade: "h2c",
            "Content-Length": "99",
            "X-Name": "Zoë €",
          },
        }),
      "GET /length": () => reply(200, undefined, { headers: { "Content-Length": "99" } }),
      "GET /long": () => reply(200, "ä".repeat(600), { type: "text/plain" }),
      "POST /form": async (event) => [...(await event.formData()).keys()],
    }),
    { use: [cors({ origins: "*" }), etag()] },
  );
  const json = '{\n  "soup": "ä"\n}';
  const table: [string, string, number, string, Record<string, string | null>][] = [
    ["GET", "/json", 200, json, { "content-length": "18", vary: "Accept" }],
    ["HEAD", "/json", 200, "", { "content-length": "18", vary: "Accept" }],
    ["GET", "/bytes", 200, "\0\ufffd", {
      "content-length": "2",
      "content-type": "application/octet-stream",
    }],
    ["GET", "/none", 204, "", { "content-length": null }],
    ["GET", "/moved", 302, "", { "content-length": "0", location: "/" }],
    ["GET", "/web", 200, "web", { "x-web": "1", "access-control-allow-origin": "*" }],
    ["GET", "/lost", 404, '{\n  "Message": "No such dish"\n}', {
      "access-control-allow-origin": "*",
    }],
    ["GET", "/other", 404, '{\n  "Message": "Not Found"\n}', {}],
    ["PUT", "/json", 405, '{\n  "Message": "Method Not Allowed"\n}', {
      allow: "GET, HEAD, OPTIONS",
    }],
    ["GET", "/hop", 200, "hop", {
      "content-length": "3",
      connection: null,
      "keep-alive": null,
      "proxy-connection": null,
      te: null,
      trailer: null,
      "transfer-encoding": null,
      upgrade: null,
      "x-name": "ZoÃ«\u0020â\u0082¬",
    }],
    ["HEAD", "/length", 200, "", { "content-length": "99" }],
    ["GET", "/length", 200, "", { "content-length": "0" }],
  ];
  for (const [method, path, status, body, headers] of table) {
    const response = await ask(handler, path, { method });
    assertEquals([response.status, await response.text()], [status, body], path);
    for (const [name, value] of Object.entries(headers)) {
      assertEquals(response.headers.get(name), value, `${path} ${name}`);
    }
  }
  const moved = await ask(handler, "/moved");
  assertEquals(moved.headers.getSetCookie(), ["a=1", "b=2"]);
  const zipped = await ask(handler, "/long", { headers: { "Accept-Encoding": "gzip" } });
  assertEquals(zipped.headers.get("content-encoding"), "gzip");
  const bytes = await zipped.bytes();
  assertEquals(String(bytes.length), zipped.headers.get("content-length"));
  const plain = new Response(bytes).body!.pipeThrough(new DecompressionStream("gzip"));
  assertEquals(await new Response(plain).text(), "ä".repeat(600));
  const tag = (await ask(handler, "/json")).headers.get("etag")!;
  const unchanged = await ask(handler, "/json", { headers: { "If-None-Match": tag } });
  assertEquals([unchanged.status, unchanged.headers.get("content-length")], [304, null]);
  const body = new FormData();
  body.set("file", new File(["a"], "a.txt"));
  assertEquals(
    await (await ask(handler, "/form", { method: "POST", body })).json(),
    ["file"],
    form,
  );
  const preflight = {
    method: "OPTIONS",
    headers: { Origin: "https://a.example", "Access-Control-Request-Method": "PUT" },
  };
  assertEquals((await ask(handler, "/json", preflight)).status, 204);
});

Deno.test("a described API, an application and a guarded handler work without a gateway", async () => {
  const api = { "GET /menu": { responses: { 200: anySchema } } } as const;
  const described = proxyHandler(routes(implement(api, { "GET /menu": () => ["soup"] })));
  assertEquals(await (await ask(described, "/menu")).json(), ["soup"]);

  const application = fetchHandler(async (request, { event, context }) => {
    const { pathname } = new URL(request.url);
    return Response.json([
      pathname,
      await request.text(),
      event.format,
      context.awsRequestId !== "",
    ]);
  });
  const sent = await ask(application, "/a/b?c", { method: "POST", body: "text" });
  assertEquals(await sent.json(), ["/a/b", "text", "web", true]);

  let runs = 0;
  const guarded = idempotent(
    proxyHandler(() => reply(201, { run: ++runs }, { cookies: ["a=1", "b=2"] }), {
      extraHeaders: { "X-Extra": "1" },
    }),
    {
      store: memoryStore(),
      key: (event: unknown) => new FnProxyEvent(event).header("idempotency-key"),
    },
  );
  for (const key of ["one", "one", "two"]) {
    const response = await ask(guarded, "/", { headers: { "Idempotency-Key": key } });
    assertEquals([response.status, await response.json()], [201, { run: key === "one" ? 1 : 2 }]);
    assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assertEquals(response.headers.get("x-extra"), "1");
  }
});

Deno.test("the typed client and metrics work with a real server", async () => {
  const api = {
    "POST /orders/{id}": { body: anySchema, responses: { 201: anySchema } },
  } as const;
  const table = implement(api, {
    "POST /orders/{id}": (event) => {
      logger.metric("Orders", 1);
      return reply(201, { id: event.pathParameters()["id"], order: event.queryPayload() });
    },
  });
  Deno.env.set("MATE_FUNCTION_NAME", "shop-orders");
  const lines: string[] = [];
  const state = loggerState();
  state.write = (line) => void lines.push(line); // the server runs outside of what captureLog() sees
  try {
    const server = await listen(proxyHandler(routes(table)), { port: 0 });
    const client = createClient<typeof api>(`http://${server.hostname}:${server.port}`);
    const placed = await client("POST /orders/{id}", { path: { id: "a b" }, body: { tea: 1 } });
    assertEquals([placed.status, placed.body], [201, { id: "a b", order: { tea: 1 } }]);
    await server.close();
  } finally {
    delete state.write;
    Deno.env.delete("MATE_FUNCTION_NAME");
  }
  const [metric] = lines.map((line) => JSON.parse(line));
  assertEquals(metric._aws.CloudWatchMetrics, [
    { Namespace: "shop-orders", Dimensions: [[]], Metrics: [{ Name: "Orders" }] },
  ]);
  assertEquals(metric.requestId.length, 36);
});

Deno.test("in AWS Lambda, a guard without the name of the function is refused", async () => {
  const guarded = idempotent(proxyHandler(() => ["done"]), {
    store: memoryStore(),
    key: () => "a",
  });
  Deno.env.set("AWS_LAMBDA_HTTP_ENDPOINT", "0.0.0.0:3000");
  const { result, records } = await captureLog(() => ask(guarded, "/"));
  assertEquals([result.status, records[0]!.errorType], [500, "HttpInternalServerError"]);
  assert(JSON.stringify(records[0]).includes("MATE_FUNCTION_NAME"));
  Deno.env.set("MATE_FUNCTION_NAME", "shop-orders");
  assertEquals((await ask(guarded, "/")).status, 200);
  Deno.env.delete("AWS_LAMBDA_HTTP_ENDPOINT");
  Deno.env.delete("MATE_FUNCTION_NAME");
});

Deno.test("a guard that refuses is answered as any error", async () => {
  const { promise: wait, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const work = async () => {
    begin();
    await wait;
    return "done";
  };
  const guarded = idempotent(proxyHandler(work), { store: memoryStore(), key: () => "key" });
  const first = ask(guarded, "/");
  await begun;
  const second = await ask(guarded, "/");
  assertEquals([second.status, second.headers.get("retry-after")], [409, "1"]);
  finish();
  assertEquals(await (await first).json(), { Message: "done" });
  const wrong = idempotent(proxyHandler(() => ""), { store: memoryStore(), key: () => "" });
  const { result, records } = await captureLog(() => ask(wrong, "/"));
  assertEquals([result.status, records.length], [500, 1]);
});

Deno.test("every handler streams", async () => {
  const steps: string[] = [];
  async function* lines() {
    for (const line of ["a", "b"]) {
      steps.push(`made ${line}`);
      yield await Promise.resolve(line);
    }
  }
  const type = { type: "text/event-stream" };
  const handlers = [
    proxyHandler(() => reply(200, lines(), type)),
    streamHandler(() => reply(200, lines(), type)),
    fetchHandler(() =>
      new Response(ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()))
    ),
  ];
  for (const handler of handlers) {
    steps.length = 0;
    const response = await ask(handler, "/");
    const reader = response.body!.getReader();
    for (const line of ["a", "b"]) {
      const { value } = await reader.read();
      steps.push(`read ${new TextDecoder().decode(value)}`);
      assert(steps.includes(`made ${line}`));
    }
    assertEquals((await reader.read()).done, true);
  }
});

Deno.test("a chunk is asked for when the client has room", async () => {
  let made = 0;
  const handler = proxyHandler(() =>
    (async function* () {
      for (;;) yield await Promise.resolve(String(++made));
    })()
  );
  const response = await ask(handler, "/");
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals(made, 1); // the first one is read, so that its failure would be an ordinary error
  const reader = response.body!.getReader();
  for (let count = 1; count <= 5; count++) {
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 0));
    assertEquals(made, count);
  }
  await reader.cancel();
});

Deno.test("a failure before the first chunk is an ordinary error; a later one breaks the response off", async () => {
  const failing = (count: number) =>
    proxyHandler(() =>
      (async function* () {
        for (let done = 0; done < count; done++) yield await Promise.resolve("x");
        throw new HttpNotFoundError("Gone");
      })()
    );
  const early = await ask(failing(0), "/");
  assertEquals([early.status, await early.json()], [404, { Message: "Gone" }]);
  const { result, records } = await captureLog(async () => {
    const response = await ask(failing(2), "/");
    return [response.status, await response.text().catch(() => "broken off")];
  });
  assertEquals(result, [200, "broken off"]);
  assertEquals(records.map(({ level, errorMessage }) => [level, errorMessage]), [[
    "FATAL",
    "Gone",
  ]]);
  assertEquals(records[0]!.requestId.length, 36);
});

Deno.test("when the client goes, a source is told to stop, also while it waits", async () => {
  for (const wrap of [[], [compress({ from: 0 })]]) {
    for (const isResponse of [false, true]) {
      let cancelled = false;
      let count = 0;
      const source = () =>
        new ReadableStream({
          pull(controller) {
            if (count++ === 0) controller.enqueue(new Uint8Array(9));
            else return new Promise(() => {});
          },
          cancel() {
            cancelled = true;
          },
        });
      const handler = proxyHandler(() => isResponse ? new Response(source()) : source(), {
        use: wrap,
      });
      const response = await ask(handler, "/", { headers: { "Accept-Encoding": "gzip" } });
      const reader = response.body!.getReader();
      await reader.read();
      const waiting = reader.read();
      await reader.cancel();
      await waiting;
      await until("the end of the source", () => cancelled);
    }
  }
  // Before the first chunk, only the signal of the request tells.
  const controller = new AbortController();
  let cancelled = false;
  const handler = proxyHandler(() =>
    new ReadableStream({
      pull: () => new Promise(() => {}),
      cancel() {
        cancelled = true;
      },
    })
  );
  const pending = ask(handler, "/", { signal: controller.signal });
  await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await until("the end of the source", () => cancelled);
  await pending;
});

Deno.test("an async generator ends at its next chunk when the client goes", async () => {
  let ended = false;
  const handler = proxyHandler(() =>
    (async function* () {
      try {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          yield "x";
        }
      } finally {
        ended = true;
      }
    })()
  );
  const response = await ask(handler, "/");
  await response.body!.cancel();
  await until("the end of the generator", () => ended);
});

Deno.test("the signal of toRequest() aborts when the client goes, and not when the response ended", async () => {
  const signals: AbortSignal[] = [];
  const handler = proxyHandler((event) => {
    signals.push(event.toRequest().signal);
    return event.header("x-wait") ? new Promise<string>(() => {}) : "done";
  });
  const controllers = [new AbortController(), new AbortController()];
  await (await ask(handler, "/", { signal: controllers[0]!.signal })).text();
  ask(handler, "/", { signal: controllers[1]!.signal, headers: { "X-Wait": "1" } });
  await until("the second request", () => signals.length === 2);
  for (const controller of controllers) controller.abort();
  assertEquals(signals.map(({ aborted }) => aborted), [false, true]);
});

Deno.test("HEAD tells a stream to stop", async () => {
  let ended = false;
  const handler = proxyHandler(routes({
    "GET /": () =>
      reply(
        200,
        (async function* () {
          try {
            yield await Promise.resolve("x");
            yield "y";
          } finally {
            ended = true;
          }
        })(),
        { headers: { "Content-Length": "2" } },
      ),
  }));
  const response = await ask(handler, "/", { method: "HEAD" });
  assertEquals([response.body, response.headers.get("content-length")], [null, "2"]);
  await until("the end of the stream", () => ended);
});

Deno.test("fifty requests at once never mix their ids, data or records", async () => {
  const place = eventData<string>();
  const keep: Middleware = async (event, _context, next) => {
    place.set(event, event.header("x-number")!);
    return await next();
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  const handler = proxyHandler((event, context) =>
    (async function* () {
      for (let part = 0; part < 5; part++) {
        await pause();
        logger.info("part", { number: place.get(event), id: context.awsRequestId });
        yield `${place.get(event)} `;
      }
    })(), { use: [keep] });
  const fetch = toFetch(handler);
  const { result, records } = await captureLog(() =>
    Promise.all(Array.from({ length: 50 }, async (_, number) => {
      const headers = { "X-Number": String(number) };
      return (await fetch(new Request(ORIGIN, { headers }))).text();
    }))
  );
  assertEquals(result, Array.from({ length: 50 }, (_, number) => `${number} `.repeat(5)));
  assertEquals(records.length, 250);
  const ids = new Map<string, string>();
  for (const { requestId, data } of records) {
    const { number, id } = data as { number: string; id: string };
    assertEquals(requestId, id);
    assertEquals(ids.get(number) ?? id, id);
    ids.set(number, id);
  }
  assertEquals(new Set(ids.values()).size, 50);
});

Deno.test("a malformed target or host is 400, without the handler and without a record", async () => {
  const fetch = toFetch(proxyHandler(() => {
    throw new Error("The handler ran");
  }));
  const fake = (url: string, method = "GET") =>
    ({ url, method, headers: new Headers(), body: null }) as Request;
  const wrong = [
    "http://",
    "http:///path",
    "http://a b/",
    "http://user@shop.example/",
    "http://0x7f.1/",
    "http://shop.example:99999/",
    "http://b\u00fccher.example/",
    "http://shop.example/\u00e9",
    "http://shop.example/a b",
    "ftp://shop.example/",
    "shop.example",
    "*",
  ];
  for (const url of wrong) {
    const { result, records } = await captureLog(() => fetch(fake(url)));
    assertEquals([result.status, records], [400, []], url);
  }
});

Deno.test("the same handler still answers events", async () => {
  const handler = proxyHandler((event) => [event.format]);
  assertEquals(await (await ask(handler, "/")).json(), ["web"]);
  const { body } = await handler({ headers: {}, requestContext: {} });
  assertEquals(JSON.parse(body), ["rest"]);
});

Deno.test("the option basePath takes a base path off, because no gateway tells it", async () => {
  const table = { "GET /orders/{id}": (event: FnProxyEvent) => event.pathParameters() };
  const app = (request: Request) => Response.json({ id: new URL(request.url).pathname });
  for (const basePath of ["/shop", "", undefined]) {
    const options = { basePath };
    for (
      const [path, found, seen] of [
        ["/shop/orders/7", basePath === "/shop" ? 200 : 404, basePath ? "/orders/7" : undefined],
        ["/orders/7", 200, "/orders/7"],
      ] as const
    ) {
      const routed = await ask(
        proxyHandler(routes(table, options), { clientErrorLevel: "off" }),
        path,
      );
      assertEquals(routed.status, found, `${basePath} ${path}`);
      if (found === 200) assertEquals(await routed.json(), { id: "7" });
      else await routed.body?.cancel();
      const { id } = await (await ask(fetchHandler(app, options), path)).json();
      assertEquals(id, seen ?? path, `${basePath} ${path}`);
    }
  }
});

/** A schema that takes everything. */
const anySchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
  },
} as const;
