import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { idempotent, memoryStore } from "../../idempotency/mod.ts";
import { call, captureLog } from "../../testing/mod.ts";
import {
  type ApiDescription,
  asResponse,
  buildHttpResponse,
  FnProxyEvent,
  HttpConflictError,
  HttpUnauthorizedError,
  implement,
  type Middleware,
  proxyHandler,
  reply,
  routes,
  withMiddleware,
} from "../mod.ts";

const Order = z.object({ id: z.number(), item: z.string() });
const Page = z.object({ page: z.coerce.number().default(1) });
const GATEWAYS = ["rest", "http", "url", "alb", "lattice"] as const;

/** Asks the route of a description, with any result. */
async function answer(
  responses: ApiDescription["GET /"]["responses"],
  result: unknown,
  path: z.ZodType | undefined = undefined,
) {
  const api = { "GET /": { responses, path } } as const satisfies ApiDescription;
  // deno-lint-ignore no-explicit-any
  const handler = proxyHandler(routes(implement(api, { "GET /": () => result as any })));
  const { result: response, records } = await captureLog(() => call(handler, { url: "/" }));
  const body = await response.text();
  return { status: response.status, body, response, log: JSON.stringify(records) };
}

Deno.test("implement() gives a route the outputs of the schemas, behind every gateway", async () => {
  const api = {
    "PUT /orders/{id}": {
      path: z.object({ id: z.coerce.number<string>() }),
      query: Page,
      headers: z.object({ "x-trace": z.string().toUpperCase() }),
      body: z.object({ at: z.iso.datetime().transform((text) => new Date(text)) }),
      responses: { 200: z.array(z.unknown()) },
    },
  } as const satisfies ApiDescription;
  const handler = proxyHandler(routes(implement(api, {
    "PUT /orders/{id}": (event) => {
      const id: number = event.pathParameters().id;
      const page: number = event.queryStringParameters().page;
      const trace: string = event.httpHeaders()["x-trace"];
      const at: Date = event.queryPayload().at;
      return [id, page, trace, at.getTime(), readElsewhere(event)];
    },
  })));
  const readElsewhere = (event: FnProxyEvent) => [
    event.header("X-Trace"),
    event.pathParameters(z.object({ id: z.string() })).id,
    event.queryStringParameters(z.object({ page: z.string() })).page,
    event.queryPayload(z.object({ at: z.string() })).at,
    event.pathParameters(),
    event instanceof FnProxyEvent,
  ];
  for (const gateway of GATEWAYS) {
    const at = "1970-01-01T00:00:01Z";
    const response = await call(handler, {
      method: "PUT",
      url: "/orders/7?page=1&page=2",
      headers: { "X-Trace": "a" },
      body: JSON.stringify({ at }),
    }, { gateway });
    const read = ["a", "7", "2", at, { id: 7 }, true];
    assertEquals(await response.json(), [7, 2, "A", 1_000, read], gateway);
  }
});

Deno.test("implement() answers the first failure: path, query, header fields, type, syntax, body", async () => {
  let runs = 0;
  const digits = z.string().regex(/^\d+$/);
  const api = {
    "POST /{id}": {
      path: z.object({ id: digits }),
      query: z.object({ q: digits }),
      headers: z.object({ "x-n": digits }),
      body: z.object({ n: z.number() }),
      responses: { 204: "Done" },
    },
  } as const satisfies ApiDescription;
  const handler = proxyHandler(
    routes(implement(api, { "POST /{id}": () => void runs++ })),
    { clientErrorLevel: "off" },
  );
  for (
    const [url, n, contentType, body, status, message] of [
      ["/x?q=x", "x", "text/html", "x", 404, "Invalid path parameters"],
      ["/1?q=x", "x", "text/html", "x", 400, "Invalid query parameters"],
      ["/1?q=1", "x", "text/html", "x", 400, "Invalid header fields"],
      ["/1?q=1", "1", "text/html", "x", 415, "Unsupported media type: expected application/json"],
      ["/1?q=1", "1", "application/json", "x", 400, "Cannot parse the payload: it is not JSON"],
      ["/1?q=1", "1", "application/json", '{"n":"1"}', 422, "Invalid payload"],
    ] as const
  ) {
    const headers = { "X-N": n, "Content-Type": contentType };
    const response = await call(handler, { method: "POST", url, headers, body });
    const { Message, Details } = await response.json();
    assertEquals(response.status, status);
    assert(Message.startsWith(message), Message);
    assertEquals(Details !== undefined, message.startsWith("Invalid"));
  }
  assertEquals(runs, 0);
  const headers = { "X-N": "1" };
  const done = await call(handler, { method: "POST", url: "/1?q=1", headers, body: '{"n":1}' });
  assertEquals([done.status, runs], [204, 1]);
});

Deno.test("implement() takes the schemas of zod, valibot and arktype", async () => {
  const item = { item: "tea", count: 2 };
  for (
    const [body, Order] of [
      [z.object({ count: z.number() }), z.object({ item: z.string(), count: z.number() })],
      [v.object({ count: v.number() }), v.object({ item: v.string(), count: v.number() })],
      [
        type({ count: "number" }),
        type({ item: "string", count: "number" }).onUndeclaredKey("delete"),
      ],
    ] as const
  ) {
    const api = { "POST /": { body, responses: { 201: Order } } } as const satisfies ApiDescription;
    const table = implement(api, {
      "POST /": (event) => reply(201, { item: "tea", secret: 7, ...event.queryPayload() }),
    });
    const request = { method: "POST", url: "/", body: '{"count":2}' };
    const response = await call(proxyHandler(routes(table)), request);
    assertEquals([response.status, await response.json()], [201, item]);
    const handler = proxyHandler(routes(table), { clientErrorLevel: "off" });
    assertEquals((await call(handler, { ...request, body: "{}" })).status, 422);
  }
});

Deno.test("implement() sends the output of the schema of the status, so no other member leaves", async () => {
  const order = { id: 7, item: "tea", secret: "sesame" };
  const sent = { id: 7, item: "tea" };
  const reverse = z.object({ text: z.string() }).transform(({ text }) => ({ length: text.length }));
  const headers = { Location: "/orders/7" };
  for (
    const [responses, result, status, body] of [
      [{ 200: Order }, order, 200, sent],
      [{ 200: Order }, Promise.resolve(order), 200, sent],
      [{ 200: z.array(Order) }, [order], 200, [sent]],
      [{ 201: Order }, reply(201, order, { headers }), 201, sent],
      [{ 200: Order }, reply(200, order, { headers, type: "application/vnd.o+json" }), 200, sent],
      [{ 200: reverse }, { text: "tea" }, 200, { length: 3 }],
      [{ 200: z.null() }, null, 200, null],
      // The document says a string, so no object is made of it as of other texts.
      [{ 200: z.string() }, "tea", 200, "tea"],
      [{ 200: z.string() }, "", 200, ""],
      // Data of a client never becomes the status and body of the response.
      [{ 200: z.looseObject({}) }, { statusCode: 302, body: "x" }, 200, {
        statusCode: 302,
        body: "x",
      }],
    ] as const
  ) {
    const got = await answer(responses, result);
    assertEquals([got.status, JSON.parse(got.body)], [status, body], got.log);
    const given = Object(result);
    if (given.type) assertEquals(got.response.headers.get("content-type"), given.type);
    assertEquals(got.response.headers.get("location"), given.headers?.Location ?? null);
  }
  const text = await answer({ 200: z.string() }, reply(200, "tea", { type: "text/plain" }));
  assertEquals(text.body, "tea");
});

Deno.test("implement() gives a transformer the output of the schema, also if it is text", async () => {
  const seen: unknown[] = [];
  const customTransformers = {
    "text/html": (payload: unknown) => {
      seen.push(payload);
      return [`<p>${payload}</p>`, "text/html"] as const;
    },
  };
  const api = { "GET /": { responses: { 200: z.string() } } } as const satisfies ApiDescription;
  const table = implement(api, { "GET /": () => "tea" });
  const request = { url: "/", headers: { Accept: "text/html" } };
  const work = routes(table) as () => Promise<string>;
  const guarded = idempotent(work, { store: memoryStore(), key: () => "1" });
  for (const route of [work, guarded, guarded] as (() => Promise<string>)[]) {
    const response = await call(proxyHandler(route, { customTransformers }), request);
    assertEquals(await response.text(), "<p>tea</p>");
  }
  assertEquals(seen, ["tea", "tea", "tea"]);
});

Deno.test("implement() answers a result that its description refuses with 500, and logs no value", async () => {
  const described = 'expected a described status: 200, 303"';
  for (
    const [responses, result, message] of [
      [{ 200: Order }, { id: "sesame", item: "" }, '200: "payload.id" is refused by the schema'],
      [{ 200: z.array(Order) }, [{ id: 1, item: 7 }], '200: "payload[0].item" is refused'],
      [{ 200: Order }, 7, '200: "payload" is refused'],
      [{ 200: Order }, null, '200: "payload" is refused'],
      [{ 201: Order }, reply(201), '201: "payload" is refused'],
      [{ 200: Order }, reply(200, { id: "sesame" }, { type: "application/json" }), '"payload.id"'],
      [{ 200: Order, 303: "Elsewhere" }, undefined, `204: ${described}`],
      [{ 200: Order, 303: "Elsewhere" }, reply(201, "sesame"), `201: ${described}`],
      [{ 303: "Elsewhere" }, reply(303, "sesame"), "303: expected no payload"],
      [{ 204: "Done" }, reply(204, "sesame"), "204: expected no payload"],
    ] as const
  ) {
    const { status, body, log } = await answer(responses, result);
    assertEquals([status, JSON.parse(body)], [500, {
      Message: "The server failed to answer this request",
    }]);
    assert(!log.includes("sesame"), log);
    const text = log.replaceAll("\\\\", "\\").replaceAll(/\\+"/g, '"');
    assert(text.includes(`response of "GET /" with the status`), text);
    assert(text.includes(message.replace(/"$/, "")), `${text} lacks ${message}`);
  }
});

Deno.test("implement() lets errors, responses, bytes, streams and built responses pass", async () => {
  async function* chunks() {
    yield await Promise.resolve("tea");
  }
  const bytes = new TextEncoder().encode("tea");
  const responses = { 201: Order } as const;
  for (
    const [result, status] of [
      [reply(400, { any: "thing" }), 400],
      [reply(404, { any: "thing" }), 404],
      [new HttpConflictError("Taken"), 409],
      [Promise.reject(new HttpConflictError("Taken")), 409],
      [reply(503), 503],
      [new Response("tea", { status: 203 }), 203],
      [bytes, 200],
      [reply(202, bytes), 202],
      [chunks(), 200],
      [reply(202, chunks(), { type: "text/plain" }), 202],
      [buildHttpResponse(202, "tea"), 202],
      [asResponse({ statusCode: 302, headers: { Location: "/" } }), 302],
    ] as const
  ) {
    assertEquals((await answer(responses, result)).status, status);
  }
  assertEquals((await answer({ 204: "Done", 304: "Same" }, undefined)).status, 204);
  assertEquals((await answer({ 304: "Same" }, reply(304))).status, 304);
});

Deno.test("implement() runs its middleware before the checks, and shows it the outputs after next()", async () => {
  const seen: unknown[] = [];
  const secret: Middleware = async (event, _context, next) => {
    if (event.header("Authorization") === undefined) throw new HttpUnauthorizedError();
    seen.push(event.queryPayload());
    const answer = await next();
    seen.push(event.queryPayload());
    return answer;
  };
  const api = {
    "POST /": { body: z.object({ n: z.coerce.number() }), responses: { 204: "Done" } },
  } as const satisfies ApiDescription;
  const table = implement(api, { "POST /": () => {} }, { use: [secret] });
  const handler = proxyHandler(routes(table), { clientErrorLevel: "off" });
  const ask = async (body: string, headers = {}) =>
    (await call(handler, { method: "POST", url: "/", headers, body })).status;
  // An anonymous caller learns nothing of the schema.
  assertEquals(await ask("{}"), 401);
  assertEquals(await ask('{"n":"7"}', { Authorization: "x" }), 204);
  assertEquals(seen, [{ n: "7" }, { n: 7 }]);
});

Deno.test("implement() refuses withMiddleware() inside, which would run after the checks", async () => {
  const api = { "GET /": { responses: { 200: Order } } } as const satisfies ApiDescription;
  const inner = withMiddleware([], () => ({ id: 7, item: "tea" }));
  const expected = "expected the option use instead of withMiddleware()";
  assertThrows(
    // @ts-expect-error A described route does not return answers.
    () => implement(api, { "GET /": inner }),
    TypeError,
    `Invalid route "GET /": ${expected}`,
  );
  const hidden = { "GET /": (...args: Parameters<typeof inner>) => inner(...args) };
  // @ts-expect-error A described route does not return answers.
  const handler = proxyHandler(routes(implement(api, hidden)));
  const { result, records } = await captureLog(() => call(handler, { url: "/" }));
  assertEquals(result.status, 500);
  assertMatch(JSON.stringify(records), /the option use instead of withMiddleware/);
});

Deno.test("implement() does not read a part of the request that has no schema", async () => {
  const api = { "POST /": { responses: { 204: "Done" } } } as const satisfies ApiDescription;
  const handler = proxyHandler(routes(implement(api, { "POST /": () => {} })));
  const headers = { "Content-Type": "image/png" };
  const response = await call(handler, { method: "POST", url: "/?x", headers, body: "no JSON" });
  assertEquals(response.status, 204);
});

Deno.test("implement() refuses a wrong description, table or option, and names the key", () => {
  const route = () => {};
  const schema = z.unknown();
  const responses = { 200: schema };
  const make = (api: unknown, table: unknown, options?: unknown) => () =>
    implement(api as never, table as never, options as never);
  const about = (description: unknown, key = "GET /") =>
    make({ [key]: description }, { [key]: route });
  for (
    const [run, message] of [
      [make([], { "GET /": route }), "Invalid API: expected a plain object, got an array"],
      [make({}, {}), 'Invalid table: expected an object such as { "GET /orders/{id}": route }'],
      [make({}, []), "Invalid table: expected an object such as"],
      [make({}, { "GET /x": route }), 'Invalid route "GET /x": expected a key of the API'],
      [make({}, { toString: route }), 'Invalid route "toString": expected a key of the API'],
      [
        make({ "GET /": { responses } }, { "GET /": 7 }),
        'Invalid route "GET /": expected a function, got a number',
      ],
      [make({ "GET /": { responses } }, { "GET /": route }, { uses: [] }), 'Unknown option "uses"'],
      [make({ "GET /": { responses } }, { "GET /": route }, { use: [7] }), "Invalid use: expected"],
      [about({ responses }, "ANY /"), 'Invalid description of "ANY /": expected one exact method'],
      [about(7), 'Invalid description of "GET /": expected a plain object, got a number'],
      [about({}), 'Invalid description of "GET /", responses: expected an object with a response'],
      [about({ responses: {} }), 'Invalid description of "GET /", responses: expected an object'],
      ...["199", "400", "x", "2e2", "200.5"].map((status) =>
        [
          about({ responses: { [status]: schema } }),
          `Invalid description of "GET /", responses, "${status}": expected a status from 200 to 399`,
        ] as const
      ),
      ...[204, 205, 304].map((status) =>
        [
          about({ responses: { [status]: schema } }),
          `Invalid description of "GET /", responses, ${status}: expected a sentence`,
        ] as const
      ),
      [
        about({ responses: { 200: {} } }),
        'Invalid description of "GET /", responses, 200: expected a sentence or a Standard Schema',
      ],
      ...["path", "query", "headers", "body"].map((part) =>
        [
          about({ responses, [part]: { type: "object" } }),
          `Invalid description of "GET /", ${part}: expected a Standard Schema`,
        ] as const
      ),
      [about({ responses, id: 7 }), 'Invalid description of "GET /", id: expected a string'],
      [
        about({ responses, tags: "x" }),
        'description of "GET /", tags: expected an array of string',
      ],
      [
        about({ responses, boby: schema }),
        'Invalid description of "GET /", "boby": expected one of',
      ],
    ] as const
  ) {
    assertThrows(run, TypeError, message);
  }
  // The descriptions of other keys belong to other functions.
  make({ "GET /": { responses }, "GET /x": 7 }, { "GET /": route })();
});

Deno.test("implement() makes the compiler refuse wrong keys, results and statuses", () => {
  const State = z.object({ state: z.enum(["new", "done"]) });
  const api = {
    "GET /a/{id}": { responses: { 200: State, 303: "Elsewhere" } },
    "GET /b": { responses: { 204: "Done" } },
  } as const satisfies ApiDescription;
  const key = "GET /a/{id}";
  implement(api, { [key]: (event) => ({ state: event.pathParameters().id ? "new" : "done" }) });
  implement(api, { [key]: () => reply(200, { state: "new" }, { headers: { A: "b" } }) });
  implement(api, { [key]: () => Math.random() < 1 ? reply(303) : reply(404, { any: "thing" }) });
  implement(api, { [key]: () => new Response() });
  implement(api, { "GET /b": async () => await Promise.resolve() });
  // @ts-expect-error The variable has another name.
  implement(api, { [key]: (event) => void event.pathParameters().nr });
  // @ts-expect-error The state is another.
  implement(api, { [key]: () => ({ state: "old" }) });
  // @ts-expect-error The payload of 200 is another.
  implement(api, { [key]: () => reply(200, { state: "old" }) });
  // @ts-expect-error The status is not described.
  implement(api, { [key]: () => reply(201, { state: "new" }) });
  // @ts-expect-error A sentence describes a response without a payload.
  implement(api, { [key]: () => reply(303, { state: "new" }) });
  // @ts-expect-error No response has no content.
  implement(api, { [key]: () => undefined });
  // @ts-expect-error The response has no content.
  implement(api, { "GET /b": () => ({}) });
  // @ts-expect-error A key has one exact method.
  ({ "ANY /": { responses: {} } }) satisfies ApiDescription;
  assertThrows(
    // @ts-expect-error The API lacks the key.
    () => implement(api, { "GET /c": () => reply(303) }),
    TypeError,
    "expected a key of the API",
  );
});
