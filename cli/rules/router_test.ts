import { assertEquals } from "@std/assert";
import { createHttpRouter, createRouter } from "./router.ts";

const ROUTES = [
  ["ANY", "/{proxy+}", "catchAll"],
  ["GET", "/", "root"],
  ["GET", "/items", "list"],
  ["POST", "/items", "create"],
  ["ANY", "/items/{id}", "item"],
  ["GET", "/items/{id}", "read"],
  ["GET", "/items/new", "blank"],
  ["GET", "/items/{id}/parts/{part}", "part"],
  ["GET", "/files/{path+}", "file"],
  ["GET", "/robots.txt", "robots"],
  ["GET", "/docs/{path+}", "docs"],
  ["GET", "/docs/{id}", "doc"],
].map(([method, path, functionName]) => ({
  method: method!,
  path: path!,
  functionName,
}));

const find = createRouter(ROUTES);

Deno.test("createRouter() finds the most specific resource, then the method", () => {
  const cases = [
    ["GET", "/", "root"],
    ["GET", "/items", "list"],
    ["GET", "/items/", "list"],
    ["POST", "/items", "create"],
    ["GET", "/items/new", "blank"],
    ["GET", "/items/7", "read"],
    ["PUT", "/items/7", "item"],
    ["GET", "/items/a%2Fb", "read"],
    ["GET", "/items/7/parts/x", "part"],
    ["GET", "/items/7/parts", "catchAll"],
    ["GET", "/items//parts/x", "catchAll"],
    ["GET", "/files/a/b%20c/d", "file"],
    ["GET", "/files/a/", "file"],
    ["GET", "/files", "catchAll"],
    ["GET", "/files/", "catchAll"],
    ["GET", "/ITEMS", "catchAll"],
    ["GET", "/docs/a", "doc"], // One segment beats the rest of the path.
    ["GET", "/docs/a/b", "docs"],
    ["GET", "/robots.txt", "robots"],
    ["GET", "/robots-txt", "catchAll"],
    ["OPTIONS", "/items/7", "item"],
    ["DELETE", "/items", "catchAll"], // The resource has no such method, but another one that matches has it.
    ["POST", "/items/new", "item"],
    ["DELETE", "/", undefined], // A greedy parameter is never empty.
    ["TRACE", "/items/7", undefined], // ANY stands for seven methods.
    ["get", "/items", undefined],
  ] as const;
  for (const [method, path, functionName] of cases) {
    assertEquals(find(method, path)?.functionName, functionName, `${method} ${path}`);
  }
});

Deno.test("createHttpRouter() finds a full match first, then a greedy variable, then $default", () => {
  const findHttp = createHttpRouter([
    ...ROUTES.filter(({ functionName }) => functionName !== "catchAll"),
    { method: "GET", path: "/{kind}/all", functionName: "all" },
    { method: "ANY", path: "$default", functionName: "rest" },
  ]);
  const cases = [
    ["GET", "/", "root"],
    ["GET", "/items/7", "read"],
    ["PUT", "/items/7", "item"],
    ["GET", "/items/new", "blank"],
    ["GET", "/files/a/b", "file"],
    ["GET", "/files/all", "all"], // A REST API would choose /files/{path+}.
    ["GET", "/items/", "rest"], // A slash at the end counts.
    ["DELETE", "/items", "rest"],
    ["TRACE", "/items", "rest"],
  ] as const;
  for (const [method, path, functionName] of cases) {
    assertEquals(findHttp(method, path)?.functionName, functionName, `${method} ${path}`);
  }
});
