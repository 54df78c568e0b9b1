import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { answer as run, ask, chunks, eventWith, fail, request } from "../testdata/events.ts";
import { captureLog } from "../../testing/mod.ts";
import {
  type Answer,
  asResponse,
  buildHttpResponse,
  cors,
  etag,
  HttpBadGatewayError,
  HttpConflictError,
  HttpNotFoundError,
  type Middleware,
  proxyHandler,
  reply,
  routes,
  streamHandler,
  withMiddleware,
} from "../mod.ts";

/** A middleware that hands the answer inside to a function. */
const after = (change: (answer: Answer) => unknown): Middleware => async (_event, _context, next) =>
  await change(await next()) as ReturnType<Middleware>;

/** A middleware that marks its answer. */
const mark: Middleware = after((answer) => {
  answer.headers.set("X-Outer", "1");
  return answer;
});

const levelsOf = (log: readonly { level: unknown }[]) => log.map(({ level }) => level);

Deno.test("use runs middleware from the outside to the inside and back, with the event and the context", async () => {
  const seen: unknown[] = [];
  const log = (name: string): Middleware => async (event, context, next) => {
    seen.push(`${name} before ${event.header("x-a")} ${context.awsRequestId}`);
    const answer = await next();
    seen.push(`${name} after ${answer.status}`);
    return answer;
  };
  const route = () => void seen.push("route");
  await run(route, { event: request({ "X-A": "1" }), options: { use: [log("a"), log("b")] } });
  assertEquals(seen, [
    "a before 1 id-1",
    "b before 1 id-1",
    "route",
    "b after 204",
    "a after 204",
  ]);
});

Deno.test("a middleware gets the event, the context and next(), and nothing else", async () => {
  const counts: number[] = [];
  const counting = (...given: Parameters<Middleware>) => {
    counts.push(given.length);
    return given[2]();
  };
  for (
    const use of [[counting], [counting, cors({ origins: "*" })], [
      cors({ origins: "*" }),
      counting,
    ]]
  ) {
    await ask(() => 1, { use });
  }
  assertEquals(counts, [3, 3, 3]);
});

Deno.test("a middleware answers by itself with anything that a route may return", async () => {
  for (
    const [own, status, body] of [
      [{ a: 1 }, 200, '{\n  "a": 1\n}'],
      [reply(201, "x", { type: "text/plain" }), 201, "x"],
      [new Response("x", { status: 202 }), 202, "x"],
      [buildHttpResponse(203, 1), 203, "1"],
      [asResponse({ statusCode: 302 }), 302, ""],
      [new Uint8Array([1]), 200, "AQ=="],
      [chunks("x"), 200, "eA=="],
      [null, 200, "null"],
    ] as const
  ) {
    let ran = false;
    const { result, records } = await ask(() => ran = true, {
      use: [mark, () => own],
      extraHeaders: { "X-Extra": "1" },
    });
    assertEquals([result.statusCode, result.body, ran], [status, body, false]);
    assertEquals([result.headers["X-Outer"], result.headers["X-Extra"]], ["1", "1"]);
    assertEquals(records, []);
  }
});

Deno.test("a middleware that returns a function is an error that says to call it", async () => {
  const makesOne = () => etag(); // has no mark, so only its result tells
  const inRoute = routes({ "GET /orders": withMiddleware([makesOne as never], () => 1) });
  for (
    const [name, route, use] of [
      ["in use", () => 1, [mark, makesOne as never]],
      ["around a route", inRoute, [mark]],
    ] as const
  ) {
    const { result, records } = await ask(route, { use });
    assertEquals([result.statusCode, result.headers["X-Outer"]], [500, "1"], name);
    assertEquals(records.length, 1, name);
    assertStringIncludes(
      String(records[0]!.message),
      "expected a reply, got a function: call it, as in `use: [etag()]`",
    );
  }
});

Deno.test("next() gives the answer negotiated, not compressed, with text, bytes and types", async () => {
  const headers = { Accept: "text/html", "Accept-Encoding": "gzip" };
  const html = (payload: unknown) => [`<p>${JSON.stringify(payload)}`, "text/html"] as const;
  let seen: Answer | undefined;
  const use = [after((answer) => seen = answer)];
  const long = "x".repeat(2000);
  const { result } = await ask(() => [long], { use, customTransformers: { "text/html": html } }, {
    headers,
  });
  assertEquals([seen!.content, seen!.contentType], [`<p>["${long}"]`, "text/html"]);
  assertEquals([seen!.status, seen!.error], [200, undefined]);
  assertEquals(result.headers["Content-Encoding"], "gzip");
  for (
    const [route, content] of [
      [() => new Response("text"), "text"],
      [() => new Response(new Uint8Array([255]), { headers: { "content-type": "image/png" } }), 1],
      [() => reply(200, chunks("a", "b"), { type: "text/plain" }), "ab"],
    ] as const
  ) {
    await ask(route, { use });
    const given = seen!.content;
    assertEquals(typeof given === "string" ? given : (given as Uint8Array).length, content);
  }
});

Deno.test("a middleware may assign status, content and contentType, and change header fields", async () => {
  const { result } = await ask(() => reply(200, 1, { headers: { "x-a": "1", "X-B": "1" } }), {
    use: [
      after((answer) => {
        answer.status = 202;
        answer.content = "<p>";
        answer.contentType = "text/html; charset=utf-8";
        const { headers } = answer;
        headers.set("X-A", "2");
        headers.append("X-B", "2");
        headers.append("Set-Cookie", "a=1");
        headers.append("set-cookie", "b=2");
        headers.set("X-C", "1");
        headers.delete("x-c");
        headers.vary("Cookie");
        headers.vary("cookie");
        assertEquals([headers.get("X-a"), headers.get("x-b"), headers.get("x-c")], [
          "2",
          "1, 2",
          null,
        ]);
        assertEquals([headers.has("X-A"), headers.has("X-C")], [true, false]);
        assertEquals(headers.getSetCookie(), ["a=1", "b=2"]);
        assertEquals([...headers].find(([name]) => name === "X-B"), ["X-B", ["1", "2"]]);
        return answer;
      }),
    ],
  });
  assertEquals([result.statusCode, result.body, result.isBase64Encoded], [202, "<p>", false]);
  assertEquals(result.headers, {
    "x-a": "2",
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept, Cookie",
  });
  assertEquals(result.multiValueHeaders, { "X-B": ["1", "2"], "Set-Cookie": ["a=1", "b=2"] });
});

Deno.test("next() never rejects: every failure inside is an answer with its error", async () => {
  const thrown = new RangeError("x");
  const lost = new HttpNotFoundError();
  const accept = { Accept: "image/png" };
  for (
    const [name, route, use, headers, status, error] of [
      ["a thrown error", fail(thrown), [], {}, 500, thrown],
      ["a client error", fail(lost), [], {}, 404, lost],
      ["a returned error", () => lost, [], {}, 404, lost],
      ["an inner middleware", () => 1, [fail(lost)], {}, 404, lost],
      ["a returned error of a middleware", () => 1, [() => lost], {}, 404, lost],
      ["an unacceptable type", () => 1, [], accept, 406, "HttpNotAcceptableError"],
      ["no JSON", () => new Map(), [], {}, 500, "TypeError"],
      ["no route", routes({ "GET /x": () => 1 }), [], {}, 404, "HttpNotFoundError"],
      ["undefined", fail(undefined), [], {}, 500, "HttpInternalServerError"],
      ["null", fail(null), [], {}, 500, null],
    ] as const
  ) {
    let seen: Answer | undefined;
    const outer = after((answer) => (seen = answer, answer.headers.set("X-Outer", "1")));
    const { result, records } = await ask(route, { use: [outer, ...use] }, { headers });
    assertEquals([result.statusCode, result.headers["X-Outer"]], [status, "1"], name);
    const given = typeof error === "string" ? (seen!.error as Error).name : seen!.error;
    assertEquals(given, error, name);
    assertEquals(levelsOf(records), [status === 500 ? "FATAL" : "ERROR"], name);
  }
});

Deno.test("an unacceptable payload of a route with several types is a 406 with an error", async () => {
  let seen: Answer | undefined;
  const use = [after((answer) => seen = answer)];
  const types = ["image/png", "application/json"];
  const headers = { Accept: "image/png" };
  const { result, records } = await ask(() => ({}), { use, types }, { headers });
  assertEquals([result.statusCode, (seen!.error as Error).name], [406, "HttpNotAcceptableError"]);
  assertEquals(levelsOf(records), ["ERROR"]);
});

Deno.test("an error of a middleware is answered whatever the client accepts", async () => {
  const headers = { Accept: "image/png" };
  const { result } = await ask(() => 1, { use: [fail(new HttpConflictError())] }, { headers });
  assertEquals(result.statusCode, 409);
});

Deno.test("a thrown value replaces the answer inside, and both errors are logged", async () => {
  const first = new Error("first");
  const success = () => 1;
  for (
    const [name, route, second, status, messages] of [
      ["after a success", success, new HttpConflictError("second"), 409, ["second"]],
      ["after an error", fail(first), new HttpConflictError("second"), 409, [
        "INTERNAL ERROR: first.",
        "second",
      ]],
      [
        "with the cause",
        fail(first),
        new HttpBadGatewayError("second", { cause: first }),
        502,
        ["INTERNAL ERROR: second."],
      ],
      [
        "with a far cause",
        fail(first),
        new Error("second", { cause: new Error("x", { cause: first }) }),
        500,
        ["INTERNAL ERROR: second."],
      ],
      [
        "as the cause of a client error",
        fail(first),
        new HttpConflictError("second", { cause: first }),
        409,
        ["second"],
      ],
      ["the same error", fail(first), first, 500, ["INTERNAL ERROR: first."]],
    ] as const
  ) {
    for (const how of [after(fail(second)), after(() => second)]) {
      const { result, records } = await ask(route, { use: [mark, how] });
      assertEquals([result.statusCode, result.headers["X-Outer"]], [status, "1"], name);
      assertEquals(records.map(({ message }) => message), [...messages], name);
      assertEquals(JSON.stringify(records).includes("first"), route !== success, name);
    }
  }
});

Deno.test("nothing after next() keeps its answer, and nothing without next() is an error", async () => {
  const kept = await ask(() => 7, { use: [after(() => undefined)] });
  assertEquals(kept.result.body, "7");
  const { result, records } = await ask(() => 7, { use: [mark, () => undefined] });
  assertEquals([result.statusCode, result.headers["X-Outer"]], [500, "1"]);
  assertStringIncludes(String(records[0]!.message), "return await next()");
});

Deno.test("next() throws at once if it is called twice, also without await", async () => {
  let runs = 0;
  for (
    const twice of [
      async (_event, _context, next) => {
        await next();
        return await next();
      },
      (_event, _context, next) => {
        next();
        return next();
      },
    ] as Middleware[]
  ) {
    const { result, records } = await ask(() => ++runs, { use: [twice] });
    assertEquals(result.statusCode, 500);
    assertStringIncludes(String(records[0]!.message), "Cannot call next() twice");
  }
  assertEquals(runs, 2);
});

Deno.test("an error is logged once, with the status of the answer", async () => {
  for (
    const [name, change, status, levels] of [
      ["another status", (answer: Answer) => void (answer.status = 404), 404, ["ERROR"]],
      ["a failure", (answer: Answer) => void (answer.status = 503), 503, ["FATAL"]],
      ["a success", (answer: Answer) => void (answer.status = 200), 200, []],
      ["another reply", () => reply(409, "x"), 409, ["ERROR"]],
      ["a failing reply", () => reply(503, "x"), 503, ["FATAL"]],
      ["a replaced success", () => ({ a: 1 }), 200, []],
      ["nothing", () => {}, 500, ["FATAL"]],
    ] as const
  ) {
    let seen: Answer | undefined;
    const use = [after((answer) => seen = answer), after(change)];
    const { result, records } = await ask(fail(new Error("the original")), { use });
    assertEquals(result.statusCode, status, name);
    assertEquals(levelsOf(records), [...levels], name);
    assert(!result.body.includes("original"), name);
    assertEquals((seen!.error as Error).message, "the original", name);
    if (status === 404) {
      assertEquals(records[0]!["data"], { status: 404, method: "GET", path: "/orders" });
    }
  }
});

Deno.test("an event that is not an object runs no middleware", async () => {
  let ran = false;
  const use: Middleware[] = [(_event, _context, next) => (ran = true, next())];
  for (const event of [null, "x", [], new Map()]) {
    const { result } = await run(() => 1, { event, options: { use } });
    assertEquals([result.statusCode, ran], [500, false]);
  }
});

Deno.test("what a middleware assigns is checked when it returns, so that outer fields are on the 500", async () => {
  for (
    const [name, change, problem] of [
      ["a status", (answer: Answer) => void (answer.status = 99), "Invalid status 99"],
      ["an interim status", (answer: Answer) => void (answer.status = 103), "Invalid status 103"],
      ["text", (answer: Answer) => void (answer.status = "200" as never), 'Invalid status "200"'],
      ["an object", (answer: Answer) => void (answer.content = {} as never), "Invalid content"],
      [
        "nothing",
        (answer: Answer) => void (answer.content = undefined as never),
        "Invalid content",
      ],
      ["a type", (answer: Answer) => void (answer.contentType = "a\nb"), "Content-Type"],
      ["a name", ({ headers }: Answer) => headers.set("X A", "1"), 'Invalid header name "X A"'],
      ["a value", ({ headers }: Answer) => headers.append("X-A", "\r\n"), "X-A"],
      ["a number", ({ headers }: Answer) => headers.set("X-A", 5 as never), "expected a string"],
      ["a copy", (answer: Answer) => ({ ...answer }), "instead of a copy"],
      [
        "a copy in a wrapper",
        (answer: Answer) => ({ ...answer, status: 201 }),
        "instead of a copy",
      ],
      ["an error of a stream", (answer: Answer) => {
        answer.content = chunks(new Error("no disk")) as never;
      }, "no disk"],
    ] as const
  ) {
    const { result, records } = await ask(() => 1, { use: [mark, after(change)] });
    assertEquals([result.statusCode, result.headers["X-Outer"]], [500, "1"], name);
    assertStringIncludes(String(records[0]!.message), problem, name);
  }
});

Deno.test("a content that a middleware makes a stream is collected by proxyHandler()", async () => {
  const change = (answer: Answer) => void (answer.content = chunks("a", "b") as never);
  assertEquals((await ask(() => 1, { use: [after(change)] })).result.body, "ab");
});

Deno.test("a built response arrives as it was built, and is not compressed", async () => {
  let seen: Answer | undefined;
  const use = [after((answer) => seen = answer)];
  const text = "x".repeat(5000);
  const built = asResponse({
    statusCode: 201,
    headers: { "content-type": "text/plain", "X-A": "1" },
    multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
    body: text,
  });
  const headers = { "Accept-Encoding": "gzip" };
  const { result } = await ask(() => built, { use }, { headers });
  assertEquals([seen!.status, seen!.content, seen!.contentType], [201, text, "text/plain"]);
  assertEquals([result.statusCode, result.body, result.isBase64Encoded], [201, text, false]);
  assertEquals(result.headers, { "content-type": "text/plain", "X-A": "1" });
  assertEquals(result.multiValueHeaders, { "Set-Cookie": ["a=1", "b=2"] });
});

Deno.test("a middleware may answer before the route is done, and a late error is logged", async () => {
  let done = () => {};
  const late = new Promise<never>((_, reject) => done = () => reject(new Error("too late")));
  const timeout: Middleware = (_event, _context, next) =>
    Promise.race([next(), Promise.resolve(reply(503, "Too slow"))]);
  const { result, records } = await captureLog(async () => {
    const response = await proxyHandler(() => late, { use: [timeout] })(request());
    done();
    await new Promise((resolve) => setTimeout(resolve));
    return response;
  });
  assertEquals(result.statusCode, 503);
  assertEquals(records.map(({ message }) => message), ["INTERNAL ERROR: too late."]);
});

/** A content that knows whether it was stopped. */
class Source {
  isStopped = false;

  async *chunks(...parts: (string | Error)[]) {
    try {
      yield* chunks(...parts);
    } finally {
      this.isStopped = true;
    }
  }
}

/** The text of the response of `streamHandler()`, and whether the source was stopped. */
async function stream(parts: (string | Error)[], ...use: Middleware[]) {
  const source = new Source();
  const route = () => reply(200, source.chunks(...parts), { type: "text/plain" });
  const { result, records } = await captureLog(async () => {
    const { prelude, body } = await streamHandler(route, { use: [mark, ...use] })(eventWith());
    const text = await new Response(ReadableStream.from(body) as never).text();
    return { prelude, text };
  });
  return { ...result, records, isStopped: source.isStopped };
}

Deno.test("a middleware sees a streamed content as chunks of bytes, after its first chunk", async () => {
  const upper = after((answer) => {
    const content = answer.content as AsyncIterable<Uint8Array>;
    answer.content = (async function* () {
      for await (const chunk of content) {
        yield new TextEncoder().encode(new TextDecoder().decode(chunk).toUpperCase());
      }
    })();
  });
  const { prelude, text, isStopped } = await stream(["a", "b"], upper);
  assertEquals([prelude.statusCode, prelude.headers["X-Outer"], text], [200, "1", "AB"]);
  assertEquals(isStopped, true);
  let seen: Answer | undefined;
  const failed = await stream([new RangeError("no disk")], after((answer) => void (seen = answer)));
  assertEquals([failed.prelude.statusCode, failed.prelude.headers["X-Outer"]], [500, "1"]);
  assertEquals((seen!.error as Error).message, "no disk");
  assertEquals(failed.records.length, 1);
});

Deno.test("a source is told to stop if nobody will read it", async () => {
  for (
    const [name, change, status] of [
      ["a status without a content", (answer: Answer) => void (answer.status = 204), 204],
      ["not modified", (answer: Answer) => void (answer.status = 304), 304],
      ["another content", (answer: Answer) => void (answer.content = ""), 200],
      ["another reply", () => reply(201), 201],
      ["an error", fail(new HttpNotFoundError()), 404],
    ] as const
  ) {
    const { prelude, isStopped } = await stream(["a", "b"], after(change));
    assertEquals([prelude.statusCode, isStopped], [status, true], name);
  }
});

Deno.test("a reply that is made of a streamed content reads it to its end", async () => {
  const { text, prelude } = await stream(
    ["a", "b", "c"],
    after(({ content }) => reply(201, content, { type: "text/plain" })),
  );
  assertEquals([prelude.statusCode, text], [201, "abc"]);
});
