import { assertEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import type { JsonObject } from "../function/mod.ts";
import {
  call,
  captureLog,
  createContext,
  type Gateway,
  invoke,
  proxyEvent,
} from "../testing/mod.ts";
import { eventsOf, load } from "./testdata/events.ts";
import {
  fetchHandler,
  FnProxyEvent,
  HttpNotFoundError,
  type Middleware,
  proxyHandler,
  routes,
  streamHandler,
  withMiddleware,
} from "./mod.ts";

/** The paths that a route, an application and a streamed application see. */
async function seenBy(event: unknown, options: { basePath?: string } = {}): Promise<string[]> {
  const seen: string[] = [];
  const table = routes({
    "ANY /": () => void seen.push("/"),
    "ANY /{path+}": (event) => void seen.push(`/${event.pathParameters().path}`),
  }, options);
  const app = {
    fetch({ url }: Request) {
      seen.push(decodeURIComponent(new URL(url).pathname));
      return new Response();
    },
  };
  await proxyHandler(table)(event);
  await fetchHandler(app, options)(event);
  await invoke(streamHandler(app, options), event as JsonObject, createContext());
  return seen;
}

/** The event of a REST API behind a custom domain, which sends the same path twice. */
const domainEvent = (path: string, resource: string, pathParameters: unknown = null) => ({
  ...load("restBasePath"),
  ...{ path, resource, pathParameters },
  requestContext: { ...load("restBasePath")["requestContext"] as JsonObject, path },
});

/** The event of an HTTP API with payload 2.0. */
const http = (rawPath: string, routeKey: string, pathParameters?: unknown, stage = "$default") => {
  const event = load("apiV2BasePath");
  const requestContext = { ...event["requestContext"] as JsonObject, stage };
  return { ...event, rawPath, routeKey, pathParameters, requestContext };
};

Deno.test("routes() and applications see the path below the base path that the event tells", async () => {
  for (
    const [event, expected] of [
      // one table for the default domain, with the stage, and for a custom domain with and without a base path
      [await proxyEvent({ url: "/prod/orders/7" }, { route: "GET /orders/{id}" }), "/orders/7"],
      [domainEvent("/orders/7", "/orders/{id}", { id: "7" }), "/orders/7"],
      [domainEvent("/shop/orders/7", "/orders/{id}", { id: "7" }), "/orders/7"],
      [load("restBasePath"), "/orders/7"],
      [load("restBasePathAndStage"), "/orders/7"],
      [load("restRawPath"), "/orders/7"],
      [load("payload1BasePath"), "/orders/7"],
      [load("apiV2BasePath"), "/orders/7"],
      [load("apiV2EmptyPath"), "/"],
      // several parts, in the mapping and in the parameter
      [domainEvent("/a/b/orders/7", "/orders/{id}", { id: "7" }), "/orders/7"],
      [domainEvent("/shop/orders/7", "/{proxy+}", { proxy: "orders/7" }), "/orders/7"],
      [domainEvent("/shop/shop", "/{id}", { id: "shop" }), "/shop"],
      [domainEvent("/shop/orders/7/", "/orders/{id}", { id: "7" }), "/orders/7/"],
      // encoded in another way
      [domainEvent("/shop/caf%c3%A9", "/{id}", { id: "caf%C3%A9" }), "/café"],
      [domainEvent("/shop/a%20b", "/{id}", { id: "a b" }), "/a b"],
      [domainEvent("/shop/100%25", "/{id}", { id: "100%25" }), "/100%"],
      // the filled parts differ from those of the path: nothing is taken off but the stage
      [domainEvent("/shop/orders/7", "/orders/{id}", { id: "8" }), "/shop/orders/7"],
      [domainEvent("/shop/orders/7", "/{id}", { id: "orders/8" }), "/shop/orders/7"],
      [domainEvent("/v0/orders/7", "/orders/{id}", { id: "8" }), "/orders/7"],
      [domainEvent("/shop/orders/7", "/orders/{id}"), "/shop/orders/7"],
      [domainEvent("/orders/7", "/shop/orders/{id}", { id: "7" }), "/orders/7"],
      // a resource without a part
      [domainEvent("/shop", "/"), "/"],
      [domainEvent("/shop/", "/"), "/"],
      [domainEvent("/", "/"), "/"],
      [domainEvent("/shop/orders", "/"), "/shop/orders"],
      [domainEvent("/v0/orders", "/"), "/orders"],
      // payload 2.0
      [http("/orders/7", "ANY /orders/{id}", { id: "7" }), "/orders/7"],
      [http("/v0/orders/7", "$default", undefined, "v0"), "/orders/7"],
      [http("/orders/7", "ANY /orders/{id}"), "/orders/7"],
      [http("", "GET /"), "/"],
      [http("/v0", "GET /", undefined, "v0"), "/"],
      [http("/orders/7", "$default"), "/orders/7"],
      // no key tells it
      [load("payload1Default"), "/shop/orders/7"],
    ] as const
  ) {
    const { path, resource, rawPath, routeKey } = event as Record<string, unknown>;
    const title = JSON.stringify({ path, resource, rawPath, routeKey });
    const matched = expected.replace(/(.)\/$/, "$1"); // a table ignores a slash at the end
    assertEquals(await seenBy(event), [matched, expected, expected], title);
  }
});

Deno.test("a base path with a part that a URL would change is not taken off", async () => {
  for (const path of ["/..", "/shop/../orders/7", "/a\\b/orders/7", "/%2e%2E/orders/7"]) {
    const event = path === "/.."
      ? domainEvent(path, "/")
      : domainEvent(path, "/orders/{id}", { id: "7" });
    const table = proxyHandler(routes({ "ANY /": () => 1, "ANY /{path+}": () => 1 }));
    const { result } = await captureLog(async () => [
      await table(event),
      await fetchHandler(() => new Response())(event),
    ]);
    assertEquals(result.map(({ statusCode }) => statusCode), [404, 400], path);
  }
});

Deno.test("the option basePath takes off what the event does not tell", async () => {
  const path = "/shop/orders/7";
  const behind = async (gateway: Gateway, url = path) => await proxyEvent({ url }, { gateway });
  const proxy = { proxy: "shop/orders/7" };
  for (
    const [event, expected, basePath = "/shop"] of [
      [load("payload1Default"), "/orders/7"],
      [await behind("url"), "/orders/7"],
      [await behind("alb"), "/orders/7"],
      [await behind("lattice"), "/orders/7"],
      [await behind("http"), "/orders/7"],
      [http("/v0/shop/orders/7", "ANY /{proxy+}", proxy, "v0"), "/orders/7"],
      [domainEvent("/api/shop/orders/7", "/{proxy+}", proxy), "/orders/7"],
      [await behind("url", "/shop"), "/"],
      [await behind("url", "/shop/"), "/"],
      [await behind("url", "/sh%6Fp/orders/7"), "/orders/7"],
      [await behind("url", "/my%20shop/orders/7"), "/orders/7", "/my shop"],
      [await behind("alb", "/a/b/orders/7"), "/orders/7", "/a/b"],
      // outside of it
      [await behind("url", "/shopping/7"), "/shopping/7"],
      [await behind("alb", "/orders/7"), "/orders/7"],
      [await behind("lattice", "/orders/shop/7"), "/orders/shop/7"],
      [await behind("url", "/SHOP/7"), "/SHOP/7"],
      [await behind("url", "/"), "/"],
      // told already: it is taken off once
      [load("restBasePath"), "/orders/7"],
      [domainEvent("/shop/shop/7", "/shop/{id}", { id: "7" }), "/shop/7"],
      [load("apiV2EmptyPath"), "/"],
      // none at all
      [load("restBasePath"), "/shop/orders/7", ""],
      [load("payload1BasePath"), "/shop/orders/7", ""],
      [domainEvent("/shop", "/"), "/shop", ""],
      [await behind("url"), "/shop/orders/7", ""],
      [await proxyEvent({ url: "/prod/orders/7" }), "/orders/7", ""],
      [domainEvent("/v0/orders/7", "/v0/orders/{id}", { id: "7" }), "/v0/orders/7", ""],
    ] as const
  ) {
    const { path, resource, rawPath, routeKey } = event as Record<string, unknown>;
    const title = JSON.stringify({ path, resource, rawPath, routeKey, basePath });
    assertEquals(await seenBy(event, { basePath }), [expected, expected, expected], title);
  }
});

Deno.test("the option basePath keeps apart the parts of a path that an HTTP API decoded", async () => {
  const table = routes({
    "POST /orders/{id}": (event) => event.pathParameters().id,
    "POST /orders/{id}/cancel": () => "cancelled",
  }, { basePath: "/shop" });
  const request = { method: "POST", url: "/shop/orders/7%2Fcancel" };
  const options = { gateway: "http", route: "ANY /shop/orders/{id}" } as const;
  const response = await call(proxyHandler(table), request, options);
  assertEquals([response.status, await response.json()], [200, { Message: "7/cancel" }]);
});

Deno.test('an application that takes the base path off itself works with the base path ""', async () => {
  const app = new Hono().basePath("/shop").get("/orders/:id", (c) => c.text(c.req.param("id")));
  const handler = fetchHandler(app, { basePath: "" });
  const options = { basePath: "/shop", route: "GET /orders/{id}" };
  assertEquals(await (await call(handler, { url: "/shop/orders/7" }, options)).text(), "7");
  assertEquals((await call(fetchHandler(app), { url: "/shop/orders/7" }, options)).status, 404);
});

Deno.test("pathParameters() and the log have the path below the base path", async () => {
  const event = load("restBasePath");
  assertEquals(new FnProxyEvent(event).pathParameters(), { id: "7" });
  const handler = proxyHandler(routes({ "GET /menu": () => 1 }));
  const { records } = await captureLog(() => handler(event));
  assertEquals(records[0]!["data"], { status: 404, method: "GET", path: "/orders/7" });
});

Deno.test("the log has the path that the option basePath leaves", async () => {
  const event = await proxyEvent({ url: "/shop/orders/7" }, { gateway: "alb" });
  const table = (basePath?: string) => routes({ "GET /menu": () => 1 }, { basePath });
  const refuse: Middleware = () => {
    throw new HttpNotFoundError();
  };
  const app = {
    fetch() {
      throw new HttpNotFoundError();
    },
  };
  for (
    const [handler, path] of [
      [proxyHandler(table("/shop")), "/orders/7"],
      [proxyHandler(table("/shop"), { use: [refuse] }), "/orders/7"],
      [proxyHandler(withMiddleware([refuse], table("/shop"))), "/orders/7"],
      [fetchHandler(app, { basePath: "/shop" }), "/orders/7"],
      [streamHandler(app, { basePath: "/shop" }), "/orders/7"],
      [proxyHandler(table("/other")), "/shop/orders/7"],
      [proxyHandler(table()), "/shop/orders/7"],
    ] as const
  ) {
    const { records } = await captureLog(async () => void await handler(event, createContext()));
    assertEquals(records[0]!["data"], { status: 404, method: "GET", path });
  }
});

Deno.test("a wrong basePath is a TypeError when the table or the handler is made", () => {
  const app = { fetch: () => new Response() };
  for (
    const basePath of [
      ...["shop", "/shop/", "/", "//", "/.", "/a/../b", "/%2e%2e/a", "/a?b=c", "/a?", "/a#b"],
      ...["/{shop}", "/{path+}", "/a\\b", "/a\nb", "https://api.example.com/shop", null, 7, ["/a"]],
    ]
  ) {
    const options = { basePath } as never;
    const make = [
      () => routes({ "GET /": () => 1 }, options),
      () => fetchHandler(app, options),
      () => streamHandler(app, options),
    ];
    for (const one of make) assertThrows(one, TypeError, "Invalid option basePath", `${basePath}`);
  }
  for (const basePath of ["", "/a", "/a/b.c", "/..a", "/my%20shop", "/café", undefined]) {
    routes({ "GET /": () => 1 }, { basePath });
  }
  const route = () => 1;
  const wrong = { base: "/shop" } as never;
  assertThrows(() => routes({ "GET /": route }, wrong), TypeError, 'Unknown option "base"');
  for (const make of [proxyHandler, streamHandler]) {
    const options = { basePath: "/shop" } as never;
    assertThrows(() => make(route, options), TypeError, 'Unknown option "basePath"');
  }
});

Deno.test("the time to find the path below a base path is linear in its length", async () => {
  const long = "a/".repeat(100_000);
  const handler = proxyHandler(routes({ "GET /{path+}": () => 1 }, { basePath: "/shop" }));
  for (
    const path of [`/shop/${long}`, `/shop/${"/".repeat(200_000)}`, `/shop/${"%".repeat(200_000)}`]
  ) {
    for (const proxy of [path.slice(6), path.slice(7), `${path.slice(8)}b`]) {
      const { result } = await captureLog(() => handler(domainEvent(path, "/{proxy+}", { proxy })));
      assertEquals([200, 404].includes(result.statusCode), true);
    }
    const { event } = eventsOf("GET", {}, path)["alb single"]!;
    await captureLog(() => handler(event));
  }
});
