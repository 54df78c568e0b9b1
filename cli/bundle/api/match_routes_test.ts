import { assertEquals } from "@std/assert";
import { matchRoutes } from "./match_routes.ts";

Deno.test("matchRoutes() finds the route that API Gateway chooses for every request of a key", () => {
  const routes = [
    ["GET", "/"],
    ["GET", "/orders"],
    ["ANY", "/orders/{id}", "check"],
    ["GET", "/orders/{id}", "look"],
    ["GET", "/orders/new"],
    ["POST", "/files/{name}"],
    ["POST", "/both/{name}"],
    ["POST", "/both/{proxy+}", "check"],
    ["ANY", "/v2/{proxy+}"],
  ].map(([method, path, authorizer]) => ({ method: method!, path: path!, authorizer }));
  const cases = [
    ["GET /", "GET /"],
    ["GET /orders", "GET /orders"],
    ["GET /orders/", "GET /orders"],
    ["PUT /orders", undefined], // the method
    ["GET /orders/{nr}", "GET /orders/{id}"], // whatever the name of the variable
    ["PUT /orders/{nr}", "ANY /orders/{id}"],
    ["GET /orders/new", "GET /orders/new"],
    ["PUT /orders/new", "ANY /orders/{id}"],
    ["GET /orders/{id}/lines", undefined],
    ["POST /files/{name+}", undefined], // a name with a slash has no route
    ["POST /both/{name+}", "POST /both/{proxy+}"],
    ["GET /v2/{a}/{b+}", "ANY /v2/{proxy+}"],
    ["GET /v2", undefined], // a greedy variable is never empty
    ["GET orders", undefined],
  ] as const;
  const { served, unserved, undescribed } = matchRoutes(cases.map(([key]) => key), routes, "rest");
  for (const [key, expected] of cases) {
    const route = served.get(key);
    assertEquals(route && `${route.method} ${route.path}`, expected, key);
  }
  assertEquals(unserved, cases.filter(([, route]) => route === undefined).map(([key]) => key));
  assertEquals(undescribed, []);
  assertEquals(matchRoutes(["GET /", "POST /files/{name}"], routes, "rest").undescribed, [
    "GET /orders",
    "ANY /orders/{id}",
    "GET /orders/{id}",
    "GET /orders/new",
    "POST /both/{name}",
    "POST /both/{proxy+}",
    "ANY /v2/{proxy+}",
  ]);
});

Deno.test("matchRoutes() lets $default of an HTTP API serve what no other route serves", () => {
  const routes = [
    { method: "GET", path: "/orders" },
    { method: "ANY", path: "$default", authorizer: "users" },
  ];
  const { served, unserved, undescribed } = matchRoutes(
    ["GET /orders", "PUT /a/{b}"],
    routes,
    "http",
  );
  assertEquals([...served].map(([key, { path }]) => [key, path]), [
    ["GET /orders", "/orders"],
    ["PUT /a/{b}", "$default"],
  ]);
  assertEquals([unserved, undescribed], [[], []]);
});
