import { assertEquals, assertMatch } from "@std/assert";
import { startPlatform } from "@mate/cli/platform";
import { createClient } from "@mate/core/client";
import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import type { api } from "./api.ts";

const MANIFEST = new URL("app.json", import.meta.url).pathname;
const TOKEN = { Authorization: "Bearer open-sesame" };

/** Calls `read` until it returns a value. */
async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("Nothing came in 20 seconds");
}

/** Requests the function URL of "export" at the loopback address, because not every resolver knows the host of the URL. */
async function exported(port: number): Promise<string> {
  const headers = { host: `export.localhost:${port}` };
  const request = get({ host: "127.0.0.1", port, headers });
  const [response] = await once(request, "response");
  return await text(response);
}

Deno.test("the shop imports a catalogue, takes an order, adds up its sales, and exports its products", async () => {
  await using platform = await startPlatform(MANIFEST, { secrets: { SHOP_TOKEN: "open-sesame" } });
  const shop = `${platform.url}/v1`;
  const stranger = createClient<typeof api>(shop);
  const customer = createClient<typeof api>(shop, { headers: TOKEN });

  // Without a token, a customer may only look at products.
  const order = { product: "tea", quantity: 2 };
  assertEquals((await stranger("POST /orders", { body: order })).status, 401);
  const headers = { Authorization: "Bearer guess" };
  assertEquals((await stranger("GET /orders", { headers })).status, 403);

  // The catalogue goes to the bucket, its lines to the queue, and the products to the store.
  const form = new FormData();
  form.set("file", new File(["tea,Green tea,450\nbroken,,free\n"], "catalogue.csv"));
  const uploaded = await fetch(`${shop}/catalogues`, {
    method: "POST",
    headers: TOKEN,
    body: form,
  });
  assertEquals(uploaded.status, 202, await uploaded.text());
  const product = await eventually(async () => {
    const answer = await stranger("GET /products/{id}", { path: { id: "tea" } });
    return answer.ok ? answer.body : undefined;
  });
  assertEquals(product, { id: "tea", name: "Green tea", price: 450 });

  const created = await customer("POST /orders", { body: order });
  if (!created.ok) throw new Error(`The order was refused: ${created.status}`);
  assertEquals([created.status, created.body.total], [201, 900]);
  const { id } = created.body;
  assertEquals(created.response.headers.get("location"), `/v1/orders/${id}`);
  const found = await customer("GET /orders/{id}", { path: { id } });
  assertEquals(found.body, { ...order, id, customer: "ada", total: 900 });
  assertEquals((await customer("GET /orders")).body, { orders: [created.body] });

  // The table tells the function "sales" of the order.
  const sale = await eventually(() => {
    const records = platform.log.after(0).filter(({ functionName }) => functionName === "sales");
    return Promise.resolve(records.find(({ text }) => text.includes('"sales":')));
  });
  assertMatch(sale.text, /"sales":900\b/);

  const invalid = await customer("POST /orders", { body: { ...order, quantity: 0 } });
  assertEquals(invalid.response.headers.get("content-type"), "application/problem+json");
  const { status, issues } = invalid.body as { status: number; issues: { path: string[] }[] };
  assertEquals([status, issues[0]?.path], [422, ["quantity"]]);

  assertEquals((await stranger("GET /products")).body, { products: ["tea"] });
  assertEquals(await exported(platform.port), "id,name,price\r\ntea,Green tea,450\r\n");
});
