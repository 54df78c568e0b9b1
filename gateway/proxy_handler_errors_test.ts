import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  answer,
  CANNED,
  eventsOf,
  fail,
  HTML_ONLY,
  JSON_UTF8,
  request,
} from "./testdata/events.ts";
import {
  type FnProxyEvent,
  HttpBadGatewayError,
  HttpBadRequestError,
  HttpClientError,
  HttpConflictError,
  HttpError,
  HttpNotFoundError,
  HttpServerError,
  HttpServiceUnavailableError,
} from "./mod.ts";

/** The property with the kind of an error, for all copies of the library. */
const KIND = Symbol.for("@mate/core/gateway/http-error/1");

Deno.test("proxyHandler() answers a client error with its message, and logs it", async () => {
  for (
    const [error, status, message] of [
      [new HttpNotFoundError("No such dish"), 404, "No such dish"],
      [new HttpConflictError(), 409, "Conflict"],
      [new HttpClientError(418, "I am a teapot"), 418, "I am a teapot"],
      [new (class extends HttpBadRequestError {})("own class"), 400, "own class"],
      [new HttpError(405, "Not that way"), 405, "Not that way"],
      [new (class extends HttpError {})(499, "own class"), 499, "own class"],
    ] as const
  ) {
    const { result, records: log } = await answer(fail(error), {
      options: { clientMessage: "not this", extraHeaders: { "X-A": "1" } },
    });
    assertEquals([result.statusCode, JSON.parse(result.body)], [status, { Message: message }]);
    assertEquals(result.headers["X-A"], "1");
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["ERROR", "id-1"]]);
    assertStringIncludes(String(log[0]!.message), message);
  }
});

Deno.test("the record of a client error has status, method and path below the stage", async () => {
  for (const [name, { event }] of Object.entries(eventsOf("PUT", {}, "/orders/7"))) {
    if (name === "lattice") Object.assign(event, { path: "/orders/7?token=secret" });
    const { records } = await answer(fail(new HttpNotFoundError("No")), { event });
    const data = { status: 404, method: "PUT", path: "/orders/7" };
    assertEquals(records.map((record) => record["data"]), [data], name);
  }
  const event = request(); // neither a method nor a path
  const { records } = await answer(fail(new HttpNotFoundError("No")), { event });
  assertEquals(records.map((record) => record["data"]), [{ status: 404 }]);
});

Deno.test("proxyHandler() answers a returned error as a thrown one", async () => {
  for (
    const [error, status] of [
      [new HttpNotFoundError("No such dish"), 404],
      [{ [KIND]: "client", status: 404, message: "No" }, 404], // of another copy of the library
      [new HttpServiceUnavailableError("db-7 is down"), 503],
      [Object.assign(new Error("x"), { code: 5 }), 500],
    ] as const
  ) {
    const thrown = await answer(fail(error));
    const returned = await answer(() => error);
    assertEquals(thrown.result.statusCode, status);
    assertEquals({ ...returned.result }, { ...thrown.result });
    assertEquals(returned.records.length, 1);
  }
});

Deno.test("proxyHandler() answers a malformed payload with 400, without the payload", async () => {
  const event = { headers: {}, body: "{secret" };
  const { result } = await answer((event: FnProxyEvent) => event.queryPayload(), { event });
  assertEquals(result.statusCode, 400);
  assert(!result.body.includes("secret"));
});

Deno.test("proxyHandler() answers a server error with the client message, and logs the cause", async () => {
  const cause = new Error("db-7 refused the connection");
  for (const clientMessage of [undefined, "Please try again", ""]) {
    const { result, records: log } = await answer(
      fail(new HttpServiceUnavailableError("db-7 is down", { cause })),
      { options: { clientMessage } },
    );
    assertEquals(result.statusCode, 503);
    assertEquals(JSON.parse(result.body), { Message: clientMessage ?? CANNED });
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["FATAL", "id-1"]]);
    assertEquals(log[0]!.message, "INTERNAL ERROR: db-7 is down.");
    assertStringIncludes(JSON.stringify(log[0]), cause.message);
  }
});

Deno.test("proxyHandler() knows the errors of another copy of the library by their symbol", async () => {
  for (
    const [kind, status, message] of [
      ["client", 404, "secret of db-7"],
      ["server", 503, CANNED],
      ["client", 503, CANNED],
    ] as const
  ) {
    const error = Object.assign(new Error("secret of db-7"), { status, [KIND]: kind });
    const { result } = await answer(fail(error));
    assertEquals(JSON.parse(result.body), { Message: message }, `${kind} ${status}`);
    assertEquals(result.statusCode, status);
  }
});

/** A function that throws. */
const raise = (thrown: unknown) => (): never => {
  throw thrown;
};

/** An object whose property cannot be read. */
const broken = (target: object, name: string) =>
  Object.defineProperty(target, name, { get: raise(new Error("unreadable")) });

Deno.test("proxyHandler() answers any other thrown value with 500, and logs it", async () => {
  const cases: [name: string, thrown: unknown, logged: string, status?: number][] = [
    ["an error", new TypeError("secret detail"), "secret detail"],
    ["a foreign status", Object.assign(new Error("secret"), { status: 404 }), "secret"],
    ["an HttpError of status 500", new HttpError(500, "secret"), "secret"],
    ["an HttpError of status 503", new HttpError(503, "secret"), "secret", 503],
    ["an HttpError without an error's status", new HttpError(200, "secret"), "secret"],
    ["an HttpError beyond the statuses", new HttpError(600, "secret"), "secret"],
    ["a client error of status 503", new HttpClientError(503, "secret"), "secret", 503],
    ["a client error of status 302", new HttpClientError(302, "secret"), "secret"],
    ["a client error of half a status", new HttpClientError(404.5, "secret"), "secret"],
    ["a client error of a text", new HttpClientError("404" as never, "secret"), "secret"],
    ["a server error of status 404", new HttpServerError(404, "secret"), "secret"],
    ["a server error of status 200", new HttpServerError(200, "secret"), "secret"],
    ["an object like a response", { statusCode: 404, body: "secret" }, "secret"],
    ["a string", "secret", "secret"],
    ["undefined", undefined, "Internal Server Error"],
    ["null", null, "Internal Server Error"],
    ["a symbol", Symbol("secret"), "secret"],
    ["a bigint", 5n, "5"],
    ["a function", () => {}, "Internal Server Error"],
    ["no message", new Error(""), "Internal Server Error"],
    ["a symbol as message", Object.assign(new Error(), { message: Symbol("s") }), ""],
    ["an unreadable message", broken(new Error(), "message"), ""],
    ["an unreadable server error", broken(new HttpBadGatewayError(), "message"), "", 502],
    ["an invalid client status", new HttpClientError(799, "secret"), "secret"],
    ["a client error of status 500", new HttpClientError(500, "secret"), "secret"],
    ["an invalid server status", new HttpServerError(NaN, "secret"), "secret"],
  ];
  for (const [name, thrown, logged, status = 500] of cases) {
    for (const route of [raise(thrown), fail(thrown)]) {
      const { result, records: log } = await answer(route, {
        options: { extraHeaders: { "X-A": "1" } },
      });
      assertEquals(result.statusCode, status, name);
      assertEquals(JSON.parse(result.body), { Message: CANNED }, name);
      assertEquals(result.headers["X-A"], "1", name);
      assert(log.length >= 1 && log.at(-1)!.level === "FATAL", `${name}: ${JSON.stringify(log)}`);
      assert(log.every(({ requestId }) => requestId === "id-1"), name);
      assertStringIncludes(JSON.stringify(log), logged);
    }
  }
});

Deno.test("proxyHandler() logs the thrown value as a cause, and no frames before those of its author", async () => {
  const { records: log } = await answer(
    fail(new RangeError("secret", { cause: new Error("root") })),
  );
  assertEquals(log.map(({ message }) => message), ["INTERNAL ERROR: secret."]);
  assertEquals(log[0]!["errorType"], "HttpInternalServerError");
  assertEquals(log[0]!["stackTrace"], ["HttpInternalServerError: secret"]);
  const { stackTrace } = log[0]!["cause"] as { stackTrace: string[] };
  assertStringIncludes(stackTrace[1]!, "proxy_handler_errors_test.ts");
  const chain = JSON.stringify(log[0]!["cause"]);
  assertStringIncludes(chain, "RangeError");
  assertStringIncludes(chain, "root");
});

Deno.test("proxyHandler() answers an event that is not a request with 500, before the route runs", async () => {
  for (
    const event of [
      null,
      undefined,
      "GET /",
      [],
      new Map(),
      {},
      { source: "aws.events", "detail-type": "Scheduled Event", detail: {} },
      { Records: [{ s3: {} }] },
      { headers: "x" },
      { headers: ["x"] },
      { headers: { Accept: ["text/html"] } },
    ]
  ) {
    let ran = false;
    const { result, records: log } = await answer(() => void (ran = true), { event });
    assertEquals([result.statusCode, JSON.parse(result.body)], [500, { Message: CANNED }]);
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["FATAL", "id-1"]]);
    assertEquals(ran, false, JSON.stringify(event));
  }
  const event = { headers: { "Accept-Encoding": 5 } };
  const { result } = await answer(() => "x".repeat(1000), { event });
  assertEquals(result.statusCode, 500, "the route ran, but its answer cannot be negotiated");
  const short = await answer(() => "done", { event });
  assertEquals(short.result.statusCode, 200, "a short content does not read Accept-Encoding");
});

Deno.test("proxyHandler() falls back to JSON if a transformer throws at every payload", async () => {
  const { result, records: log } = await answer(() => ({}), {
    event: HTML_ONLY,
    options: {
      customTransformers: { "text/html": raise(new Error("broken template")) },
      extraHeaders: { "X-A": "1" },
      clientMessage: "Sorry",
    },
  });
  assertEquals({ ...result }, {
    statusCode: 500,
    headers: { "Content-Type": JSON_UTF8, "X-A": "1" },
    body: '{\n  "Message": "Sorry"\n}',
    isBase64Encoded: false,
  });
  assertEquals(log.map(({ message }) => message), [
    "INTERNAL ERROR: Cannot answer an error.",
    "INTERNAL ERROR: broken template.",
  ]);
});

Deno.test("proxyHandler() uses the transformer for the error if it throws at a payload alone", async () => {
  const html = (payload: unknown) =>
    [(payload as { Message: string }).Message.toUpperCase(), "text/html"] as const;
  const options = { customTransformers: { "text/html": html } };
  const { result } = await answer(() => ({ a: 1 }), { event: HTML_ONLY, options });
  assertEquals([result.statusCode, result.body], [500, CANNED.toUpperCase()]);
});
