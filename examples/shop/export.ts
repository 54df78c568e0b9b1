import { reply, streamHandler } from "@mate/core/gateway";
import type { Product } from "./product.ts";
import * as store from "./store.ts";

/** Streams all products as CSV, line by line, so that the size of the catalogue does not matter. */
export const handler = streamHandler(() => {
  return reply(200, lines(), { type: "text/csv; charset=utf-8" });
}, { types: ["text/csv"] });

async function* lines(): AsyncGenerator<string> {
  yield "id,name,price\r\n";
  for await (const id of store.list("products/")) {
    const product = await store.read<Product>(`products/${id}`);
    if (product !== undefined) yield `${product.id},${product.name},${product.price}\r\n`;
  }
}
