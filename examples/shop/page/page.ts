/// <reference lib="dom" />
/** The script of the page. Of the API it gets only the types: the script has neither schemas nor routes. */
import { createClient } from "@mate/core/client";
import type { api } from "../api.ts";

const form = document.querySelector("form")!;
const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
const client = createClient<typeof api>("/v1");

await showProducts();
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  form.querySelector("p")!.textContent = await order().catch(String);
});

async function showProducts(): Promise<void> {
  const list = await client("GET /products");
  if (!list.ok) throw new Error(`The shop answered ${list.status}`);
  for (const id of list.body.products) {
    const product = await client("GET /products/{id}", { path: { id } });
    if (!product.ok) continue; // it was removed in the meantime
    const { name, price } = product.body;
    field("product").append(new Option(name, id));
    const item = document.createElement("li");
    item.textContent = `${name}: ${format(price)}`;
    document.querySelector("#products")!.append(item);
  }
}

/** Places the order of the form, and says what came of it. */
async function order(): Promise<string> {
  const placed = await client("POST /orders", {
    headers: { Authorization: `Bearer ${field("token").value}` },
    body: { product: field("product").value, quantity: field("quantity").valueAsNumber },
  });
  if (placed.ok) return `Ordered for ${format(placed.body.total)}`;
  return `The shop refused the order (${placed.status})`;
}

function format(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}
