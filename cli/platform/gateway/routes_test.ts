import { assertEquals } from "@std/assert";
import { createRouter, type Route, routesOf } from "./routes.ts";
import { parseManifest } from "../../manifest/manifest.ts";

const ROUTES: readonly Route[] = [
  ["ANY", "/{proxy+}", "catchAll"],
  ["GET", "/", "root"],
  ["GET", "/items", "list"],
  ["POST", "/items", "create"],
  ["ANY", "/items/{id}", "item"],
  ["GET", "/items/{id}", "read"],
  ["GET", "/items/new", "blank"],
  ["GET", "/items/{id}/parts/{part}", "part"],
  ["GET", "/files/{path+}", "file"],
].map(([method, resource, functionName]) => ({ method, resource, functionName }) as Route);

const match = createRouter(ROUTES);

Deno.test("createRouter() finds the most specific resource, then the method", async (t) => {
  for (
    const [method, path, functionName, parameters] of [
      ["GET", "/", "root", null],
      ["GET", "", "root", null],
      ["GET", "/items", "list", null],
      ["GET", "/items/", "list", null],
      ["POST", "/items", "create", null],
      ["GET", "/items/new", "blank", null],
      ["GET", "/items/7", "read", { id: "7" }],
      ["PUT", "/items/7", "item", { id: "7" }],
      ["GET", "/items/a%2Fb", "read", { id: "a%2Fb" }],
      ["GET", "/items/7/parts/x", "part", { id: "7", part: "x" }],
      ["GET", "/items/7/parts", "catchAll", { proxy: "items/7/parts" }],
      ["GET", "/items//parts/x", "catchAll", { proxy: "items//parts/x" }],
      ["GET", "/files/a/b%20c/d", "file", { path: "a/b%20c/d" }],
      ["GET", "/files/a/", "file", { path: "a" }],
      ["GET", "/files", "catchAll", { proxy: "files" }],
      ["GET", "/ITEMS", "catchAll", { proxy: "ITEMS" }],
      ["OPTIONS", "/items/7", "item", { id: "7" }],
    ] as const
  ) {
    await t.step(`${method} ${path || "(empty)"}`, () => {
      const found = match(method, path);
      assertEquals(found?.route.functionName, functionName);
      assertEquals(found?.pathParameters, parameters);
    });
  }
});

Deno.test("createRouter() tries no other resource if the first lacks the method", async (t) => {
  for (
    const [method, path, why] of [
      [
        "DELETE",
        "/items",
        "the resource has no such method, and a greedy one is not asked instead",
      ],
      ["POST", "/items/new", "the literal resource wins, although it lacks the method"],
      ["TRACE", "/items/7", "ANY stands for the seven methods of the gateway"],
      ["get", "/items", "methods are case-sensitive"],
    ] as const
  ) {
    await t.step(`${method} ${path}: ${why}`, () => {
      assertEquals(match(method, path), undefined);
    });
  }
});

Deno.test("createRouter() has no route where a greedy parameter would be empty", () => {
  const match = createRouter([{ method: "ANY", resource: "/okay/{proxy+}", functionName: "okay" }]);
  assertEquals(match("GET", "/okay/"), undefined);
  assertEquals(match("GET", "/okay/x")?.pathParameters, { proxy: "x" });
});

Deno.test("createRouter() keeps a parameter named like a property of every object", () => {
  const match = createRouter([{ method: "GET", resource: "/{__proto__}", functionName: "f" }]);
  assertEquals(JSON.stringify(match("GET", "/x")?.pathParameters), '{"__proto__":"x"}');
});

Deno.test("routesOf() lists the routes of all functions", () => {
  const manifest = parseManifest(
    JSON.stringify({
      name: "app",
      stage: "v0",
      functions: {
        a: { module: "a.ts", triggers: { routes: [{ method: "GET", path: "/a" }] } },
        b: { module: "b.ts" },
      },
    }),
    "app.json",
  );
  assertEquals(routesOf(manifest), [
    { method: "GET", resource: "/a", functionName: "a", stream: false },
  ]);
});
