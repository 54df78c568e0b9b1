import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ask, fail } from "../testdata/events.ts";
import {
  buildHttpResponse,
  cors,
  type CorsOptions,
  HttpConflictError,
  type Middleware,
  type ProxyRoute,
  reply,
  routes,
} from "../mod.ts";

Deno.test("cors() marks the response of each route, wherever it stands", async () => {
  const shop = cors({ origins: "*" });
  const seen: unknown[] = [];
  const pass: Middleware = async (_event, _context, next) => {
    const answer = await next();
    seen.push(answer.headers.get("Access-Control-Allow-Origin"), answer.status);
    return answer;
  };
  const wrapped: Middleware = (event, context, next) => shop(event, context, next);
  const works = {
    now: () => 1,
    later: () => Promise.resolve(1),
    error: fail(new HttpConflictError()),
  };
  for (const [name, route] of Object.entries<ProxyRoute>(works)) {
    for (
      const use of [[shop], [shop, shop], [pass, shop], [shop, pass], [pass, wrapped], [
        pass,
        wrapped,
        shop,
      ]]
    ) {
      seen.length = 0;
      const { result } = await ask(route, { use, clientErrorLevel: "off" });
      const status = name === "error" ? 409 : 200;
      assertEquals([result.statusCode, result.headers["Access-Control-Allow-Origin"]], [
        status,
        "*",
      ], name);
      const inner = use[1] === pass ? null : "*";
      assertEquals(seen, use.includes(pass) ? [inner, status] : []);
    }
  }
});

Deno.test("cors() hands an error on to the middleware around it, whose reply has the status of the record", async () => {
  const taken: Middleware = async (_event, _context, next) => {
    await next();
    return reply(409, "Taken");
  };
  const use = [taken, cors({ origins: "*" })];
  const { result, records } = await ask(fail(new Error("the original")), { use });
  assertEquals(result.statusCode, 409);
  assertEquals(records.map(({ level, message }) => [level, message]), [
    ["ERROR", "the original"],
  ]);
});

Deno.test("cors() answers preflights before the route, and marks every response", async () => {
  const origin = "https://app.example";
  let count = 0;
  const route = () => ++count;
  const options: CorsOptions = {
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
  const answer = await ask(route, { use: [cors(options)] }, {
    method: "OPTIONS",
    headers: preflight,
  });
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
  const refused = await ask(route, { use: [cors(options)] }, { method: "OPTIONS", headers: evil });
  assertEquals([refused.result.statusCode, count], [204, 0]);
  assert(!JSON.stringify(refused.result).includes("Access-Control-Allow"));

  for (
    const [name, route] of Object.entries({
      payload: (): number => 1,
      later: () => Promise.resolve(1),
      error: fail(new HttpConflictError()),
      failure: fail(new Error("x")),
      response: () => new Response("x"),
      built: () => buildHttpResponse(200, 1, { extraHeaders: { Vary: "X-A" } }),
    })
  ) {
    const allowed =
      (await ask(route, { use: [cors(options)] }, { headers: { Origin: origin } })).result.headers;
    const marks = Object.entries(allowed).filter(([field]) => field.startsWith("Access-Control-"));
    assertEquals(Object.fromEntries(marks), {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": "X-Total",
    }, name);
    assert(allowed["Vary"]!.includes("Origin"), name);
    for (const headers of [{ Origin: "https://evil.example" }, {}] as Record<string, string>[]) {
      const other = (await ask(route, { use: [cors(options)] }, { headers })).result.headers;
      assertEquals(other["Access-Control-Allow-Origin"], undefined, name);
      assert(other["Vary"]!.includes("Origin"), name);
    }
  }
});

Deno.test("cors() takes all origins, a function, and lists of methods and headers", async () => {
  const headers = {
    Origin: "https://a.example",
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "X-A",
  };
  const preflight = async (options: CorsOptions) =>
    (await ask(() => 1, { use: [cors(options)] }, { method: "OPTIONS", headers })).result.headers;
  const all = await preflight({ origins: "*", methods: ["GET", "PUT"], headers: ["X-A", "X-C"] });
  assertEquals(all["Access-Control-Allow-Origin"], "*");
  assertEquals(all["Access-Control-Allow-Methods"], "GET, PUT");
  assertEquals(all["Access-Control-Allow-Headers"], "X-A, X-C");
  const some = await preflight({ origins: (origin) => origin.endsWith("a.example") });
  assertEquals(some["Access-Control-Allow-Origin"], "https://a.example");
  const none = await preflight({ origins: () => false });
  assertEquals(none["Access-Control-Allow-Origin"], undefined);
  // Pages of Capacitor and of extensions have origins of other schemes.
  for (
    const origin of ["capacitor://localhost", "null", "http://[::1]:8080", "https://a.example"]
  ) {
    const request = { headers: { Origin: origin } };
    const { result } = await ask(() => 1, { use: [cors({ origins: [origin] })] }, request);
    assertEquals(result.headers["Access-Control-Allow-Origin"], origin);
  }
  // A preflight has both headers.
  const { Origin, "Access-Control-Request-Method": method } = headers;
  for (const headers of [{}, { Origin }, { "Access-Control-Request-Method": method }]) {
    const request = { method: "OPTIONS", headers: headers as Record<string, string> };
    const { result } = await ask(() => 1, { use: [cors({ origins: "*" })] }, request);
    assertEquals([result.statusCode, result.headers["Access-Control-Allow-Origin"]], [200, "*"]);
  }
});

Deno.test("cors() allows nothing and runs no route if the function returns no boolean", async () => {
  for (
    const [origins, kind] of [
      [async () => await false, "an instance of Promise"],
      [async () => await true, "an instance of Promise"],
      [() => "no", "a string"],
      [() => 1, "a number"],
      [() => {}, "undefined"],
    ] as const
  ) {
    let ran = false;
    const use = [cors({ origins: origins as never, credentials: true })];
    for (const method of ["GET", "OPTIONS"]) {
      const headers = { Origin: "https://evil.example", "Access-Control-Request-Method": "PUT" };
      const { result, records } = await ask(() => ran = true, { use }, { method, headers });
      assertEquals([result.statusCode, ran], [500, false], kind);
      assert(!JSON.stringify(result).includes("Access-Control-Allow"), kind);
      const problem = `Invalid result of origins(): expected a boolean, got ${kind}`;
      assertStringIncludes(String(records[0]!.message), problem);
      assertEquals(records.length, 1);
    }
  }
});

Deno.test("cors() marks the response if a transformer fails", async () => {
  const raise = (): never => {
    throw new Error("x");
  };
  const headers = { Origin: "https://a.example" };
  for (const failing of [{ customTransformers: { "*/*": raise } }]) {
    const { result } = await ask(raise, { use: [cors({ origins: "*" })], ...failing }, { headers });
    assertEquals(result.statusCode, 500);
    assertEquals(result.headers["Access-Control-Allow-Origin"], "*");
  }
});

const ORIGIN = 'an origin such as "https://app.example"; for all, "*"; for subdomains, a function';

Deno.test("cors() refuses invalid options", () => {
  const origins = "*";
  for (
    const [options, problem] of [
      [undefined, "Invalid options: expected a plain object"],
      [true, "Invalid options: expected a plain object"],
      [{ origins, origin: "*" }, 'Unknown option "origin": expected one of origins, credentials'],
      ...[
        ["", "a.example", "https://a.example/", "https://A.example", "https://a.example\n"],
        ["*", "https://*.example.com", "https://a.example:443", "http://a.example:80", "file://"],
        ["https://ada@a.example", "https://a.example?", "https://bücher.example", "https://", 5],
      ].flat().map((origin) =>
        [
          { origins: [origin] },
          `Invalid item ${JSON.stringify(origin)} in origins: expected ${ORIGIN}`,
        ] as const
      ),
      ...[undefined, null, "https://a.example"].map((origins) =>
        [
          { origins },
          `Invalid option origins: expected an array of strings, each ${ORIGIN}`,
        ] as const
      ),
      [{ origins, credentials: true }, "Invalid option origins: expected names"],
      [{ origins, credentials: "no" }, "Invalid option credentials"],
      [{ origins, methods: "GET" }, "Invalid option methods"],
      ...["GET, PUT", "get", "patch", "Patch", ""].map((method) =>
        [
          { origins, methods: ["GET", method] },
          `Invalid item "${method}" in methods: expected a method in upper case`,
        ] as const
      ),
      [{ origins, headers: [5] }, "Invalid item 5 in headers: expected a token"],
      [{ origins, headers: ["X A"] }, 'Invalid item "X A" in headers: expected a token'],
      [{ origins, exposeHeaders: ["a\n"] }, 'Invalid item "a\\n" in exposeHeaders'],
      [{ origins, maxAge: -1 }, "Invalid option maxAge"],
      [{ origins, maxAge: 0.5 }, "Invalid option maxAge"],
    ] as const
  ) {
    assertThrows(() => cors(options as never), TypeError, problem, JSON.stringify(options));
  }
});

Deno.test("cors() leaves out requested names that are not tokens, and reflects no line break", async () => {
  const preflight = {
    Origin: "https://a.example",
    "Access-Control-Request-Method": "PUT\r\nX-Evil: 1",
    "Access-Control-Request-Headers": "X-A, X B,, X-C\r\nX-Evil: 1, X-D",
  };
  const use = [cors({ origins: () => true })];
  const { result } = await ask(() => 1, { use }, { method: "OPTIONS", headers: preflight });
  assertEquals(result.statusCode, 204);
  assertEquals(result.headers["Access-Control-Allow-Headers"], "X-A, X-D");
  assertEquals(result.headers["Access-Control-Allow-Methods"], undefined);
  for (const end of ["\r", "\n", "\0"]) {
    for (const method of ["GET", "OPTIONS"]) {
      const headers = { ...preflight, Origin: `https://a.example${end}X-Evil: 1` };
      const { result } = await ask(() => 1, { use }, { method, headers });
      assertEquals([result.statusCode, JSON.stringify(result).includes("Evil")], [
        method === "GET" ? 200 : 204,
        false,
      ]);
    }
  }
});

Deno.test("cors() keeps the names of an answer's Vary, and answers preflights before a table of routes", async () => {
  const use = [cors({ origins: ["https://a.example"] })];
  const table = routes({ "GET /orders": () => 1 });
  const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "GET" };
  const { result } = await ask(table, { use }, { method: "OPTIONS", headers });
  assertEquals([result.statusCode, result.headers["Access-Control-Allow-Origin"]], [
    204,
    headers.Origin,
  ]);
  const found = await ask(table, { use }, { headers });
  assertEquals(found.result.headers["Vary"], "Accept, Origin");
  const lost = await ask(table, { use }, { method: "PUT", headers });
  assertEquals([lost.result.statusCode, lost.result.headers["Access-Control-Allow-Origin"]], [
    405,
    headers.Origin,
  ]);
});

Deno.test("cors() names Origin in Vary only if the response depends on it (Fetch, CORS protocol and HTTP caches)", async () => {
  const origin = "https://a.example";
  const preflight = { Origin: origin, "Access-Control-Request-Method": "PUT" };
  for (
    const [origins, isVarying] of [
      ["*", false],
      [[origin], true],
      [["https://b.example"], true],
      [() => true, true],
    ] as const
  ) {
    const use = [cors({ origins })];
    for (const headers of [{ Origin: origin }, {}]) {
      const { result } = await ask(() => 1, { use }, { headers });
      assertEquals(result.headers["Vary"], isVarying ? "Accept, Origin" : "Accept");
    }
    const { result } = await ask(() => 1, { use }, { method: "OPTIONS", headers: preflight });
    const rest = "Access-Control-Request-Method, Access-Control-Request-Headers";
    assertEquals(result.headers["Vary"], isVarying ? `Origin, ${rest}` : rest);
  }
});
