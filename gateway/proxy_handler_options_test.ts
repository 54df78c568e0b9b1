import { assertEquals, assertThrows } from "@std/assert";
import { ask, CANNED, fail } from "./testdata/events.ts";
import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  type FnProxyEvent,
  HttpConflictError,
  proxyHandler,
  type ProxyHandlerOptions,
  type Transformer,
} from "./mod.ts";

const html = (payload: unknown) => [`<p>${JSON.stringify(payload)}</p>`, "text/html"] as const;

Deno.test("proxyHandler() reads its options once", async () => {
  const extraHeaders: Record<string, string> = { "X-A": "1", "x-a": "2" };
  const customTransformers: Record<string, Transformer> = { "text/html": html };
  const handler = proxyHandler(() => ({}), { extraHeaders, customTransformers });
  extraHeaders["bad name"] = "\n";
  customTransformers["text/html"] = null!;
  const { statusCode, headers } = await handler({ headers: { Accept: "text/html" } });
  assertEquals(statusCode, 200);
  assertEquals(Object.entries(headers).filter(([name]) => /^x-a$/i.test(name)), [["x-a", "2"]]);
});

Deno.test("proxyHandler() refuses an invalid route when the handler is made", () => {
  const message = "Invalid route: expected a function";
  for (const route of [undefined, null, {}] as never[]) {
    assertThrows(() => proxyHandler(route), TypeError, message);
  }
});

Deno.test("proxyHandler() refuses invalid options when the handler is made", () => {
  const origins = "*";
  for (
    const [options, problem] of [
      [null, "Invalid options: expected a plain object"],
      ["x", "Invalid options: expected a plain object"],
      [
        { extraHeader: {} },
        'Unknown option "extraHeader": expected one of extraHeaders, clientMessage',
      ],
      [{ clientMessage: 5 }, "Invalid option clientMessage: expected a value of the type string"],
      [
        { clientMessage: null },
        "Invalid option clientMessage: expected a value of the type string",
      ],
      [{ extraHeaders: { "a b": "c" } }, '"a b"'],
      [{ extraHeaders: { a: 5 } }, '"a"'],
      [{ extraHeaders: [] }, "Invalid headers: expected a plain object"],
      [
        { extraHeaders: 5 },
        "Invalid option extraHeaders: expected a value of the type object or function",
      ],
      [{ stream: 1 }, "Invalid option stream"],
      [{ customTransformers: [] }, "Invalid customTransformers: expected a plain object"],
      [{ customTransformers: { html } }, '"html"'],
      [{ customTransformers: { "text/html": "x" } }, 'expected a function for "text/html"'],
      [{ customTransformers: { "text/html": null } }, 'expected a function for "text/html"'],
      [{ types: [] }, "Invalid option types"],
      [{ types: ["png"] }, 'Invalid item "png" in types: expected a media type'],
      [{ etag: 1 }, "Invalid option etag"],
      ...[-1, 11, "2", 1.5].map((indent) => [{ indent }, "Invalid option indent"] as const),
      [{ problemDetails: "yes" }, "Invalid option problemDetails"],
      [{ onError: {} }, "Invalid option onError"],
      [{ clientErrorLevel: "debug" }, "Invalid option clientErrorLevel"],
      ...[true, { from: "1" }, { from: -1 }, { codings: ["deflate"] }, { codings: "gzip" }]
        .map((compression) => [{ compression }, "Invalid option compression"] as const),
      [{ cors: true }, "Invalid option cors"],
      [{ cors: { origins: ["*"] } }, 'Invalid item "*" in cors.origins: expected "*", or origins'],
      ...["", "a.example", "https://a.example/", "https://A.example"].map((origin) =>
        [{ cors: { origins: [origin] } }, `Invalid item "${origin}" in cors.origins: `] as const
      ),
      ...[undefined, "https://a.example"]
        .map((origins) => [{ cors: { origins } }, "Invalid cors.origins"] as const),
      [{ cors: { origins, credentials: true } }, "Invalid cors: expected origins by name"],
      [{ cors: { origins, methods: "GET" } }, "Invalid cors.methods"],
      [{ cors: { origins, headers: [5] } }, "Invalid cors.headers"],
      [{ cors: { origins, exposeHeaders: ["a\n"] } }, "expected a string without CR, LF"],
      [{ cors: { origins, maxAge: -1 } }, "Invalid cors.maxAge"],
      [
        { cors: { origins }, extraHeaders: { "Access-Control-Allow-Origin": "*" } },
        'Contradicting options: cors and the extra header "access-control-allow-origin"',
      ],
    ] as const
  ) {
    const name = JSON.stringify(options);
    assertThrows(() => proxyHandler(() => {}, options as never), TypeError, problem, name);
  }
});

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
    const { result, records: log } = await ask(() => 1, { extraHeaders });
    assertEquals([result.statusCode, JSON.parse(result.body)], [500, { Message: CANNED }]);
    assertEquals(log.length, 1);
  }
});

Deno.test("indent is the indentation of JSON, errors too", async () => {
  for (
    const [route, indent, body] of [
      [() => ({ a: [1] }), 0, '{"a":[1]}'],
      [fail(new HttpConflictError()), 0, '{"Message":"Conflict"}'],
      [() => [1], 4, "[\n    1\n]"],
    ] as const
  ) {
    assertEquals((await ask(route, { indent })).result.body, body);
  }
});

Deno.test("a response that a route builds has the types and the indentation of its handler", async () => {
  const headers = { Accept: "text/html" };
  const options: ProxyHandlerOptions = { customTransformers: { "text/html": html } };
  const error = new HttpConflictError("Twice");
  for (
    const [route, status, body] of [
      [(event: FnProxyEvent) => buildHttpResponse(201, 7, { event }), 201, "<p>7</p>"],
      [
        (event: FnProxyEvent) => buildHttpClientErrorResponse(error, { event, log: false }),
        409,
        '<p>{"Message":"Twice"}</p>',
      ],
      [
        (event: FnProxyEvent) => {
          const customTransformers = { "text/html": () => ["own", "text/html"] as const };
          return buildHttpResponse(200, 7, { event, customTransformers });
        },
        200,
        "own",
      ],
    ] as const
  ) {
    const { result } = await ask(route, options, { headers });
    assertEquals([result.statusCode, result.body], [status, body]);
  }
  const problem = await ask(
    (event: FnProxyEvent) => buildHttpClientErrorResponse(error, { event, log: false }),
    { problemDetails: true },
  );
  assertEquals(problem.result.headers["Content-Type"], "application/problem+json");
  const build = (event: FnProxyEvent) => buildHttpResponse(200, { a: 1 }, { event });
  assertEquals((await ask(build, { indent: 0 })).result.body, '{"a":1}');
  const { result } = await ask(build, { types: ["image/png"] }, { headers: { Accept: "*/*" } });
  assertEquals(result.statusCode, 500, "the handler has no JSON");
});
