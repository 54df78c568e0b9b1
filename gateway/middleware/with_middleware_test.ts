import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { ask, context, fail } from "../testdata/events.ts";
import {
  type Answer,
  etag,
  eventData,
  FnProxyEvent,
  HttpNotFoundError,
  HttpUnauthorizedError,
  type Middleware,
  proxyHandler,
  type ProxyRoute,
  routes,
  withMiddleware,
} from "../mod.ts";

const mark: Middleware = async (_event, _context, next) => {
  (await next()).headers.append("X-Inner", "1");
};

Deno.test("withMiddleware() puts middleware around a route, a route of a table, and a table", async () => {
  const table = routes({
    "GET /orders": withMiddleware([mark], () => 1),
    "PUT /orders": () => 2,
  });
  for (
    const [name, route, method, status, isMarked] of [
      ["a route", withMiddleware([mark], () => 1), "GET", 200, true],
      ["a failing route", withMiddleware([mark], fail(new HttpNotFoundError())), "GET", 404, true],
      ["a route of a table", table, "GET", 200, true],
      ["another route of the table", table, "PUT", 200, false],
      ["no route of the table", table, "DELETE", 405, false],
      ["a table", withMiddleware([mark], table as ProxyRoute), "DELETE", 405, true],
    ] as const
  ) {
    const { result, records } = await ask(route, {}, { method });
    assertEquals(result.statusCode, status, name);
    assertEquals("X-Inner" in result.headers, isMarked, name);
    assertEquals(records.length, status >= 400 ? 1 : 0, name);
  }
});

Deno.test("withMiddleware() works if the user wraps the function that it returns", async () => {
  const inner = withMiddleware([mark], () => ({ a: 1 }));
  const html = () => ["<p>", "text/html"] as const;
  const wrapped = async (event: FnProxyEvent) => {
    const answer: Answer = await inner(event, context("other"));
    answer.headers.append("X-Inner", "2");
    return answer;
  };
  const options = { customTransformers: { "text/html": html }, extraHeaders: { "X-Extra": "1" } };
  const { result } = await ask(wrapped, options, { headers: { Accept: "text/html" } });
  assertEquals([result.body, result.headers["X-Extra"]], ["<p>", "1"]);
  assertEquals(result.multiValueHeaders, { "X-Inner": ["1", "2"] });
});

Deno.test("withMiddleware() throws a TypeError outside a handler, and if it gets something other than functions", async () => {
  const event = new FnProxyEvent({ headers: {} });
  const route = withMiddleware([], () => 1);
  await assertRejects(async () => await route(event, context("id")), TypeError, "Cannot run");
  assertThrows(() => withMiddleware([5 as never], () => 1), TypeError, "Invalid use");
  assertThrows(() => withMiddleware([etag as never], () => 1), TypeError, "call it, as in");
  assertThrows(() => withMiddleware(mark as never, () => 1), TypeError, "Invalid use");
  assertThrows(() => withMiddleware([], 5 as never), TypeError, "Invalid route");
});

Deno.test("withMiddleware() knows the parameters of the key", () => {
  const use: Middleware[] = [];
  routes({ "GET /orders/{id}": withMiddleware(use, (event) => event.pathParameters().id) });
  // @ts-expect-error: the key has no such parameter
  routes({ "GET /orders/{id}": withMiddleware(use, (event) => event.pathParameters().other) });
  const transformer = (payload: { a: number }) => [`${payload.a}`, "text/plain"] as const;
  const route = withMiddleware(use, () => ({ a: 1 }));
  // @ts-expect-error: a middleware may answer with any payload
  proxyHandler(route, { customTransformers: { "text/plain": transformer } });
});

Deno.test("eventData() is a typed place for each event", async () => {
  const user = eventData<{ name: string } | undefined>();
  const authenticate: Middleware = (event, _context, next) => {
    const name = event.header("x-user");
    if (name === undefined) throw new HttpUnauthorizedError();
    user.set(event, name === "nobody" ? undefined : { name });
    return next();
  };
  const route: ProxyRoute = (event) => [user.get(event)?.name ?? "none"];
  for (const [name, found] of [["ada", "ada"], ["bob", "bob"], ["nobody", "none"]] as const) {
    const headers = { "X-User": name };
    const { result } = await ask(route, { use: [authenticate], indent: 0 }, { headers });
    assertEquals(result.body, `["${found}"]`);
  }
  const { result, records } = await ask(route, {});
  assertEquals(result.statusCode, 500);
  assertStringIncludes(String(records[0]!.message), "no middleware has set it");
});
