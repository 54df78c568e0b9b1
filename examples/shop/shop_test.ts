import { assertEquals, assertMatch } from "@std/assert";
import { startPlatform } from "@mate/cli/platform";
import { once } from "node:events";
import { get } from "node:http";
import { text } from "node:stream/consumers";

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
  await using platform = await startPlatform(MANIFEST);
  const shop = `${platform.url}/v1`;

  // Without a token, a customer may only look at products.
  const order = { product: "tea", quantity: 2 };
  const refused = await fetch(`${shop}/orders`, { method: "POST", body: JSON.stringify(order) });
  assertEquals(refused.status, 403);
  await refused.body?.cancel();

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
    const response = await fetch(`${shop}/products/tea`);
    const body = await response.json();
    return response.ok ? body : undefined;
  });
  assertEquals(product, { id: "tea", name: "Green tea", price: 450 });

  const created = await fetch(`${shop}/orders`, {
    method: "POST",
    headers: { ...TOKEN, "Content-Type": "application/json" },
    body: JSON.stringify(order),
  });
  assertEquals([created.status, (await created.json()).total], [201, 900]);
  const found = await fetch(new URL(created.headers.get("location")!, shop), { headers: TOKEN });
  assertEquals((await found.json()).customer, "ada");
  const { orders } = await (await fetch(`${shop}/orders`, { headers: TOKEN })).json();
  assertEquals(orders.map(({ total }: { total: number }) => total), [900]);

  // The table tells the function "sales" of the order.
  const sale = await eventually(() => {
    const records = platform.log.after(0).filter(({ functionName }) => functionName === "sales");
    return Promise.resolve(records.find(({ text }) => text.includes('"sales":')));
  });
  assertMatch(sale.text, /"sales":900\b/);

  const invalid = await fetch(`${shop}/orders`, {
    method: "POST",
    headers: { ...TOKEN, "Content-Type": "application/json" },
    body: '{"product":"tea","quantity":0}',
  });
  assertEquals(invalid.headers.get("content-type"), "application/problem+json");
  const { status, issues } = await invalid.json();
  assertEquals([status, issues[0].path], [422, ["quantity"]]);

  const list = await (await fetch(`${shop}/products`)).json();
  assertEquals(list, { products: ["tea"] });
  assertEquals(await exported(platform.port), "id,name,price\r\ntea,Green tea,450\r\n");
});
