import { assertEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { captureLog } from "../testing/mod.ts";
import { CANNED, context, decode, eventsOf } from "./testdata/events.ts";
import {
  fetchHandler,
  FnProxyEvent,
  HttpBadRequestError,
  HttpNotFoundError,
  proxyHandler,
  routes,
} from "./mod.ts";

const app = new Hono()
  .get("/orders/:id", (c) => c.json({ id: c.req.param("id"), q: c.req.queries("q") ?? [] }))
  .post("/orders", async (c) => {
    setCookie(c, "a", "1");
    setCookie(c, "b", "2");
    return c.text(`made ${await c.req.text()}`, 201);
  })
  .get("/image", (c) => c.body(new Uint8Array([0, 255, 128])))
  .get("/error", () => {
    throw new Error("secret");
  })
  .onError((error, c) => c.text(`hidden: ${error.name}`, 500)); // by default, Hono prints the error

Deno.test("fetchHandler() runs a Hono application behind every gateway as the application runs itself", async () => {
  for (const path of ["/orders/7", "/orders/a%20b", "/image", "/lost", "/error"]) {
    const expected = await app.request(path);
    const text = await expected.clone().text();
    for (const [name, { format, event }] of Object.entries(eventsOf("GET", {}, path))) {
      const { result } = await captureLog(() => fetchHandler(app)(event));
      const actual = decode(format, result);
      const type = expected.headers.get("content-type") ?? "application/octet-stream";
      assertEquals(
        [actual.status, await actual.text(), actual.headers.get("content-type")],
        [expected.status, text, type],
        `${name} ${path}`,
      );
    }
  }
});

Deno.test("fetchHandler() hands over the body, and keeps every cookie", async () => {
  const { event } = eventsOf("POST", {}, "/orders")["http"]!;
  const result = await fetchHandler(app.fetch)({ ...event, body: "tea" });
  assertEquals([result.statusCode, result.body], [201, "made tea"]);
  assertEquals(result.cookies, ["a=1; Path=/", "b=2; Path=/"]);
});

Deno.test("fetchHandler() shows the application the path below the stage, and the event and the context", async () => {
  const seen: unknown[] = [];
  const handler = fetchHandler((request, info) => {
    seen.push(request.url, info.event instanceof FnProxyEvent, info.context.awsRequestId);
    return new Response();
  });
  const { event } = eventsOf("GET", {}, "/orders")["rest"]!;
  await handler({ ...event, multiValueQueryStringParameters: { q: ["1", "2"] } }, context("id-1"));
  assertEquals(seen, ["https://api.example.com/orders?q=1&q=2", true, "id-1"]);
});

Deno.test("fetchHandler() answers an HttpError as proxyHandler() does, and anything else with 500", async () => {
  for (
    const [thrown, status, message] of [
      [new HttpNotFoundError("No such order"), 404, "No such order"],
      [new Error("secret"), 500, CANNED],
    ] as const
  ) {
    const { event } = eventsOf("GET", { Accept: "image/png" })["rest"]!;
    const handler = fetchHandler(() => Promise.reject(thrown));
    const { result, records: log } = await captureLog(() => handler(event));
    assertEquals([result.statusCode, JSON.parse(result.body)], [status, { Message: message }]);
    assertEquals(log.length, 1);
  }
});

Deno.test("fetchHandler() answers 500 to an event that is not a request, and to a result that is not a Response", async () => {
  const { event } = eventsOf("GET")["rest"]!;
  for (
    const [raw, result] of [
      [{ Records: [] }, new Response()],
      [null, new Response()],
      [event, { statusCode: 200 }],
      [event, undefined],
    ] as const
  ) {
    const handler = fetchHandler((() => result) as never);
    const { result: { statusCode }, records: log } = await captureLog(() => handler(raw));
    assertEquals([statusCode, log.length], [500, 1]);
  }
});

Deno.test("fetchHandler() negotiates nothing but the coding", async () => {
  const { event } = eventsOf("GET", { Accept: "image/png", "Accept-Encoding": "gzip" })["rest"]!;
  const text = "x".repeat(1000);
  const { headers, statusCode } = await fetchHandler(() => new Response(text))(event);
  assertEquals([statusCode, headers["Content-Encoding"]], [200, "gzip"]);
  assertEquals(headers["Vary"], "Accept-Encoding");
  const coded = () => new Response(text, { headers: { "Content-Encoding": "br" } });
  const own = await fetchHandler(coded)(event);
  assertEquals([own.headers["content-encoding"], own.body], ["br", text]);
});

Deno.test("fetchHandler() refuses an invalid application or option when the handler is made", () => {
  for (const application of [null, undefined, {}, { fetch: 5 }, "x"]) {
    assertThrows(() => fetchHandler(application as never), TypeError, "Invalid application");
  }
  for (const option of ["types", "customTransformers"]) {
    const options = { [option]: {} } as never;
    assertThrows(() => fetchHandler(app, options), TypeError, `Unknown option "${option}"`);
  }
});

Deno.test("fetchHandler() answers 400 to a request that a standard request cannot have", async () => {
  const { event } = eventsOf("GET", { 'a"a': "1" })["rest"]!;
  const { result } = await captureLog(() => fetchHandler(app)(event));
  assertEquals(result.statusCode, 400);
});

/** A path as the client sent it, and whether `URL` would make another path of it. */
const PATHS: readonly (readonly [path: string, isUnsafe: boolean])[] = [
  ["/public/../admin", true],
  ["/public/./x", true],
  ["/public/..", true],
  ["/.", true],
  ["/../admin", true],
  ["/public/%2e%2e/admin", true],
  ["/public/.%2E/admin", true],
  ["/public/%2E./admin", true],
  ["/public/%2e/admin", true],
  ["/public\\..\\admin", true],
  ["/public\\admin", true],
  ["/pub\tlic", true],
  ["/pub\nlic", true],
  ["/\u007f", true],
  ["/public/...", false],
  ["/public/..a/.b", false],
  ["/public/%2e%2ea", false],
  ["/public/%252e%252e/admin", false],
  ["/public/..;/admin", false],
  ["/public/a b", false],
  ["/public/%5C..%5Cadmin", false],
  ["/public/%00", false],
];

Deno.test("fetchHandler() answers 400 to a path that a URL would change, behind every gateway", async () => {
  for (const [path, isUnsafe] of PATHS) {
    for (const [name, { event }] of Object.entries(eventsOf("GET", {}, path))) {
      const seen: string[] = [];
      const handler = fetchHandler(({ url }) => (seen.push(url), new Response()));
      const { result } = await captureLog(() => handler(event));
      // An HTTP API decodes the path, so it sends a backslash for "%5C".
      const isRefused = isUnsafe || (name === "http" && /%(5C|00)/.test(path));
      assertEquals(
        [result.statusCode, seen.length],
        isRefused ? [400, 0] : [200, 1],
        `${name} ${path}`,
      );
      const unsafe = new FnProxyEvent(event);
      for (const read of [() => unsafe.url(), () => unsafe.toRequest()]) {
        if (isRefused) assertThrows(read, HttpBadRequestError, "path", `${name} ${path}`);
        else read();
      }
      if (isRefused) continue;
      const sent = name === "http" ? encodeURI(decodeURIComponent(path)) : path.replace(" ", "%20");
      assertEquals(new URL(seen[0]!).pathname, sent, name);
    }
  }
});

Deno.test("routes() matches no path that a URL would change", async () => {
  const handler = proxyHandler(routes({ "GET /{path+}": () => 1, "GET /a/{b}/c": () => 2 }));
  for (const path of ["/public/../admin", "/a/../c", "/a/%2E%2e/c", "/x\\y", "/a/..", "/\tx"]) {
    for (const [name, { event }] of Object.entries(eventsOf("GET", {}, path))) {
      const { result } = await captureLog(() => handler(event));
      assertEquals(result.statusCode, 404, `${name} ${path}`);
    }
  }
});
