import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { FnHandler } from "../function/mod.ts";
import { logger } from "../logger/mod.ts";
import { captureLog } from "../testing/mod.ts";
import { answer, context, fail, HTML_ONLY, JSON_UTF8, request } from "./testdata/events.ts";
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
      [{ headers: { "X-A": "1\r\nX-B: 2" } }, "expected a string without CR, LF and NUL"],
      [{ headers: { "X-A": 5 } }, "expected a string without CR, LF and NUL"],
      [{ headers: [] }, "Invalid headers"],
      [{ multiValueHeaders: { "X-A": ["1", "\n"] } }, "expected a string without CR, LF and NUL"],
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

Deno.test("proxyHandler() refuses an unsupported Accept before the route runs", async () => {
  let ran = false;
  const route = () => {
    ran = true;
  };
  const { result, records: log } = await answer(route, {
    event: HTML_ONLY,
    options: { extraHeaders: { "Access-Control-Allow-Origin": "*" } },
  });
  assertEquals(ran, false);
  assertEquals(result.statusCode, 406);
  assertEquals(result.headers["Access-Control-Allow-Origin"], "*");
  assertStringIncludes(JSON.parse(result.body).Message, "application/json");
  assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["ERROR", "id-1"]]);
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
