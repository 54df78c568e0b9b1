import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { captureLog, proxyEvent } from "../testing/mod.ts";
import { eventsOf } from "./testdata/events.ts";
import { FnProxyEvent, type Middleware, proxyHandler, routes, withMiddleware } from "./mod.ts";

type Table = Record<string, (event: FnProxyEvent) => unknown>;

/** A table whose routes answer with their key and the parameters. */
function tableOf(...keys: string[]): Table {
  return Object.fromEntries(
    keys.map((key) => [key, (event: FnProxyEvent) => [key, event.pathParameters()]]),
  );
}

/** The answer of a table to a REST request. */
async function ask(table: Table, method: string, path: string) {
  const { event } = eventsOf(method, {}, path)["rest"]!;
  const { result } = await captureLog(() => proxyHandler(routes(table as never))(event));
  return { ...result, json: result.body && JSON.parse(result.body) };
}

Deno.test("routes() chooses the most specific path, from the left", async () => {
  const table = tableOf(
    "GET /",
    "GET /orders",
    "GET /orders/{id}",
    "GET /orders/new",
    "GET /orders/{id}/lines/{line}",
    "GET /orders/new/{rest+}",
    "GET /{any+}",
    "GET /{a}/b/c",
    "GET /caf%C3%A9",
  );
  for (
    const [path, key, parameters] of [
      ["/", "GET /", {}],
      ["", "GET /", {}],
      ["/orders", "GET /orders", {}],
      ["/orders/", "GET /orders", {}],
      ["/orders/7", "GET /orders/{id}", { id: "7" }],
      ["/orders/7/", "GET /orders/{id}", { id: "7" }],
      ["/orders/new", "GET /orders/new", {}],
      ["/orders/n%65w", "GET /orders/new", {}],
      ["/orders/a%2Fb%20c", "GET /orders/{id}", { id: "a/b c" }],
      ["/orders/7/lines/2", "GET /orders/{id}/lines/{line}", { id: "7", line: "2" }],
      ["/orders/new/lines/2", "GET /orders/new/{rest+}", { rest: "lines/2" }],
      ["/orders/7/x", "GET /{any+}", { any: "orders/7/x" }],
      ["/orders//", "GET /{any+}", { any: "orders/" }],
      ["/a/b/c", "GET /{a}/b/c", { a: "a" }],
      ["/orders/b/c", "GET /{a}/b/c", { a: "orders" }],
      ["/a/b/c/d%2Fe", "GET /{any+}", { any: "a/b/c/d/e" }],
      ["/caf%c3%a9", "GET /caf%C3%A9", {}],
    ] as const
  ) {
    const { statusCode, json } = await ask(table, "GET", path);
    assertEquals([statusCode, json], [200, [key, parameters]], path);
  }
});

Deno.test("routes() chooses the method after the path", async () => {
  const table = tableOf("GET /a", "POST /a", "ANY /b", "GET /b", "HEAD /c", "GET /c", "POST /d");
  for (
    const [method, path, answer] of [
      ["GET", "/a", "GET /a"],
      ["POST", "/a", "POST /a"],
      ["HEAD", "/a", "GET /a"],
      ["HEAD", "/c", "HEAD /c"],
      ["GET", "/b", "GET /b"],
      ["HEAD", "/b", "GET /b"],
      ["DELETE", "/b", "ANY /b"],
      ["OPTIONS", "/b", "ANY /b"],
      ["DELETE", "/a", 405],
      ["HEAD", "/d", 405],
      ["OPTIONS", "/a", 204],
      ["GET", "/e", 404],
      ["GET", "/a/b", 404],
    ] as const
  ) {
    const { statusCode, headers, json } = await ask(table, method, path);
    const isRoute = typeof answer === "string";
    const name = `${method} ${path}`;
    assertEquals([statusCode, isRoute && json[0]], isRoute ? [200, answer] : [answer, false], name);
    const allowed = path === "/a" ? "GET, POST, HEAD, OPTIONS" : "POST, OPTIONS";
    assertEquals(headers["Allow"], answer === 405 || answer === 204 ? allowed : undefined, name);
  }
});

Deno.test("the 404, 405 and 204 of a table come before 406", async () => {
  const table = tableOf("POST /a", "ANY /b") as never;
  const nested = { "ANY /{path+}": routes(table) };
  const seen: number[] = [];
  const count: Middleware = async (_event, _context, next) => {
    seen.push((await next()).status);
  };
  for (
    const [name, route] of [
      ["a table", routes(table)],
      ["a table in a table", routes(nested as never)],
      ["a table with middleware", withMiddleware([count], routes(table))],
      [
        "a table with middleware in a wrapper",
        withMiddleware([], withMiddleware([], routes(table))),
      ],
    ] as const
  ) {
    for (
      const [method, path, status] of [
        ["POST", "/a", 406],
        ["POST", "/b", 406],
        ["GET", "/b", 406],
        ["PUT", "/a", 405],
        ["OPTIONS", "/a", 204],
        ["POST", "/c", 404],
        ["GET", "/c", 404],
      ] as const
    ) {
      for (const types of [undefined, ["text/html"]]) {
        const { event } = eventsOf(method, { Accept: "image/png" }, path)["rest"]!;
        const { result } = await captureLog(() => proxyHandler(route, { types })(event));
        assertEquals(result.statusCode, status, `${name}: ${method} ${path} ${types}`);
      }
    }
  }
  // Twice each: without types and with types. The 406 of GET without types is one of a result.
  assertEquals(seen, [406, 405, 405, 204, 204, 404, 404, 404, 404]);
});

Deno.test("routes() answers 404 to a parameter with a malformed escape", async () => {
  const table = tableOf("GET /orders/{id}", "GET /100%25");
  assertEquals((await ask(table, "GET", "/orders/%zz")).statusCode, 404);
  assertEquals((await ask(table, "GET", "/100%")).statusCode, 404);
  assertEquals((await ask(table, "GET", "/100%25")).statusCode, 200);
});

Deno.test("routes() matches the path below the stage with every gateway", async () => {
  const handler = proxyHandler(routes(tableOf("PUT /orders/{id}") as never));
  for (const [name, { event }] of Object.entries(eventsOf("PUT", {}, "/orders/7"))) {
    const { statusCode, body } = await handler(event);
    assertEquals([statusCode, JSON.parse(body)], [200, ["PUT /orders/{id}", { id: "7" }]], name);
  }
  const { event } = eventsOf("PUT", {}, "/v1/orders/7")["http"]!;
  Object.assign(event["requestContext"] as object, { stage: "v1" });
  assertEquals((await handler(event)).statusCode, 200);
});

Deno.test("a variable that decodes to a path elsewhere matches nothing, with every gateway", async () => {
  const handler = proxyHandler(routes(tableOf("GET /files/{name}", "GET /all/{path+}") as never));
  const unsafe = [
    "..",
    ".",
    "..%2f..%2fetc",
    "a%2f..",
    "%2e%2e%2fa",
    "a%2F.%2Fb",
    "a%5cb",
    "a%5C..",
    "a%00",
    "a%0a",
    "%7f",
    "%C2%85",
    "a%1Fb",
  ];
  const safe = {
    "...": "...",
    "a..b": "a..b",
    "%2Fa": "/a",
    ".a": ".a",
    "a%20b%F0%9F%8D%B5": "a b🍵",
  };
  for (const folder of ["files", "all"]) {
    for (const part of unsafe) {
      for (const [name, { event }] of Object.entries(eventsOf("GET", {}, `/${folder}/${part}`))) {
        const { result } = await captureLog(() => handler(event));
        assertEquals(result.statusCode, 404, `${name}: ${folder}/${part}`);
      }
    }
    for (const [part, value] of Object.entries(safe)) {
      const { event } = eventsOf("GET", {}, `/${folder}/${part}`)["rest"]!;
      const [, parameters] = JSON.parse((await handler(event)).body);
      assertEquals(Object.values(parameters), [value]);
    }
  }
});

Deno.test("routes() does not decode the path of an HTTP API again", async () => {
  const { event } = eventsOf("GET", {}, "/a%2562")["http"]!;
  const { body } = await proxyHandler(routes(tableOf("GET /ab", "GET /{x}") as never))(event);
  assertEquals(JSON.parse(body), ["GET /{x}", { x: "a%62" }]);
});

Deno.test("routes() refuses an invalid table", () => {
  const route = () => {};
  const methods = "expected ANY, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, a space";
  for (
    const [table, problem] of [
      [null, "Invalid routes"],
      [{ "GET /orders/:id": () => 1 }, 'write "{id}" instead of ":id"'],
      [{}, "Invalid routes"],
      [[], "Invalid routes"],
      ...["/orders", "get /orders", "GET orders", "GET  /orders", "GET /orders?x=1", "GTE /orders"]
        .map((key) => [{ [key]: route }, methods] as const),
      [{ "GET /files/*": route }, 'write "{path+}" instead of "*"'],
      [{ "GET /orders": "x" }, "expected a function"],
      [{ "GET /{id": route }, '"{id" is not a part of a path'],
      [{ "GET /a{id}": route }, '"a{id}" is not a part of a path'],
      [{ "GET /{}": route }, '"{}" is not a part of a path'],
      [{ "GET /a//b": route }, '"" is not a part of a path'],
      [{ "GET /a%": route }, '"a%" has a malformed escape'],
      [{ "GET /{a+}/b": route }, '"{a+}" is not the last part'],
      [{ "GET /{a}/{a}": route }, '"a" stands twice'],
      [{ "GET /{a}": route, "GET /{b}": route }, '"GET /{a}" is equal'],
      [{ "GET /a": route, "GET /a/": route }, '"GET /a" is equal'],
      [{ "GET /%61": route, "GET /a": route }, '"GET /%61" is equal'],
    ] as const
  ) {
    assertThrows(() => routes(table as never), TypeError, problem, JSON.stringify(table));
  }
});

Deno.test("routes() knows the names of the parameters", () => {
  routes({
    "GET /orders/{id}/files/{path+}": (event) => {
      const { id, path }: { id: string; path: string } = event.pathParameters();
      // @ts-expect-error: the key has no such parameter
      event.pathParameters().other;
      return `${id} ${path}`;
    },
    "POST /orders": async (event) => {
      assert(event instanceof FnProxyEvent);
      return await Promise.resolve(event.queryPayload());
    },
  });
});

Deno.test("routes() chooses as a search through all keys does", async () => {
  const part = fc.constantFrom("a", "b", "{x}", "{y}");
  const parts = fc.array(part, { maxLength: 4 });
  const key = fc.tuple(parts, fc.constantFrom([], ["{rest+}"])).map(([parts, greedy]) => [
    ...parts.map((part, index) => part.replace("}", `${index}}`)),
    ...greedy,
  ]);
  const kindOf = (part: string) => !part.startsWith("{") ? 0 : part.endsWith("+}") ? 2 : 1;
  /** The rank of each part: fixed parts first, then variables, then the greedy part. */
  const rank = (parts: readonly string[]) => parts.map(kindOf).join("");
  const matches = (parts: readonly string[], path: readonly string[]) => {
    const pattern = parts.map((part) => ["/" + part, "/[^/]+", "/.+"][kindOf(part)]).join("");
    return new RegExp(`^${pattern}$`).test(path.map((part) => `/${part}`).join(""));
  };
  await fc.assert(fc.asyncProperty(
    fc.uniqueArray(key, {
      selector: (parts) => parts.map((p) => p.replace(/\{[^+]*\}/, "{}")).join("/"),
      minLength: 1,
    }),
    fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 }),
    async (keys, path) => {
      const [best] = keys.filter((parts) => matches(parts, path))
        .sort((one, other) => rank(one) < rank(other) ? -1 : 1);
      const table = tableOf(...keys.map((parts) => `GET /${parts.join("/")}`));
      const { statusCode, json } = await ask(table, "GET", `/${path.join("/")}`);
      assertEquals(statusCode === 200 ? json[0] : undefined, best && `GET /${best.join("/")}`);
    },
  ));
});

Deno.test("routes() matches what an HTTP API matched, whose decoded path may look like another route", async () => {
  const handler = proxyHandler(
    routes({
      "POST /orders/{id}": (event) => ["order", event.pathParameters().id],
      "POST /orders/{id}/cancel": (event) => ["cancel", event.pathParameters().id],
      "POST /files/{path+}": (event) => ["file", event.pathParameters().path],
    }),
    { clientErrorLevel: "off" },
  );
  for (
    const [route, path, expected] of [
      // The API has checked the authorizer of this route, and of no other.
      ["POST /orders/{id}", "/orders/7%2Fcancel", ["order", "7/cancel"]],
      ["ANY /orders/{nr}", "/orders/7%2Fcancel", ["order", "7/cancel"]],
      ["ANY /orders/{nr}", "/orders/100%25%2525", ["order", "100%%25"]],
      ["POST /orders/{id}/cancel", "/orders/7/cancel", ["cancel", "7"]],
      ["POST /orders/{id}/cancel", "/orders/a%2Fb/cancel", ["cancel", "a/b"]],
      ["ANY /{all+}", "/orders/7/cancel", ["cancel", "7"]],
      ["$default", "/orders/7/cancel", ["cancel", "7"]],
      ["POST /files/{path+}", "/files/a/b%2520c", ["file", "a/b%20c"]],
    ] as const
  ) {
    const event = await proxyEvent({ method: "POST", url: path }, { gateway: "http", route });
    const { statusCode, body } = await handler(event);
    assertEquals([statusCode, JSON.parse(body)], [200, expected], `${route} ${path}`);
  }
});

Deno.test("routes() with an empty base path keeps what stands before the path that an HTTP API matched", async () => {
  const handler = proxyHandler(routes({
    "POST /my%20shop/orders/{id}": (event) => event.pathParameters().id,
    "POST /my%20shop/orders/{id}/cancel": () => "cancelled",
  }, { basePath: "" }));
  const options = { gateway: "http", route: "POST /orders/{id}" } as const;
  const event = await proxyEvent({ method: "POST", url: "/orders/7%2Fcancel" }, options);
  const { rawPath } = event as { rawPath: string };
  const { statusCode, body } = await handler({ ...event, rawPath: `/my shop${rawPath}` });
  assertEquals([statusCode, JSON.parse(body)], [200, { Message: "7/cancel" }]);
});
