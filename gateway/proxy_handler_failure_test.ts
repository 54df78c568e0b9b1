import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { answer, HTML_ONLY, JSON_UTF8 } from "./testdata/events.ts";
import * as gateway from "./mod.ts";
import type { FnProxyEvent, ProxyHandlerOptions, ProxyResult } from "./mod.ts";

const CANNED = "The server failed to answer this request";

for (
  const [error, status, message] of [
    [new gateway.HttpNotFoundError("No such dish"), 404, "No such dish"],
    [new gateway.HttpConflictError(), 409, "Conflict"],
    [new gateway.HttpClientError(418, "I am a teapot"), 418, "I am a teapot"],
    [new (class extends gateway.HttpBadRequestError {})("own class"), 400, "own class"],
  ] as const
) {
  Deno.test(`proxyHandler() answers ${error} with its message`, async () => {
    const { result, log } = await answer(() => Promise.reject(error), {
      options: { clientMessage: "not this", extraHeaders: { "X-A": "1" } },
    });
    assertEquals([result.statusCode, JSON.parse(result.body)], [status, { Message: message }]);
    assertEquals(result.headers["X-A"], "1");
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["ERROR", "id-1"]]);
    assertStringIncludes(log[0]!.message, message);
  });
}

Deno.test("proxyHandler() answers a malformed payload with 400", async () => {
  const event = { headers: {}, body: "{secret" };
  const { result } = await answer((event: FnProxyEvent) => event.queryPayload(), { event });
  assertEquals(result.statusCode, 400);
  assert(!result.body.includes("secret"));
});

for (const clientMessage of [undefined, "Please try again", ""]) {
  Deno.test(`proxyHandler() answers a server error with the client message ${clientMessage}`, async () => {
    const cause = new Error("db-7 refused the connection");
    const { result, log } = await answer(() => {
      throw new gateway.HttpServiceUnavailableError("db-7 is down", { cause });
    }, { options: { clientMessage } });
    assertEquals(result.statusCode, 503);
    assertEquals(JSON.parse(result.body), { Message: clientMessage ?? CANNED });
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["FATAL", "id-1"]]);
    assertEquals(log[0]!.message, "INTERNAL ERROR: db-7 is down.");
    assertStringIncludes(JSON.stringify(log[0]), cause.message);
  });
}

const unreadable = new Proxy(new Error("x"), {
  get: () => {
    throw new Error("unreadable");
  },
  getPrototypeOf: () => {
    throw new Error("unreadable");
  },
});

/** Things thrown that are no HTTP error, and what the log must say of each. */
const FOREIGN: [string, unknown, string][] = [
  ["an error", new TypeError("secret detail"), "secret detail"],
  [
    "an error with a status of its own",
    Object.assign(new Error("secret"), { status: 404 }),
    "secret",
  ],
  ["an HttpError that is neither kind", new gateway.HttpError(404, "secret"), "secret"],
  ["an object that looks like a response", { statusCode: 404, body: "secret" }, "secret"],
  ["a string", "secret", "secret"],
  ["undefined", undefined, "Internal Server Error"],
  ["null", null, "Internal Server Error"],
  ["a symbol", Symbol("secret"), "secret"],
  ["a bigint", 5n, "5"],
  ["a function", () => {}, "Internal Server Error"],
  ["an error without message", new Error(""), "Internal Server Error"],
  ["an error whose message is a symbol", Object.assign(new Error(), { message: Symbol("s") }), ""],
  [
    "an error whose message throws",
    Object.defineProperty(new Error(), "message", {
      get: () => {
        throw new Error("unreadable");
      },
    }),
    "",
  ],
  [
    "a server error whose message throws",
    Object.defineProperty(new gateway.HttpBadGatewayError(), "message", {
      get: () => {
        throw new Error("unreadable");
      },
    }),
    "",
  ],
  ["a proxy that throws", unreadable, ""],
  ["a client error whose status is none", new gateway.HttpClientError(799, "secret"), "secret"],
  ["a server error whose status is none", new gateway.HttpServerError(NaN, "secret"), "secret"],
];

for (const [name, thrown, logged] of FOREIGN) {
  Deno.test(`proxyHandler() answers ${name}, thrown, with a 500 or its status, and logs it`, async () => {
    for (
      const route of [() => {
        throw thrown;
      }, () => Promise.reject(thrown)]
    ) {
      const { result, log } = await answer(route, { options: { extraHeaders: { "X-A": "1" } } });
      assertEquals(result.statusCode, name.startsWith("a server error whose message") ? 502 : 500);
      assertEquals(JSON.parse(result.body), { Message: CANNED });
      assertEquals(result.headers["X-A"], "1");
      assert(log.length >= 1 && log.at(-1)!.level === "FATAL", JSON.stringify(log));
      assert(log.every(({ requestId }) => requestId === "id-1"));
      assertStringIncludes(JSON.stringify(log), logged);
    }
  });
}

Deno.test("proxyHandler() logs the thrown value as a cause", async () => {
  const { log } = await answer(() => {
    throw new RangeError("secret", { cause: new Error("root") });
  });
  assertEquals(log.length, 1);
  assertEquals(log[0]!.message, "INTERNAL ERROR: secret.");
  assertEquals(log[0]!["errorType"], "HttpInternalServerError");
  const chain = JSON.stringify(log[0]!["cause"]);
  assertStringIncludes(chain, "RangeError");
  assertStringIncludes(chain, "root");
});

for (
  const [name, event] of [
    ["null", null],
    ["undefined", undefined],
    ["a string", "GET /"],
    ["an array", []],
    ["a map", new Map()],
    ["an empty object", {}],
    ["a schedule", { source: "aws.events", "detail-type": "Scheduled Event", detail: {} }],
    ["a notification", { Records: [{ s3: {} }] }],
    ["headers that are a string", { headers: "x" }],
    ["headers that are an array", { headers: ["x"] }],
    ["an Accept that is a list", { headers: { Accept: ["text/html"] } }],
    ["an Accept-Encoding that is a number", { headers: { "Accept-Encoding": 5 } }],
    [
      "headers that throw",
      {
        get headers() {
          throw new Error("unreadable");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy({}, {
        getPrototypeOf: () => {
          throw new Error("unreadable");
        },
      }),
    ],
  ] as const
) {
  Deno.test(`proxyHandler() answers 500 to an event that is no request: ${name}`, async () => {
    let ran = false;
    const { result, log } = await answer(() => {
      ran = true;
      return "done";
    }, { event });
    assertEquals([result.statusCode, JSON.parse(result.body)], [500, { Message: CANNED }]);
    assertEquals(log.map(({ level, requestId }) => [level, requestId]), [["FATAL", "id-1"]]);
    assertEquals(ran, name === "an Accept-Encoding that is a number");
  });
}

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

for (
  const [name, result] of [
    ["a cycle", cycle],
    ["a bigint", { a: 5n }],
    ["a function", () => {}],
    ["a toJSON that throws", {
      toJSON: () => {
        throw new Error("unreadable");
      },
    }],
    ["a status that throws", {
      get statusCode() {
        throw new Error("unreadable");
      },
    }],
    ["a then that throws", {
      get then() {
        throw new Error("unreadable");
      },
    }],
  ] as const
) {
  Deno.test(`proxyHandler() answers 500 to a result that no response can carry: ${name}`, async () => {
    const { result: response, log } = await answer(() => result);
    assertEquals([response.statusCode, JSON.parse(response.body)], [500, { Message: CANNED }]);
    assertEquals(log.map(({ level }) => level), ["FATAL"]);
  });
}

Deno.test("proxyHandler() falls back to JSON where a transformer throws at everything", async () => {
  const { result, log } = await answer(() => ({}), {
    event: HTML_ONLY,
    options: {
      customTransformers: {
        "text/html": () => {
          throw new Error("broken template");
        },
      },
      extraHeaders: { "X-A": "1" },
      clientMessage: "Sorry",
    },
  });
  assertEquals(result, {
    statusCode: 500,
    headers: { "Content-Type": JSON_UTF8, "X-A": "1" },
    body: '{\n  "Message": "Sorry"\n}',
    isBase64Encoded: false,
  });
  assertEquals(log.map(({ message }) => message), [
    "INTERNAL ERROR: broken template.",
    "INTERNAL ERROR: Cannot build the response to an error.",
  ]);
});

Deno.test("proxyHandler() falls back where a transformer throws at a payload alone", async () => {
  const { result } = await answer(() => ({ a: 1 }), {
    event: HTML_ONLY,
    options: {
      customTransformers: {
        "text/html": (
          payload: { Message?: string },
        ) => [payload.Message!.toUpperCase(), "text/html"],
      },
    } as ProxyHandlerOptions<ProxyResult>,
  });
  assertEquals([result.statusCode, result.body], [500, CANNED.toUpperCase()]);
});
