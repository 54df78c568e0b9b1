import { assertEquals } from "@std/assert";
import { call } from "@mate/core/testing";
import { handler } from "./routes.ts";

Deno.test("an order without a product is refused with the issues of the schema", async () => {
  const response = await call(handler, { method: "POST", url: "/orders", body: '{"quantity":0}' });
  assertEquals(response.status, 422);
  const { issues } = await response.json();
  assertEquals(issues.map(({ path }: { path: string[] }) => path.join(".")), [
    "product",
    "quantity",
  ]);
});

Deno.test("a route that does not exist is refused as problem details", async () => {
  const response = await call(handler, { method: "GET", url: "/nothing" });
  assertEquals([response.status, response.headers.get("content-type")], [
    404,
    "application/problem+json",
  ]);
});
