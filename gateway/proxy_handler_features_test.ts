import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import fresh from "fresh";
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { recordLog } from "../testdata/record_log.ts";
import { eventsOf } from "./testdata/answers.ts";
import { HTML_ONLY, JSON_UTF8 } from "./testdata/events.ts";
import {
  buildHttpResponse,
  type Coding,
  type CorsOptions,
  HttpConflictError,
  HttpError,
  HttpNotFoundError,
  HttpServiceUnavailableError,
  HttpUnauthorizedError,
  proxyHandler,
  type ProxyHandlerOptions,
  type ProxyRoute,
  reply,
  type Transformer,
} from "./mod.ts";

const CANNED = "The server failed to answer this request";

/** The response to a REST request, and the records that were logged meanwhile. */
async function ask(
  route: unknown,
  options: ProxyHandlerOptions,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const { event } = eventsOf(method, headers)["rest"]!;
  return await recordLog(() => proxyHandler(route as ProxyRoute, options)(event));
}

/** A route that fails. */
const fail = (error: unknown) => (): Promise<never> => Promise.reject(error);

Deno.test("extraHeaders may depend on the request, and are on every response", async () => {
  const options: ProxyHandlerOptions = {
    extraHeaders: (event) => ({ "X-Path": event.queryPath().join(), "Set-Cookie": ["a=1", "b=2"] }),
  };
  for (
    const route of [
      () => 1,
      () => {},
      () => new Response("x"),
      () => buildHttpResponse(200, 1),
      fail(new HttpConflictError()),
      fail(new Error("x")),
    ]
  ) {
    const { headers, multiValueHeaders } = (await ask(route, options)).result;
    assertEquals(headers["X-Path"], "v0,orders", String(route));
    assertEquals(multiValueHeaders, { "Set-Cookie": ["a=1", "b=2"] });
  }
});

Deno.test("extraHeaders that throw or are invalid are a failure of the server", async () => {
  for (
    const extraHeaders of [
      () => {
        throw new Error("no headers");
      },
      () => ({ "X A": "1" }),
    ]
  ) {
    const { result, log } = await ask(() => 1, { extraHeaders });
    assertEquals([result.statusCode, JSON.parse(result.body)], [500, { Message: CANNED }]);
    assertEquals(log.length, 1);
  }
});

Deno.test("an error has its headers, which win over the extra headers, and its details", async () => {
  const headers = { "WWW-Authenticate": "Basic", "X-A": "2" };
  const details = { field: "name" };
  const options = { extraHeaders: { "x-a": "1" } };
  const client = await ask(
    fail(new HttpUnauthorizedError("Log in", { headers, details })),
    options,
  );
  assertEquals(JSON.parse(client.result.body), { Message: "Log in", Details: details });
  const server = await ask(
    fail(new HttpServiceUnavailableError("x", { headers, details })),
    options,
  );
  assertEquals(JSON.parse(server.result.body), { Message: CANNED });
  for (const { result } of [client, server]) {
    assertEquals(result.headers["WWW-Authenticate"], "Basic");
    assertEquals([result.headers["X-A"], result.headers["x-a"]], ["2", undefined]);
  }
});

Deno.test("cors answers preflights before the route, and marks every response", async () => {
  const origin = "https://app.example";
  let count = 0;
  const route = () => ++count;
  const cors: CorsOptions = {
    origins: [origin],
    credentials: true,
    exposeHeaders: ["X-Total"],
    maxAge: 600,
  };
  const preflight = {
    Origin: origin,
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "X-A, X-B",
    Accept: "image/png",
  };
  const answer = await ask(route, { cors }, { method: "OPTIONS", headers: preflight });
  assertEquals([answer.result.statusCode, count], [204, 0]);
  const { "Content-Type": _, ...fields } = answer.result.headers;
  assertEquals(fields, {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Allow-Methods": "PUT",
    "Access-Control-Allow-Headers": "X-A, X-B",
    "Access-Control-Max-Age": "600",
    Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  });

  const evil = { ...preflight, Origin: "https://evil.example" };
  const refused = await ask(route, { cors }, { method: "OPTIONS", headers: evil });
  assertEquals([refused.result.statusCode, count], [204, 0]);
  assert(!JSON.stringify(refused.result).includes("Access-Control-Allow"));

  for (
    const [name, route] of Object.entries({
      payload: (): number => 1,
      error: fail(new HttpConflictError()),
      failure: fail(new Error("x")),
      response: () => new Response("x"),
      built: () => buildHttpResponse(200, 1, { extraHeaders: { Vary: "X-A" } }),
    })
  ) {
    const allowed = (await ask(route, { cors }, { headers: { Origin: origin } })).result.headers;
    assertEquals(allowed["Access-Control-Allow-Origin"], origin, name);
    assertEquals(allowed["Access-Control-Allow-Credentials"], "true", name);
    assertEquals(allowed["Access-Control-Expose-Headers"], "X-Total", name);
    assertEquals(allowed["Access-Control-Allow-Methods"], undefined, name);
    assert(allowed["Vary"]!.includes("Origin"), name);
    for (const headers of [{ Origin: "https://evil.example" }, {}] as Record<string, string>[]) {
      const other = (await ask(route, { cors }, { headers })).result.headers;
      assertEquals(other["Access-Control-Allow-Origin"], undefined, name);
      assert(other["Vary"]!.includes("Origin"), name);
    }
  }
});

Deno.test("cors takes all origins, a function, and lists of methods and headers", async () => {
  const headers = {
    Origin: "https://a.example",
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "X-A",
  };
  const preflight = async (cors: CorsOptions) =>
    (await ask(() => 1, { cors }, { method: "OPTIONS", headers })).result.headers;
  const all = await preflight({ origins: "*", methods: ["GET", "PUT"], headers: ["X-A", "X-C"] });
  assertEquals(all["Access-Control-Allow-Origin"], "*");
  assertEquals(all["Access-Control-Allow-Methods"], "GET, PUT");
  assertEquals(all["Access-Control-Allow-Headers"], "X-A, X-C");
  const some = await preflight({ origins: (origin) => origin.endsWith("a.example") });
  assertEquals(some["Access-Control-Allow-Origin"], "https://a.example");
  const none = await preflight({ origins: () => false });
  assertEquals(none["Access-Control-Allow-Origin"], undefined);
  // OPTIONS without the request header is not a preflight.
  const { result } = await ask(() => 1, { cors: { origins: "*" } }, { method: "OPTIONS" });
  assertEquals([result.statusCode, result.headers["Access-Control-Allow-Origin"]], [200, "*"]);
});

Deno.test("etag tags responses to GET and HEAD with 200 by their content", async () => {
  const tagOf = async (route: unknown, method: string, headers = {}) =>
    (await ask(route, { etag: true }, { method, headers })).result.headers["ETag"];
  const tag = await tagOf(() => ({ a: 1 }), "GET");
  assert(/^"[0-9a-f]{32}"$/.test(tag!), tag);
  assertEquals(await tagOf(() => ({ a: 1 }), "HEAD"), tag);
  assert(await tagOf(() => ({ a: 2 }), "GET") !== tag);
  assertEquals(await tagOf(() => ({ a: 1 }), "POST"), undefined);
  assertEquals(await tagOf(() => reply(201, { a: 1 }), "GET"), undefined);
  assertEquals(await tagOf(() => reply(200, 1, { headers: { ETag: '"mine"' } }), "GET"), '"mine"');
  const long = () => ({ a: "x".repeat(2000) });
  assertEquals(
    await tagOf(long, "GET", { "Accept-Encoding": "gzip" }),
    `W/${await tagOf(long, "GET")}`,
  );
});

Deno.test("etag answers a 304 with the header fields that the 200 has, and no content", async () => {
  const route = () => reply(200, "x".repeat(2000), { headers: { "Cache-Control": "max-age=60" } });
  const headers = { "Accept-Encoding": "gzip" };
  const full = await ask(route, { etag: true }, { headers });
  const tag = full.result.headers["ETag"]!;
  const { result } = await ask(route, { etag: true }, {
    headers: { ...headers, "If-None-Match": tag },
  });
  assertEquals([result.statusCode, result.body, result.isBase64Encoded], [304, "", false]);
  for (const name of ["ETag", "Vary", "Cache-Control"]) {
    assertEquals(result.headers[name], full.result.headers[name], name);
  }
  assertEquals(result.headers["Content-Encoding"], undefined);
});

Deno.test("etag decides about If-None-Match and If-Modified-Since as the library fresh does", async () => {
  const tags = ['"a"', 'W/"a"', '"b"', "*", '"a", "b"', ' W/"b" ,"a"'];
  const dates = ["Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT", "never"];
  const maybe = <T>(values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  await fc.assert(fc.asyncProperty(
    fc.constantFrom('"a"', 'W/"a"'),
    maybe(dates),
    maybe(tags),
    maybe(dates),
    async (etag, modified, noneMatch, since) => {
      const headers: Record<string, string> = {};
      if (noneMatch !== undefined) headers["if-none-match"] = noneMatch;
      if (since !== undefined) headers["if-modified-since"] = since;
      const own = { ETag: etag, ...modified === undefined ? {} : { "Last-Modified": modified } };
      const { result } = await ask(() => reply(200, 1, { headers: own }), { etag: true }, {
        headers,
      });
      const isFresh = fresh(headers, {
        etag,
        ...modified === undefined ? {} : { "last-modified": modified },
      });
      // RFC 9110 §13.1.3: an invalid date is ignored, and without Last-Modified there is nothing to compare.
      assertEquals(result.statusCode, isFresh ? 304 : 200, JSON.stringify([own, headers]));
    },
  ));
});

Deno.test("etag answers 412 if If-Match or If-Unmodified-Since is false, in the order of RFC 9110", async () => {
  const [early, late] = ["Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT"];
  const own = { ETag: '"a"', "Last-Modified": late };
  for (
    const [headers, status] of [
      [{ "If-Match": '"a"' }, 200],
      [{ "If-Match": '"b", "a"' }, 200],
      [{ "If-Match": "*" }, 200],
      [{ "If-Match": '"b"' }, 412],
      [{ "If-Match": 'W/"a"' }, 412],
      [{ "If-Unmodified-Since": early }, 412],
      [{ "If-Unmodified-Since": late }, 200],
      [{ "If-Unmodified-Since": "never" }, 200],
      [{ "If-Match": '"a"', "If-Unmodified-Since": early }, 200],
      [{ "If-Match": '"b"', "If-None-Match": '"a"' }, 412],
      [{ "If-Match": '"a"', "If-None-Match": '"a"' }, 304],
      [{ "If-None-Match": '"b"', "If-Modified-Since": late }, 200],
      [{ "If-None-Match": '"x,y", "a"' }, 304], // fresh splits tags at their commas
      [{ "If-Modified-Since": late }, 304],
      [{ "If-Modified-Since": early }, 200],
    ] as const
  ) {
    for (const method of ["GET", "PUT"]) {
      const given = headers as Record<string, string>;
      const { result } = await ask(() => reply(200, 1, { headers: own }), { etag: true }, {
        method,
        headers: given,
      });
      const name = `${method} ${JSON.stringify(headers)}`;
      assertEquals(result.statusCode, method === "GET" ? status : 200, name);
    }
  }
});

Deno.test("compression takes the coding that the client prefers, from a length on, for types that shrink", async () => {
  const undo = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  const codings: Coding[] = ["zstd", "br", "gzip"];
  for (
    const [options, accepted, length, type, coding] of [
      [undefined, "gzip, br, zstd", 1000, "text/css", "gzip"],
      [undefined, "br", 1000, "text/css", undefined],
      [undefined, "gzip", 999, "text/css", undefined],
      [{ from: 5 }, "gzip", 5, "text/css", "gzip"],
      [{ from: 5 }, "gzip", 4, "text/css", undefined],
      [{ codings }, "gzip, br, zstd", 1000, "text/css", "zstd"],
      [{ codings }, "gzip, br, zstd;q=0.5", 1000, "text/css", "br"],
      [{ codings }, "identity, gzip;q=0.5", 1000, "text/css", undefined],
      [false, "gzip", 1000, "text/css", undefined],
      [undefined, "gzip", 1000, "image/svg+xml", "gzip"],
      ...[
        "image/png",
        "audio/ogg",
        "video/mp4",
        "font/woff2",
        "application/zip",
        "application/gzip",
        "text/event-stream",
      ].map((type) => [undefined, "gzip", 1000, type, undefined] as const),
    ] as const
  ) {
    const text = "x".repeat(length);
    const { result } = await ask(() => reply(200, text, { type }), { compression: options }, {
      headers: { "Accept-Encoding": accepted },
    });
    const name = JSON.stringify([options, accepted, length, type]);
    assertEquals(result.headers["Content-Encoding"], coding, name);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals((coding ? undo[coding](bytes) : bytes).toString(), text, name);
    const isVarying = options !== false &&
      !/^(?!image.svg)(image|audio|video|font|app)|event/.test(type);
    assertEquals(result.headers["Vary"], isVarying ? "Accept, Accept-Encoding" : "Accept", name);
  }
});

Deno.test("compression counts bytes, not characters", async () => {
  const route = () => reply(200, "ü".repeat(500), { type: "text/plain" });
  const { result } = await ask(route, {}, { headers: { "Accept-Encoding": "gzip" } });
  assertEquals(result.headers["Content-Encoding"], "gzip");
});

Deno.test("indent is the indentation of JSON, errors too", async () => {
  assertEquals((await ask(() => ({ a: [1] }), { indent: 0 })).result.body, '{"a":[1]}');
  assertEquals(
    (await ask(fail(new HttpConflictError()), { indent: 0 })).result.body,
    '{"Message":"Conflict"}',
  );
  assertEquals((await ask(() => [1], { indent: 4 })).result.body, "[\n    1\n]");
});

Deno.test("problemDetails makes errors application/problem+json wherever they would be JSON", async () => {
  const problemOf = async (route: unknown, headers: Record<string, string> = {}) => {
    const { result } = await ask(route, { problemDetails: true }, { headers });
    assertEquals(result.headers["Content-Type"], "application/problem+json");
    const text = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8").toString();
    return [result.statusCode, JSON.parse(text)];
  };
  const details = { issues: [1], status: 5, type: "x" };
  const about = { type: "about:blank" };
  assertEquals(await problemOf(fail(new HttpNotFoundError("No such dish", { details }))), [404, {
    ...about,
    issues: [1],
    title: "Not Found",
    status: 404,
    detail: "No such dish",
  }]);
  assertEquals(await problemOf(fail(new Error("secret"))), [500, {
    ...about,
    title: "Internal Server Error",
    status: 500,
    detail: CANNED,
  }]);
  const [status, { title, detail }] = await problemOf(() => 1, { Accept: "image/png" });
  assertEquals([status, title], [406, "Not Acceptable"]);
  assert(detail.includes("application/json"), detail);
  const payload = await ask(() => 1, { problemDetails: true });
  assertEquals(payload.result.headers["Content-Type"], JSON_UTF8);
});

Deno.test("problemDetails leaves a transformer alone that the client prefers", async () => {
  const seen: unknown[] = [];
  const html: Transformer = (
    payload,
    info,
  ) => (seen.push(payload, info.status, info.error), ["<p>", "text/html"]);
  const error = new HttpNotFoundError("No");
  const { result } = await ask(fail(error), {
    problemDetails: true,
    customTransformers: { "text/html": html },
  }, { headers: HTML_ONLY.headers as Record<string, string> });
  assertEquals([result.statusCode, result.body], [404, "<p>"]);
  assertEquals(seen, [{ Message: "No" }, 404, error]);
});

Deno.test("onError replaces an error, and the log has what it became", async () => {
  class Missing extends Error {}
  const cases: [name: string, replacement: () => unknown, status: number, levels: string[]][] = [
    ["nothing", () => undefined, 500, ["FATAL"]],
    ["a client error", () => new HttpNotFoundError("Gone"), 404, ["ERROR"]],
    ["a later client error", () => Promise.resolve(new HttpNotFoundError()), 404, ["ERROR"]],
    ["a server error", () => new HttpServiceUnavailableError("x"), 503, ["FATAL"]],
    ["an error without a class", () => new HttpError(418, "Tea"), 418, ["ERROR"]],
    ["a server error without a class", () => new HttpError(500, "x"), 500, ["FATAL"]],
    ["a payload", () => ({ a: 1 }), 200, []],
    ["a reply of the client's fault", () => reply(404, "x"), 404, ["ERROR"]],
    ["a reply of the server's fault", () => reply(503, "x"), 503, ["FATAL"]],
    ["a Response", () => new Response(null, { status: 302 }), 302, []],
    [
      "an error of its own",
      () => {
        throw new Error("broken onError");
      },
      500,
      ["FATAL", "FATAL"],
    ],
    ["an unsendable result", () => new Map(), 500, ["FATAL", "FATAL"]],
  ];
  for (const [name, replacement, status, levels] of cases) {
    const thrown = new Missing("the original");
    let seen: unknown;
    const { result, log } = await ask(fail(thrown), {
      onError: (error) => (seen = error, replacement()),
    });
    assertEquals(result.statusCode, status, name);
    assertEquals(log.map(({ level }) => level), levels, name);
    assertEquals(seen, thrown, name);
    assert(!result.body.includes("original"), name);
    if (levels.length === 2) assert(log[0]!.message.includes("the original"), log[0]!.message);
    if (name === "an error of its own") assert(JSON.stringify(log[1]).includes("broken onError"));
  }
});

Deno.test("onError sees every failure: 406, a result that JSON cannot carry, an event that is not a request", async () => {
  for (
    const [route, headers, status] of [
      [() => 1, { Accept: "image/png" }, 406],
      [() => new Map(), {}, undefined],
    ] as const
  ) {
    const seen: unknown[] = [];
    await ask(
      route,
      { onError: (error, event, context) => void seen.push(error, event, context) },
      {
        headers: headers as Record<string, string>,
      },
    );
    assertEquals((seen[0] as HttpError).status, status);
    assertEquals(seen.length, 3);
  }
  const seen: unknown[] = [];
  const handler = proxyHandler(() => 1, { onError: (_error, event) => void seen.push(event) });
  await recordLog(() => handler("no request"));
  assertEquals(seen, [undefined]);
});

Deno.test("clientErrorLevel is the level of a client error's record", async () => {
  for (
    const [level, levels] of [["error", ["ERROR"]], ["warn", ["WARN"]], ["info", ["INFO"]], [
      "off",
      [],
    ]] as const
  ) {
    const client = await ask(fail(new HttpNotFoundError()), { clientErrorLevel: level });
    assertEquals(client.log.map(({ level }) => level), [...levels], level);
    const replied = await ask(fail(new Error("x")), {
      clientErrorLevel: level,
      onError: () => reply(404, "x"),
    });
    assertEquals(replied.log.map(({ level }) => level), [...levels], level);
    const server = await ask(fail(new Error("x")), { clientErrorLevel: level });
    assertEquals(server.log.map(({ level }) => level), ["FATAL"], level);
  }
});
