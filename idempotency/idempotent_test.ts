import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { runInNewContext } from "node:vm";
import * as z from "zod";
import type { FnContext } from "../function/mod.ts";
import {
  asResponse,
  buildHttpResponse,
  fetchHandler,
  type FnProxyEvent,
  HttpConflictError,
  HttpGoneError,
  HttpRequestEntityTooLargeError,
  HttpServiceUnavailableError,
  HttpTooManyRequestsError,
  implement,
  type Middleware,
  problemDetails,
  proxyHandler,
  reply,
  routes,
} from "../gateway/mod.ts";
import { type FnQueueRecord, queueHandler, type QueueResult } from "../queue/mod.ts";
import { call, captureLog, createContext, queueEvent } from "../testing/mod.ts";
import {
  IdempotencyInProgressError,
  IdempotencyPayloadError,
  IdempotencyResultError,
  type IdempotencyStore,
  idempotent,
  memoryStore,
} from "./mod.ts";

/** Its time does not run out, however long the tests before this file take. */
const context = createContext({ getRemainingTimeInMillis: () => 30_000 });
const key = (id: string) => id;
const RAW = {
  httpMethod: "GET",
  path: "/",
  headers: {},
  body: null,
  requestContext: { httpMethod: "GET", path: "/" },
};

/** A store that keeps what it was asked. */
function spy(store = memoryStore()) {
  const asked: unknown[][] = [];
  const proxy = Object.fromEntries(
    (["claim", "complete", "release"] as const).map((name) => [name, (...args: unknown[]) => {
      asked.push([name, ...args]);
      return (store[name] as (...args: unknown[]) => unknown)(...args);
    }]),
  ) as unknown as IdempotencyStore;
  return { store: proxy, asked };
}

Deno.test("idempotent() runs the work unguarded if the key is undefined", async () => {
  let count = 0;
  const { store, asked } = spy();
  const guarded = idempotent(() => ++count, { store, key: () => undefined });
  assertEquals([await guarded("", context), await guarded("", context)], [1, 2]);
  assertEquals(asked, []);
});

Deno.test("idempotent() refuses a key that is not text, and the work does not run", async () => {
  let count = 0;
  for (const [bad, got] of [[null, "null"], ["", "an empty string"], [7, "a number"]] as const) {
    const guarded = idempotent(() => ++count, { store: memoryStore(), key: () => bad as string });
    const error = await assertRejects(() => guarded("", context), TypeError);
    const expected = "expected text that is not empty, or undefined";
    assertEquals((error as Error).message, `Invalid key: ${expected}, got ${got}`);
  }
  assertEquals(count, 0);
});

Deno.test("idempotent() claims a key until the deadline, and for 15 minutes without a context", async () => {
  for (
    const [given, left] of [[context, context.getRemainingTimeInMillis()], [
      undefined,
      900_000,
    ]] as const
  ) {
    const { store, asked } = spy();
    await idempotent(() => {}, { store, key })("1", given as FnContext);
    const { until } = asked[0]![2] as { until: number };
    assert(Math.abs(until - Date.now() - left) < 1_000, String(until - Date.now()));
  }
});

Deno.test("idempotent() keeps a result for an hour, or as long as the option says", async () => {
  for (const [options, seconds] of [[{}, 3_600], [{ expires: 60 }, 60]] as const) {
    const { store, asked } = spy();
    await idempotent(() => {}, { store, key, ...options })("1", context);
    const { expires } = asked[1]![3] as { expires: number };
    assert(Math.abs(expires - Date.now() / 1_000 - seconds) < 2, String(expires));
  }
});

Deno.test("idempotent() keeps replies and built responses as they were made", async () => {
  const results = [
    () => reply(201, { id: 7 }, { headers: { Location: "/7" }, cookies: ["a=1", "b=2"] }),
    () => reply(200, "<p>tea</p>", { type: "text/html", headers: undefined }),
    () => reply(204),
    () => buildHttpResponse(418, "tea", { extraHeaders: { "X-A": "1" } }),
    () => asResponse({ statusCode: 302, headers: { Location: "/" } }),
    () => ({ statusCode: "data" }),
    () => ({ payment: 1, note: undefined, at: new Date(0) }),
    () => new Uint8Array([0, 255]),
    () => reply(200, new Uint8Array([0, 255]), { type: "image/png", cookies: ["a=1"] }),
    () => undefined,
  ];
  for (const make of results) {
    let count = 0;
    const route = (_event: FnProxyEvent) => (count++, make());
    const expected = proxyHandler(make as () => object);
    const options = { store: memoryStore(), key: () => "1" };
    for (
      const handler of [
        proxyHandler(idempotent(route as () => object, options)),
        idempotent(proxyHandler(route as () => object), { ...options, store: memoryStore() }),
      ]
    ) {
      for (let attempt = 0; attempt < 2; attempt++) {
        const [ours, theirs] = await Promise.all([
          call(handler as never, { url: "/" }),
          call(expected, { url: "/" }),
        ]);
        assertEquals(ours.status, theirs.status);
        assertEquals([...ours.headers], [...theirs.headers]);
        assertEquals(await ours.text(), await theirs.text());
      }
    }
    assertEquals(count, 2, "once for each store");
  }
});

Deno.test("idempotent() gives the first call what a repeat gets: the result as JSON writes it", async () => {
  class Order {
    id = 7;
    #secret = 5;
    total() {
      return this.#secret;
    }
  }
  class Empty {}
  const results: unknown[] = [
    undefined,
    null,
    NaN,
    { payment: 1, note: undefined, at: new Date(0) },
    { list: [undefined, -Infinity, { a: undefined }] },
    // deno-lint-ignore no-sparse-arrays
    [, 1],
    new Order(),
    new Empty(),
    { order: new Order(), url: new URL("https://a.example/"), keys: [{ toJSON: String }] },
    new Date(NaN),
    Object.assign(Object.create(null), { a: "\ud800" }),
    JSON.parse('{"__proto__":{"a":1}}'),
  ];
  for (const result of results) {
    let count = 0;
    const guarded = idempotent(() => (count++, result), { store: memoryStore(), key });
    const text = JSON.stringify(result); // the oracle
    const expected = text === undefined ? undefined : JSON.parse(text);
    const unguarded = idempotent(() => result, { store: memoryStore(), key: () => undefined });
    assertEquals(await guarded("1", context), expected);
    assertEquals(await guarded("1", context), expected);
    assertEquals(await unguarded("1", context), expected);
    assertEquals(count, 1);
  }
});

Deno.test("idempotent() gives bytes back as bytes", async () => {
  for (const bytes of [new Uint8Array([0, 128, 255]), Buffer.from([0, 128, 255])]) {
    const guarded = idempotent(() => bytes, { store: memoryStore(), key });
    for (let attempt = 0; attempt < 2; attempt++) {
      const given = await guarded("1", context);
      assertEquals([given.constructor, [...given]], [Uint8Array, [0, 128, 255]]);
    }
  }
});

Deno.test("idempotent() never runs work again whose result JSON cannot carry", async () => {
  const cycle: unknown[] = [];
  cycle.push({ cycle });
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const results: [unknown, string][] = [
    [1n, "result: expected a value that JSON can carry, got a bigint"],
    [() => {}, "got a function"],
    [Symbol("a"), "got a symbol"],
    [{ a: [{ b: () => {} }] }, "result.a[0].b: "],
    [cycle, "got a cycle"],
    [deep, "got more than 1000 levels"],
    [new Map([[1, 2]]), "got an instance of Map"],
    [new Set(), "got an instance of Set"],
    [/x/, "got an instance of RegExp"],
    [new Headers(), "got an instance of Headers"],
    [new Blob(), "got an instance of Blob"],
    [new Error("secret"), "got an instance of Error"],
    [new Uint16Array(2), "got an instance of Uint16Array"],
    [{ bytes: new Uint8Array(2) }, "result.bytes: "],
    [{ bytes: Buffer.from("a") }, "result.bytes: "],
    [new Response("tea"), "got an instance of Response"],
    [new ReadableStream(), "got an instance of ReadableStream"],
    [(async function* () {})(), "got an instance of AsyncGenerator"],
    [
      new (class Cursor {
        async *[Symbol.asyncIterator]() {}
      })(),
      "got an instance of Cursor",
    ],
    [reply(200, [new Uint8Array(2)]), "reply.payload[0]: "],
    [reply(200, new ReadableStream()), "reply.payload: "],
  ];
  for (const [result, problem] of results) {
    if (typeof (result as { toJSON?: unknown }).toJSON === "function") continue; // on Bun, some classes have it
    let count = 0;
    const { store, asked } = spy();
    const guarded = idempotent((_: string) => (count++, result), {
      store,
      key: () => "1",
      payload: (payload) => payload,
    });
    const { message } = await assertRejects(() => guarded("a", context), TypeError) as Error;
    assert(message.startsWith("Cannot keep the re") && message.includes(problem), message);
    assert(message.length < 400, message);
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await assertRejects(() => guarded("a", context), IdempotencyResultError);
      assertEquals((error as IdempotencyResultError).status, 500);
    }
    await assertRejects(() => guarded("b", context), IdempotencyPayloadError);
    assertEquals(count, 1);
    assertEquals(asked.slice(0, 3).map(([method]) => method), ["claim", "complete", "claim"]);
  }
});

Deno.test("idempotent() rejects with the error of toJSON(), and never runs the work again", async () => {
  let count = 0;
  const failure = new Error("no text");
  const work = () => {
    count++;
    return {
      toJSON() {
        throw failure;
      },
    };
  };
  const guarded = idempotent(work, { store: memoryStore(), key });
  assertEquals(await guarded("1", context).catch((error) => error), failure);
  await assertRejects(() => guarded("1", context), IdempotencyResultError);
  assertEquals(count, 1);
});

Deno.test("idempotent() takes two keys for two, and refuses lone surrogates", async () => {
  let count = 0;
  const guarded = idempotent(() => ++count, { store: memoryStore(), key });
  for (const bad of ["\ud800", "a\udfff", "\udc00\ud800"]) {
    const error = await assertRejects(() => guarded(bad, context), TypeError);
    assertEquals((error as Error).message, "Invalid key: expected text without lone surrogates");
  }
  assertEquals([await guarded("\u{1f375}", context), await guarded("\ufffd", context)], [1, 2]);
});

Deno.test("idempotent() never keeps a result shorter than the option says", async () => {
  const { now } = Date;
  const { store, asked } = spy();
  try {
    Date.now = () => 1_000_001;
    await idempotent(() => {}, { store, key, expires: 60 })("1", context);
  } finally {
    Date.now = now;
  }
  assertEquals((asked[1]![3] as { expires: number }).expires, 1_061);
});

Deno.test("idempotent() passes the errors of a store on, but the error of the work first", async () => {
  const broken = (method: string) => ({
    ...memoryStore(),
    [method]: () => Promise.reject(new Error(`Cannot ${method}`)),
  });
  const fail = () => {
    throw new Error("no money");
  };
  const cases = [
    ["claim", fail, "Cannot claim"],
    ["complete", () => {}, "Cannot complete"],
    ["release", fail, "no money"],
  ] as const;
  for (const [method, work, message] of cases) {
    const guarded = idempotent(work, { store: broken(method), key });
    assertEquals((await assertRejects(() => guarded("1", context)) as Error).message, message);
  }
});

Deno.test("idempotent() keeps the claim if the store fails after the work", async () => {
  let count = 0;
  const { store, asked } = spy({
    ...memoryStore(),
    complete: () => Promise.reject(new Error("Throttled")),
  });
  const guarded = idempotent(() => ++count, { store, key });
  await assertRejects(() => guarded("1", context), Error, "Throttled");
  await assertRejects(() => guarded("1", context), IdempotencyInProgressError);
  const completes = Array(5).fill("complete"); // the result, three times more, and that there is none
  assertEquals(asked.map(([method]) => method), ["claim", ...completes, "claim"]);
  assertEquals(count, 1);
});

/** A store whose writes of results fail so often, with numbered errors. */
function failingStore(failures: number) {
  const store = memoryStore();
  return spy({
    ...store,
    complete: (...args) =>
      failures-- > 0 ? Promise.reject(new Error(`Throttled ${failures}`)) : store.complete(...args),
  });
}

Deno.test("idempotent() writes the same result again if the write fails, up to three times", async () => {
  for (const [failures, count] of [[1, 2], [2, 3], [3, 4]] as const) {
    const { store, asked } = failingStore(failures);
    const guarded = idempotent(() => ({ paid: 5 }), { store, key });
    assertEquals(await guarded("1", context), { paid: 5 });
    assertEquals(await guarded("1", context), { paid: 5 });
    const written = asked.filter(([method]) => method === "complete").map(([, ...args]) => args);
    assertEquals(written.map(([, , result]) => (result as { result: string }).result), [
      ...Array(count).fill('{"value":{"paid":5}}'),
    ]);
  }
});

Deno.test("idempotent() rejects with the first error of the store after four writes, and marks the key as done", async () => {
  const { store, asked } = failingStore(4);
  const guarded = idempotent(() => 1, { store, key });
  await assertRejects(() => guarded("1", context), Error, "Throttled 3");
  await assertRejects(() => guarded("1", context), IdempotencyResultError);
  const results = asked.filter(([method]) => method === "complete").map(([, , , result]) => result);
  assertEquals(results.map((result) => (result as { result: string }).result), [
    ...Array(4).fill('{"value":1}'),
    '{"kind":"none"}',
  ]);
});

Deno.test("idempotent() does not write again after the deadline, or if another call has the claim", async () => {
  const late = failingStore(1);
  const noTime = createContext({ getRemainingTimeInMillis: () => 10 });
  await assertRejects(
    () => idempotent(() => 1, { store: late.store, key })("1", noTime),
    Error,
    "Throttled 0",
  );
  assertEquals(late.asked.map(([method]) => method), ["claim", "complete", "complete"]);
  const { store, asked } = spy({
    ...memoryStore(),
    complete: () => Promise.reject(new IdempotencyInProgressError()),
  });
  const guarded = idempotent(() => 1, { store, key });
  await assertRejects(() => guarded("1", context), IdempotencyInProgressError);
  assertEquals(asked.map(([method]) => method), ["claim", "complete"]);
});

Deno.test("idempotent() marks a key as done also if the first write of a missing result fails", async () => {
  const { store } = failingStore(1);
  const guarded = idempotent(() => [1n] as unknown as number, { store, key });
  await assertRejects(() => guarded("1", context), TypeError, "got a bigint");
  await assertRejects(() => guarded("1", context), IdempotencyResultError);
});

Deno.test("idempotent() frees the key if a handler answered a thrown error, whatever the status, and keeps what a route returned", async () => {
  const options = { clientErrorLevel: "off" } as const;
  const problem: Middleware = async (_event, _context, next) => {
    const answer = await next();
    return answer.error === undefined ? answer : reply(200, "Sorry");
  };
  const described = implement(
    { "GET /": { responses: { 200: z.object({ a: z.number() }) } } } as const,
    { "GET /": () => ({ a: "no number" }) as never },
  );
  const cases: [name: string, route: unknown, status: number, isKept: boolean, use?: Middleware][] =
    [
      ["a thrown 503", () => Promise.reject(new HttpServiceUnavailableError()), 503, false],
      ["a thrown 429", () => Promise.reject(new HttpTooManyRequestsError()), 429, false],
      ["a returned error", () => new HttpConflictError(), 409, false],
      ["a foreign error", () => Promise.reject(new Error("down")), 500, false],
      ["a thrown text", () => Promise.reject("down"), 500, false],
      ["a request that is no form", (event: FnProxyEvent) => event.formData(), 415, false],
      [
        "an error as a problem",
        () => Promise.reject(new HttpGoneError()),
        410,
        false,
        problemDetails(),
      ],
      [
        "an error that became a success",
        () => Promise.reject(new HttpGoneError()),
        200,
        false,
        problem,
      ],
      [
        "an error of a middleware",
        () => 1,
        429,
        false,
        () => Promise.reject(new HttpTooManyRequestsError()),
      ],
      [
        "a stream that fails at once",
        async function* () {
          yield await Promise.reject(new Error("down"));
        },
        500,
        false,
      ],
      ["a returned 503", () => reply(503), 503, true],
      ["a returned 429", () => reply(429, { again: 60 }), 429, true],
      ["a built 503", () => buildHttpResponse(503, "down"), 503, true],
      ["a standard 503", () => new Response(null, { status: 503 }), 503, true],
      // The work is done, and would be done again.
      ["a result that JSON cannot carry", () => new Map(), 500, true],
      ["a result that its description refuses", routes(described), 500, true],
    ];
  for (const [name, route, status, isKept, use] of cases) {
    let count = 0;
    const counted: Middleware = (_event, _context, next) => (count++, next());
    const { store, asked } = spy();
    const handler = proxyHandler(route as () => string, {
      ...options,
      use: [counted, ...use ? [use] : []],
    });
    const guarded = idempotent(handler, { store, key: () => "1" });
    const { result } = await captureLog(async () => [
      await guarded(RAW, context),
      await guarded(RAW, context),
    ]);
    assertEquals(result.map(({ statusCode }) => statusCode), [status, status], name);
    assertEquals(count, isKept ? 1 : 2, name);
    const methods = isKept
      ? ["claim", "complete", "claim"]
      : ["claim", "release", "claim", "release"];
    assertEquals(asked.map(([method]) => method), methods, name);
    assertEquals(Object.keys(result[0]!).toSorted(), [
      "body",
      "headers",
      "isBase64Encoded",
      "statusCode",
    ]);
  }
  const application = fetchHandler(() => {
    throw new HttpServiceUnavailableError();
  });
  const { store, asked } = spy();
  await captureLog(() => idempotent(application, { store, key: () => "1" })(RAW, context));
  assertEquals(asked.map(([method]) => method), ["claim", "release"]);
});

Deno.test("idempotent() frees the key of a batch with failures", async () => {
  let count = 0;
  const handler = queueHandler(() => {
    if (++count === 1) throw new Error("down");
  });
  const guarded = idempotent(handler, { store: memoryStore(), key: () => "1" });
  const { result } = await captureLog(async () => {
    const reports: QueueResult[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      reports.push(await guarded(queueEvent(), context));
    }
    return reports.map(({ batchItemFailures }) => batchItemFailures.length);
  });
  assertEquals([result, count], [[1, 0, 0], 2]);
});

Deno.test("idempotent() returns the failure of a handler and logs a warning if the key cannot be freed", async () => {
  const release = () => {
    throw new Error("Cannot release");
  };
  const handler = proxyHandler(() => Promise.reject(new HttpTooManyRequestsError()), {
    clientErrorLevel: "off",
  });
  const guarded = idempotent(handler, { store: { ...memoryStore(), release }, key: () => "1" });
  const { result, records } = await captureLog(() => guarded(RAW, context));
  assertEquals(result.statusCode, 429);
  assertEquals(records.map(({ level, message, errorMessage }) => [level, message, errorMessage]), [
    ["WARN", "Cannot release the key of work that failed", "Cannot release"],
  ]);
});

Deno.test("idempotent() keeps boxed values as JSON writes them", async () => {
  const other = runInNewContext("[new Number(7), new String('x'), new Boolean(false)]") as unknown;
  const result = { a: Object(1), b: Object("x"), c: Object(false), d: Object(NaN), other };
  const guarded = idempotent(() => result as unknown, { store: memoryStore(), key: () => "1" });
  const kept = JSON.parse(JSON.stringify(result));
  assertEquals([await guarded("", context), await guarded("", context)], [kept, kept]);
  const bigint = idempotent(() => Object(1n) as unknown, { store: memoryStore(), key: () => "1" });
  await assertRejects(() => bigint("", context), TypeError, "JSON can carry");
});

Deno.test("idempotent() answers 413 to a payload that is nested too deeply, before the claim and the work", async () => {
  const { store, asked } = spy();
  const guarded = idempotent(() => 1, {
    store,
    key: (_: string) => "1",
    payload: (text) => JSON.parse(text),
  });
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  for (const levels of [1_001, 1_000_000]) {
    const error = await assertRejects(() => guarded(deep(levels), context));
    assert(error instanceof HttpRequestEntityTooLargeError, String(error));
  }
  assertEquals(asked, []);
  assertEquals(await guarded(deep(1_000), context), 1);
});

Deno.test("idempotent() refuses a payload that JSON cannot carry, before the claim and the work", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = { cycle };
  const payloads: [unknown, string][] = [
    [new FormData(), " payload: expected a value that JSON can carry, got an instance of FormData"],
    [new Map([["a", 1]]), " payload: expected a value that JSON can carry, got an instance of Map"],
    [{ tags: [new Set([1])] }, " payload.tags[0]: "],
    [{ tags: [undefined] }, " payload.tags[0]: "],
    [new Headers({ a: "1" }), "got an instance of Headers"],
    [new URLSearchParams("a=1"), "got an instance of URLSearchParams"],
    [{ later: Promise.resolve(1) }, " payload.later: "],
    [{ bytes: new Uint8Array(2) }, " payload.bytes: "],
    [new ArrayBuffer(2), "got an instance of ArrayBuffer"],
    [{ amount: 5n }, " payload.amount: expected a value that JSON can carry, got a bigint"],
    [5n, " payload: "],
    [NaN, " payload: expected a value that JSON can carry, got NaN"],
    [() => 1, "got a function"],
    [cycle, " payload.self.cycle: expected a value that JSON can carry, got a cycle"],
  ];
  let count = 0;
  for (const [payload, problem] of payloads) {
    if (typeof (payload as { toJSON?: unknown }).toJSON === "function") continue; // on Bun, some classes have it
    const { store, asked } = spy();
    const guarded = idempotent(() => ++count, { store, key, payload: () => payload });
    const { message } = await assertRejects(() => guarded("1", context), TypeError) as Error;
    assert(message.startsWith("Cannot compare the payload") && message.includes(problem), message);
    assertEquals(asked, []);
  }
  assertEquals(count, 0);
});

Deno.test("idempotent() compares payloads only if both calls have one, as after a change of the options", async () => {
  const compared = { payload: (input: string) => input };
  for (const [first, second] of [[compared, {}], [{}, compared]]) {
    const store = memoryStore();
    const work = (input: string) => input;
    const run = (options: object) => idempotent(work, { store, key: () => "1", ...options });
    assertEquals(await run(first!)("a", context), "a");
    assertEquals(await run(second!)("b", context), "a");
  }
});

Deno.test("idempotent() compares payloads as JSON, and bytes as bytes", async () => {
  class Order {
    b = 1;
    a = 2;
  }
  const twice = [1];
  const pairs: [first: unknown, second: unknown, areEqual: boolean][] = [
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [new Order(), { a: 2, b: 1 }, true],
    [{ at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }, true],
    [[twice, twice], [[1], [1]], true],
    [undefined, undefined, true],
    [undefined, "undefined", false],
    [undefined, null, false],
    [Promise.resolve("a"), "a", true],
    [Promise.resolve("a"), Promise.resolve("b"), false],
    [new Uint8Array([255, 1]), new Uint8Array([255, 1]), true],
    [new Uint8Array([255, 1]), new Uint8Array([255, 2]), false],
    [new TextEncoder().encode('{"a":1}'), { a: 1 }, false],
    [{ a: 1 }, new TextEncoder().encode('{"a":1}'), false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}'), false],
  ];
  for (const [index, [first, second, areEqual]] of pairs.entries()) {
    const payload = (input: unknown) => input;
    const guarded = idempotent(() => "done", { store: memoryStore(), key: () => "1", payload });
    await guarded(first, context);
    const outcome = await guarded(second, context).catch((error) => error);
    assertEquals(outcome === "done", areEqual, `pair ${index}`);
    assert(areEqual || outcome instanceof IdempotencyPayloadError, `pair ${index}: ${outcome}`);
  }
});

Deno.test("idempotent() guards the work of a queue: a repeated delivery does nothing", async () => {
  const done: string[] = [];
  const handler = queueHandler(idempotent((record: FnQueueRecord) => {
    const isFirst = !done.includes(record.messageId());
    done.push(record.messageId());
    if (isFirst && record.messageId() === "1") throw new Error("no money");
  }, { store: memoryStore(), key: (record) => record.messageId() }));
  const event = queueEvent([{ messageId: "1" }, { messageId: "2" }]);
  const reports: QueueResult[] = [];
  await captureLog(async () => {
    for (let attempt = 0; attempt < 3; attempt++) reports.push(await handler(event, context));
  });
  assertEquals(done.toSorted(), ["1", "1", "2"], "messages side by side have no order");
  const failures = reports.map(({ batchItemFailures }) => batchItemFailures.length);
  assertEquals(failures, [1, 0, 0]);
});

Deno.test("idempotent() refuses wrong options when the function is made", () => {
  const store = memoryStore();
  const cases = [
    [null, { store, key }, "Invalid work: expected a function, got null"],
    [key, null, "Invalid options: expected a plain object"],
    [key, { store, key, expire: 5 }, 'Unknown option "expire": expected one of store, key'],
    [key, { key }, "Invalid store: expected an object with claim(), complete() and release()"],
    [key, { store: { claim() {} }, key }, "Invalid store: "],
    [key, { store }, "Invalid key: expected a function, got undefined"],
    [key, { store, key, payload: "id" }, "Invalid payload: expected a function, got a string"],
    ...[0, -1, 1.5, NaN, "60"].map((expires) =>
      [key, { store, key, expires }, `Invalid expires ${expires}: expected a whole number`] as const
    ),
  ] as const;
  for (const [work, options, message] of cases) {
    const error = assertThrows(() => idempotent(work as never, options as never), TypeError);
    assert((error as Error).message.startsWith(message), (error as Error).message);
  }
});
