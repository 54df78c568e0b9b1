import { assert, assertEquals } from "@std/assert";
import { ask, fail } from "./testdata/events.ts";
import { buildHttpResponse, type CorsOptions, HttpConflictError } from "./mod.ts";

Deno.test("cors answers preflights before the route, and marks every response", async () => {
  const origin = "https://app.example";
  let count = 0;
  const route = () => ++count;
  const cors: CorsOptions = {
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
  const answer = await ask(route, { cors }, { method: "OPTIONS", headers: preflight });
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
  const refused = await ask(route, { cors }, { method: "OPTIONS", headers: evil });
  assertEquals([refused.result.statusCode, count], [204, 0]);
  assert(!JSON.stringify(refused.result).includes("Access-Control-Allow"));

  for (
    const [name, route] of Object.entries({
      payload: (): number => 1,
      error: fail(new HttpConflictError()),
      failure: fail(new Error("x")),
      response: () => new Response("x"),
      built: () => buildHttpResponse(200, 1, { extraHeaders: { Vary: "X-A" } }),
    })
  ) {
    const allowed = (await ask(route, { cors }, { headers: { Origin: origin } })).result.headers;
    const marks = Object.entries(allowed).filter(([field]) => field.startsWith("Access-Control-"));
    assertEquals(Object.fromEntries(marks), {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": "X-Total",
    }, name);
    assert(allowed["Vary"]!.includes("Origin"), name);
    for (const headers of [{ Origin: "https://evil.example" }, {}] as Record<string, string>[]) {
      const other = (await ask(route, { cors }, { headers })).result.headers;
      assertEquals(other["Access-Control-Allow-Origin"], undefined, name);
      assert(other["Vary"]!.includes("Origin"), name);
    }
  }
});

Deno.test("cors takes all origins, a function, and lists of methods and headers", async () => {
  const headers = {
    Origin: "https://a.example",
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "X-A",
  };
  const preflight = async (cors: CorsOptions) =>
    (await ask(() => 1, { cors }, { method: "OPTIONS", headers })).result.headers;
  const all = await preflight({ origins: "*", methods: ["GET", "PUT"], headers: ["X-A", "X-C"] });
  assertEquals(all["Access-Control-Allow-Origin"], "*");
  assertEquals(all["Access-Control-Allow-Methods"], "GET, PUT");
  assertEquals(all["Access-Control-Allow-Headers"], "X-A, X-C");
  const some = await preflight({ origins: (origin) => origin.endsWith("a.example") });
  assertEquals(some["Access-Control-Allow-Origin"], "https://a.example");
  const none = await preflight({ origins: () => false });
  assertEquals(none["Access-Control-Allow-Origin"], undefined);
  // A preflight has both headers.
  const { Origin, "Access-Control-Request-Method": method } = headers;
  for (const headers of [{}, { Origin }, { "Access-Control-Request-Method": method }]) {
    const request = { method: "OPTIONS", headers: headers as Record<string, string> };
    const { result } = await ask(() => 1, { cors: { origins: "*" } }, request);
    assertEquals([result.statusCode, result.headers["Access-Control-Allow-Origin"]], [200, "*"]);
  }
});

Deno.test("cors marks the response if a transformer or the extra headers fail", async () => {
  const raise = (): never => {
    throw new Error("x");
  };
  const headers = { Origin: "https://a.example" };
  for (const failing of [{ customTransformers: { "*/*": raise } }, { extraHeaders: raise }]) {
    const { result } = await ask(raise, { cors: { origins: "*" }, ...failing }, { headers });
    assertEquals(result.statusCode, 500);
    assertEquals(result.headers["Access-Control-Allow-Origin"], "*");
  }
});
