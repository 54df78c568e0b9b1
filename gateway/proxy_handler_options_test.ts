import { assertEquals, assertThrows } from "@std/assert";
import { ask, fail } from "./testdata/events.ts";
import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  compress,
  cors,
  etag,
  type FnProxyEvent,
  HttpConflictError,
  type Middleware,
  problemDetails,
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

Deno.test("proxyHandler() copies the bytes of a transformer, which may use them again", async () => {
  const shared = new Uint8Array(1);
  let count = 0;
  const customTransformers: Record<string, Transformer> = {
    "image/png": () => [shared.fill(++count), "image/png"],
  };
  const late: Middleware = async (_event, _context, next) => {
    const answer = await next();
    await new Promise((resolve) => setTimeout(resolve));
    return answer;
  };
  const handler = proxyHandler(() => ({}), { customTransformers, use: [late] });
  const event = { headers: { Accept: "image/png" } };
  const bodies = (await Promise.all([handler(event), handler(event)])).map(({ body }) => body);
  assertEquals(bodies, ["AQ==", "Ag=="]);
});

Deno.test("proxyHandler() refuses an invalid route when the handler is made", () => {
  const message = "Invalid route: expected a function";
  for (const route of [undefined, null, {}] as never[]) {
    assertThrows(() => proxyHandler(route), TypeError, message);
  }
});

Deno.test("proxyHandler() refuses invalid options when the handler is made", () => {
  for (
    const [options, problem] of [
      [null, "Invalid options: expected a plain object"],
      ["x", "Invalid options: expected a plain object"],
      [
        { extraHeader: {} },
        'Unknown option "extraHeader": expected one of use, extraHeaders, clientMessage',
      ],
      [{ clientMessage: 5 }, "Invalid option clientMessage: expected a string"],
      [{ clientMessage: null }, "Invalid option clientMessage: expected a string"],
      ...["cors", "etag", "compression", "problemDetails", "onError", "stream"].map((name) =>
        [{ [name]: true }, `Unknown option "${name}"`] as const
      ),
      [{ use: () => {} }, "Invalid use: expected an array of functions, got a function"],
      [{ use: [5] }, "Invalid use: expected an array of functions, got a number"],
      ...[[undefined], [etag(), undefined], [etag], [cors], [problemDetails], [compress]].map((
        use,
      ) => [{ use }, "call it, as in `use: [etag()]`"] as const),
      [{ use: [, etag()] }, "got undefined: call it"],
      [{ use: [cors] }, "got a function: call it"],
      [{ extraHeaders: { "a b": "c" } }, '"a b"'],
      [{ extraHeaders: { a: 5 } }, '"a"'],
      [{ extraHeaders: [] }, "Invalid headers: expected a plain object"],
      [{ extraHeaders: 5 }, "Invalid headers: expected a plain object"],
      [{ extraHeaders: () => ({}) }, "Invalid headers: expected a plain object"],
      [{ customTransformers: [] }, "Invalid customTransformers: expected a plain object"],
      [{ customTransformers: { html } }, '"html"'],
      [{ customTransformers: { "text/html": "x" } }, 'expected a function for "text/html"'],
      [{ customTransformers: { "text/html": null } }, 'expected a function for "text/html"'],
      [{ types: [] }, "Invalid option types"],
      [{ types: ["png"] }, 'Invalid item "png" in types: expected a media type'],
      ...[-1, 11, "2", 1.5].map((indent) => [{ indent }, "Invalid option indent"] as const),
      [{ clientErrorLevel: "debug" }, "Invalid option clientErrorLevel"],
    ] as const
  ) {
    const name = JSON.stringify(options);
    assertThrows(() => proxyHandler(() => {}, options as never), TypeError, problem, name);
  }
});

Deno.test("extraHeaders are on every response", async () => {
  const options: ProxyHandlerOptions = {
    extraHeaders: { "X-A": "1", "Set-Cookie": ["a=1", "b=2"] },
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
    assertEquals(headers["X-A"], "1", String(route));
    assertEquals(multiValueHeaders, { "Set-Cookie": ["a=1", "b=2"] });
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
  const build = (event: FnProxyEvent) => buildHttpResponse(200, { a: 1 }, { event });
  assertEquals((await ask(build, { indent: 0 })).result.body, '{"a":1}');
  const { result } = await ask(build, { types: ["image/png"] }, { headers: { Accept: "*/*" } });
  assertEquals(result.statusCode, 500, "the handler has no JSON");
});
