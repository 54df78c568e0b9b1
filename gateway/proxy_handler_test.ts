import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { FnHandler } from "../function/mod.ts";
import { logger } from "../logger/mod.ts";
import { captureLog } from "../testing/mod.ts";
import {
  answer,
  ask,
  context,
  eventsOf,
  fail,
  HTML_ONLY,
  JSON_UTF8,
  request,
} from "./testdata/events.ts";
import * as gateway from "./mod.ts";
import { FnProxyEvent, type HttpResponse, proxyHandler } from "./mod.ts";

Deno.test("proxyHandler() answers any JSON value with 200, returned at once or later", async () => {
  for (
    const [name, value, body] of [
      ["an object", { a: 1 }, '{\n  "a": 1\n}'],
      ["an array", [1], "[\n  1\n]"],
      ["a string", "text", '{\n  "Message": "text"\n}'],
      ["an empty string", "", '{\n  "Message": ""\n}'],
      ["a number", 0, "0"],
      ["false", false, "false"],
      ["null", null, "null"],
      ["an inherited status", Object.create({ statusCode: 201 }), "{}"],
      ["a status that is text", { statusCode: "201" }, '{\n  "statusCode": "201"\n}'],
      ["a status and more", { statusCode: 200, a: 1 }, '{\n  "statusCode": 200,\n  "a": 1\n}'],
      ["a body without a status", { body: "x" }, '{\n  "body": "x"\n}'],
    ] as const
  ) {
    for (
      const route of [
        () => value,
        () => Promise.resolve(value),
        () => ({ then: (done: (value: unknown) => void) => done(value) }),
      ]
    ) {
      const { result, records: log } = await answer(route);
      const headers = { "Content-Type": JSON_UTF8, Vary: "Accept" };
      assertEquals({ ...result }, { statusCode: 200, headers, body, isBase64Encoded: false }, name);
      assertEquals(log, []);
    }
  }
});

Deno.test("proxyHandler() answers undefined with 204, with the extra headers", async () => {
  for (const route of [() => {}, () => undefined, async () => {}]) {
    const { result, records: log } = await answer(route, {
      options: { extraHeaders: { "X-A": "1" } },
    });
    assertEquals([result.statusCode, result.body, result.isBase64Encoded], [204, "", false]);
    assertEquals(result.headers["X-A"], "1");
    assertEquals(log, []);
  }
});

Deno.test("proxyHandler() sends a response that was built on purpose as it is", async () => {
  for (
    const built of [
      gateway.buildHttpResponse(302, null, { extraHeaders: { Location: "/" } }),
      gateway.buildHttpClientErrorResponse(new gateway.HttpGoneError(), { log: false }),
      gateway.asResponse({ statusCode: 200, headers: {}, body: "", isBase64Encoded: false }),
      gateway.asResponse({
        statusCode: 201,
        headers: {},
        multiValueHeaders: { A: ["1", "2"] },
        body: "/w==",
        isBase64Encoded: true,
      }),
    ]
  ) {
    const { result, records: log } = await answer(() => built);
    assertEquals(result, { ...built });
    assertEquals(log, []);
  }
});

Deno.test("proxyHandler() answers a built response with a status from 100 to 199 with 500, with and without middleware", async () => {
  for (
    const built of [gateway.buildHttpResponse(103, 1), gateway.asResponse({ statusCode: 100 })]
  ) {
    for (const use of [[], [gateway.etag()]]) {
      const { result, records: [record] } = await answer(() => built, { options: { use } });
      assertEquals(result.statusCode, 500);
      assertStringIncludes(
        JSON.stringify(record),
        `Invalid status ${built.statusCode}: expected a whole number from 200 to 599`,
      );
    }
  }
});

Deno.test("proxyHandler() adds the extra headers to a built response, whose own headers win", async () => {
  const options = { extraHeaders: { "X-A": "1", "X-B": "1", Vary: "Origin", "Set-Cookie": "a=1" } };
  const { result } = await answer(() =>
    gateway.asResponse({
      statusCode: 200,
      headers: { "x-b": "2", vary: "Accept" },
      multiValueHeaders: { "Set-Cookie": ["b=2", "c=3"] },
      body: "x",
    }), { options });
  assertEquals({ ...result }, {
    statusCode: 200,
    headers: { "X-A": "1", "x-b": "2", vary: "Accept, Origin" },
    multiValueHeaders: { "Set-Cookie": ["b=2", "c=3"] },
    body: "x",
    isBase64Encoded: false,
  });
});

Deno.test("proxyHandler() sends both maps of headers of a built response, as a REST API does", async () => {
  for (
    const [headers, multiValueHeaders, expected] of [
      [{ "X-A": "1" }, { "X-A": ["2"] }, ["2", "1"]],
      [{ "X-A": "1" }, { "X-A": ["1", "2"] }, ["1", "2"]],
      [{ "X-A": "1" }, { "X-A": ["2", "2"] }, ["2", "2", "1"]],
      [{ "X-A": "1" }, { "X-B": ["2"] }, ["1"]],
      [{ "X-A": "1" }, { "X-A": [] }, ["1"]],
      [{ "X-A": "1" }, undefined, ["1"]],
      [undefined, { "X-A": ["1", "2"] }, ["1", "2"]],
    ] as const
  ) {
    const given = { statusCode: 200, headers, multiValueHeaders };
    const { result } = await answer(() => gateway.asResponse(given));
    const sent = result.multiValueHeaders?.["X-A"] ?? [result.headers["X-A"]];
    assertEquals(sent, [...expected], JSON.stringify(given));
  }
  const own = JSON.parse('{"statusCode": 200, "headers": {"constructor": "1", "__proto__": "2"}}');
  const { result } = await answer(() => gateway.asResponse(own));
  assertEquals(Object.entries(result.headers), [["constructor", "1"], ["__proto__", "2"]]);
});

Deno.test("proxyHandler() refuses an object that looks like a response, because it may be data", async () => {
  for (
    const data of [
      { statusCode: 200 },
      { statusCode: 302, headers: { Location: "https://evil.example" }, body: "" },
      JSON.parse('{"statusCode": 200, "multiValueHeaders": {}, "isBase64Encoded": false}'),
      { ...gateway.buildHttpResponse(200, 1) },
    ]
  ) {
    const { result, records: log } = await answer(() => data);
    assertEquals(result.statusCode, 500);
    assertEquals(log.length, 1);
    for (const name of ["reply()", "asResponse()"]) {
      assertStringIncludes(String(log[0]!.message), name);
    }
  }
});

Deno.test("asResponse() refuses a result without a status", () => {
  for (const result of [null, {}, { statusCode: "200" }, { statusCode: 99 }, { statusCode: 600 }]) {
    assertThrows(() => gateway.asResponse(result as never), TypeError, "expected a statusCode");
  }
});

Deno.test("asResponse() refuses invalid header fields and cookies, and two spellings of one field", () => {
  for (
    const [fields, problem] of [
      [{ headers: { "X A": "1" } }, 'Invalid header name "X A"'],
      [{ headers: { "X-A": "1\r\nX-B: 2" } }, "expected a string without control characters"],
      [{ headers: { "X-A": 5 } }, "expected a string without control characters"],
      [{ headers: [] }, "Invalid headers"],
      [
        { multiValueHeaders: { "X-A": ["1", "\n"] } },
        "expected a string without control characters",
      ],
      [{ cookies: ["a=1\n"] }, "Invalid cookie"],
      [{ cookies: "a=1" }, "Invalid cookies: expected an array"],
      [{ headers: { "X-A": "1", "x-a": "2" } }, 'Invalid header "x-a": expected one spelling'],
      [{ headers: { "X-A": "1" }, multiValueHeaders: { "x-a": ["2"] } }, "expected one spelling"],
      [{ body: 5 }, "Invalid body: expected a string"],
      [{ body: "\u00ff", isBase64Encoded: true }, "Invalid body: expected base64"],
      [{ isBase64Encoded: "true" }, "Invalid isBase64Encoded: expected a boolean"],
    ] as const
  ) {
    const given = { statusCode: 200, ...fields };
    assertThrows(() => gateway.asResponse(given), TypeError, problem, JSON.stringify(fields));
  }
  const both = { headers: { A: "1" }, multiValueHeaders: { A: ["1", "2"] }, body: "/w==" };
  gateway.asResponse({ statusCode: 200, ...both, isBase64Encoded: true });
  gateway.asResponse({ statusCode: 200, headers: undefined, cookies: undefined, body: undefined });
});

Deno.test("proxyHandler() hands the wrapped event and the context to the route, and needs no request id", async () => {
  const raw = request();
  const ids = [{ awsRequestId: 5 }, { awsRequestId: "" }, { awsRequestId: null }];
  for (const given of [context("id-2"), undefined, null, {}, ...ids] as never[]) {
    let seen: unknown[] = [];
    const { statusCode } = await proxyHandler((event, context) => {
      seen = [event instanceof FnProxyEvent, event.rawEvent === raw, context === given];
    })(raw, given);
    assertEquals([statusCode, ...seen], [204, true, true, true]);
  }
});

Deno.test("proxyHandler() refuses an unsupported Accept before the route runs, but not that of GET and HEAD", async () => {
  const options = { extraHeaders: { "Access-Control-Allow-Origin": "*" } };
  const headers = { Accept: "text/html" };
  for (
    const [event, runs] of [
      [HTML_ONLY, false], // without a method
      ...["GET", "HEAD", "get", "POST", "PUT", "DELETE", "OPTIONS", "GETS"].map((method) =>
        [eventsOf(method, headers)["rest"]!.event, /^(GET|HEAD)$/i.test(method)] as const
      ),
    ] as const
  ) {
    let ran = false;
    const { result, records } = await answer(() => (ran = true, { a: 1 }), { event, options });
    const name = JSON.stringify(event);
    assertEquals([result.statusCode, ran], [406, runs], name);
    assertEquals(result.headers["Access-Control-Allow-Origin"], "*");
    assertStringIncludes(JSON.parse(result.body).Message, "application/json");
    assertEquals(records.map(({ level, requestId }) => [level, requestId]), [["ERROR", "id-1"]]);
    const namesOption = JSON.stringify(records[0]!["data"]).includes("option types");
    assertEquals(namesOption, !runs, "the record of a 406 before the route names the option");
    assert(!result.body.includes("option types"), "the client cannot set the option");
  }
});

Deno.test("a result of GET with a type of its own is sent, whatever Accept says", async () => {
  const text = "<p>";
  const type = "text/html";
  async function* events() {
    yield await Promise.resolve("data: 1\n\n");
  }
  for (
    const [Accept, name, route, status] of [
      [type, "a reply with a type", () => gateway.reply(200, text, { type }), 200],
      [
        type,
        "a reply with a Content-Type",
        () => gateway.reply(201, text, { headers: { "Content-Type": type } }),
        201,
      ],
      [type, "a Response", () => new Response(text, { headers: { "Content-Type": type } }), 200],
      [
        "text/event-stream",
        "events",
        () => gateway.reply(200, events(), { type: "text/event-stream" }),
        200,
      ],
      ["image/png", "bytes", () => new Uint8Array([1]), 200],
      ["image/png", "a stream", () => events(), 200],
      ["image/png", "nothing", () => {}, 204],
      ["image/png", "a built response", () => gateway.asResponse({ statusCode: 200 }), 200],
      ["image/png", "an error", fail(new gateway.HttpGoneError()), 410],
      ["image/png", "a value", () => ({ a: 1 }), 406],
      ["image/png", "a reply with a value", () => gateway.reply(201, { a: 1 }), 406],
    ] as const
  ) {
    for (const method of ["GET", "HEAD", "POST"]) {
      const { result } = await ask(route, {}, { method, headers: { Accept } });
      assertEquals(result.statusCode, method === "POST" ? 406 : status, `${method} ${name}`);
      if (status === 410) assertEquals(result.headers["Content-Type"], JSON_UTF8);
    }
    const handler = gateway.streamHandler(route as gateway.ProxyRoute);
    const event = eventsOf("GET", { Accept })["http"]!.event;
    const { result } = await captureLog(() => handler(event));
    assertEquals(result.prelude.statusCode, status, `streamed ${name}`);
  }
});

Deno.test("with the option types, a 406 comes before the route for every method", async () => {
  let ran = false;
  for (const method of ["GET", "HEAD", "POST"]) {
    const route = () => (ran = true, gateway.reply(200, "x", { type: "image/png" }));
    const options = { types: ["text/html"] };
    const { result, records } = await ask(route, options, { method, headers: { Accept: "a/b" } });
    assertEquals([result.statusCode, ran], [406, false], method);
    assertStringIncludes(JSON.stringify(records[0]!["data"]), "option types");
  }
});

Deno.test("withMiddleware() around a route sees the 406 of its result, but none that comes before it", async () => {
  for (const [method, expected] of [["GET", [406]], ["POST", []]] as const) {
    const seen: number[] = [];
    const route = gateway.withMiddleware([async (_event, _context, next) => {
      seen.push((await next()).status);
    }], () => ({ a: 1 }));
    const { result } = await ask(route, {}, { method, headers: { Accept: "a/b" } });
    assertEquals([result.statusCode, seen], [406, [...expected]]);
  }
});

const html = (payload: unknown) => [`<p>${JSON.stringify(payload)}</p>`, "text/html"] as const;

Deno.test("proxyHandler() answers in the type of a transformer, errors too", async () => {
  const options = { customTransformers: { "text/html": html } };
  const { result } = await answer(() => ({ a: 1 }), { event: HTML_ONLY, options });
  assertEquals([result.headers["Content-Type"], result.body], ["text/html", '<p>{"a":1}</p>']);
  const failed = await answer(fail(new gateway.HttpGoneError()), { event: HTML_ONLY, options });
  assertEquals([failed.result.statusCode, failed.result.body], [410, '<p>{"Message":"Gone"}</p>']);
});

Deno.test("proxyHandler() gives every record the id of its own invocation", async () => {
  const gates = new Map<string, () => void>();
  const handler = proxyHandler(async (_event, { awsRequestId }) => {
    logger.info(`start ${awsRequestId}`);
    await new Promise<void>((open) => gates.set(awsRequestId, open));
    logger.info(`end ${awsRequestId}`);
    throw new Error(`fail ${awsRequestId}`);
  });
  const { records: log } = await captureLog(async () => {
    const invocations = ["a", "b", "c"].map((id) => handler(request(), context(id)));
    for (const id of ["b", "c", "a"]) gates.get(id)!();
    await Promise.all(invocations);
  });
  assertEquals(log.length, 9);
  for (const { message, requestId } of log) {
    assertEquals(/(start|end|fail) (\w)/.exec(String(message))?.[2], requestId);
  }
});

Deno.test("proxyHandler() has types that go together", async () => {
  interface Dish {
    readonly name: string;
    readonly price?: number;
  }
  const find = (name: string): Dish | undefined => name === "soup" ? { name, price: 9 } : undefined;

  const typed: FnHandler = proxyHandler((event) => find(event.httpMethod()), {
    customTransformers: {
      "text/html": (payload) => {
        const text: string = "Message" in payload ? payload.Message : payload.name;
        // @ts-expect-error: the payload is a dish or the message of an error
        assertEquals(payload.other, undefined);
        return [text, "text/html"];
      },
    },
  });
  const later = proxyHandler(async () => await Promise.resolve(find("soup")), {
    customTransformers: { "text/html": (payload: unknown) => [String(payload), "text/html"] },
  });
  const mixed = proxyHandler((event) =>
    event.httpMethod() === "GET" ? gateway.buildHttpResponse(201, "made") : { name: "soup" }
  );
  const response: Promise<HttpResponse> = later(request(), undefined);
  assertEquals((await response).statusCode, 200);
  const event = { headers: {}, requestContext: { httpMethod: "GET" } };
  assertEquals((await mixed(event)).statusCode, 201);
  assertEquals(await typed(event, context("id")) instanceof Object, true);
  assertThrows(() => {
    const numbersOnly = (_: number) => ["", ""] as const;
    // @ts-expect-error: a transformer takes what the route returns, and messages
    proxyHandler(() => ({ name: "soup" }), { customTransformers: { "text/html": numbersOnly } });
    // @ts-expect-error: no JSON, and nothing to answer
    proxyHandler(() => 5n);
    // @ts-expect-error: a route is a function
    proxyHandler({});
  }, TypeError);
});

Deno.test("TypeScript refuses a route whose result no response can carry, and takes any other", () => {
  interface Dish {
    readonly name: string;
    readonly tags?: readonly string[];
  }
  class Meal {
    readonly #price = 5;
    dish?: Dish;
    get price() {
      return this.#price;
    }
  }
  class Tagged {
    readonly [Symbol.toStringTag] = "Tagged";
    toJSON() {
      return {};
    }
  }
  const dish: Dish = { name: "soup" };
  const record: Record<string, unknown> = {};
  async function* stream() {
    yield await Promise.resolve("x");
  }
  for (
    const route of [
      () => dish,
      () => [dish],
      () => new Meal(),
      () => new Tagged(),
      () => record,
      () => new Date(),
      () => new URL("https://example.com"),
      () => new Response("x"),
      () => new Uint8Array(),
      () => new Blob(["x"]).stream(),
      () => stream(),
      () => new Error("x"),
      () => gateway.reply(201, dish),
      () => gateway.buildHttpResponse(200, dish),
      () => Math.random() > 0.5 ? dish : undefined,
      (): object => dish,
      // deno-lint-ignore no-explicit-any -- what JSON.parse() gives
      (): any => dish,
      () => null,
      () => {},
      async () => await Promise.resolve(dish),
      async () => await Promise.resolve(),
    ]
  ) {
    proxyHandler(route);
    gateway.routes({ "GET /": route });
    gateway.withMiddleware([], route);
  }
  // @ts-expect-error: a function
  proxyHandler(() => () => 1);
  // @ts-expect-error: a class
  proxyHandler(() => Meal);
  // @ts-expect-error: a Map
  proxyHandler(() => new Map([["a", 1]]));
  // @ts-expect-error: a Map of an async route
  proxyHandler(async () => await Promise.resolve(new Map([["a", 1]])));
  // @ts-expect-error: a Set
  proxyHandler(() => new Set([1]));
  // @ts-expect-error: a bigint
  proxyHandler(() => 5n);
  // @ts-expect-error: maybe a Map
  proxyHandler(() => Math.random() > 0.5 ? dish : new Map());
  // @ts-expect-error: a Map
  gateway.routes({ "GET /": () => new Map() });
  // @ts-expect-error: a function
  gateway.routes({ "GET /": () => () => 1 });
  // @ts-expect-error: a Set of an async route
  gateway.routes({ "GET /": async () => await Promise.resolve(new Set()) });
  // @ts-expect-error: a bigint
  gateway.routes({ "GET /": () => 5n });
  // @ts-expect-error: a Map
  gateway.withMiddleware([], () => new Map());
  // @ts-expect-error: a Map
  gateway.streamHandler(() => new Map());
  // @ts-expect-error: next() without its parentheses
  const middleware: gateway.Middleware = (_event, _context, next) => next;
  assertEquals(typeof middleware, "function");
});

Deno.test("the types of options and transformers fit any payload unless told otherwise", async () => {
  // Annotated without a type argument, as users write it.
  const customTransformers: gateway.CustomTransformers = {
    "text/plain": (payload) => [JSON.stringify(payload), "text/plain"],
  };
  const raw = { headers: { Accept: "text/plain" } };
  const options: gateway.ResponseOptions = { event: new FnProxyEvent(raw), customTransformers };
  assertEquals(gateway.buildHttpResponse(200, { id: 1 }, options).body, '{"id":1}');
  const quiet = { ...options, log: false };
  gateway.buildHttpClientErrorResponse(new gateway.HttpGoneError(), quiet);
  gateway.buildHttpServerErrorResponse(new gateway.HttpNotImplementedError(), quiet);
  const any: gateway.ProxyHandlerOptions = { customTransformers };
  assertEquals((await proxyHandler(() => ({ id: 1 }), any)(raw)).body, '{"id":1}');

  const ofNames = { "a/b": (payload: { name: string }) => [payload.name, "text/plain"] as const };
  // @ts-expect-error The payload has no name.
  gateway.buildHttpResponse(200, { id: 1 }, { customTransformers: ofNames });
  // @ts-expect-error What the route returns has no name, nor has the message of an error.
  proxyHandler(() => ({ id: 1 }), { customTransformers: ofNames });
  gateway.buildHttpResponse(200, { name: "x", id: 1 }, { customTransformers: ofNames });
});

Deno.test("proxyHandler() never rejects, whatever the context and the thrown value", async () => {
  const context = {
    get awsRequestId(): string {
      throw new Error("no context");
    },
  };
  const { result } = await captureLog(() => proxyHandler(() => 1)(request(), context as never));
  assertEquals(result.statusCode, 200);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const route of [fail(proxy), () => proxy, () => ({ a: proxy })]) {
    const { result, records: log } = await answer(route);
    assertEquals(result.statusCode, 500);
    assertEquals(log.length, 1);
  }
});
