import {
  HttpNotFoundError,
  HttpUnprocessableEntityError,
  problemDetails,
  proxyHandler,
  reply,
  routes,
} from "@mate/core/gateway";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { z } from "zod";
import type { Product } from "./product.ts";
import * as store from "./store.ts";

const NewOrder = z.object({
  product: z.string(),
  quantity: z.number().int().min(1).max(100),
});

interface Order extends z.infer<typeof NewOrder> {
  id: string;
  customer: string;
  total: number;
}

export const handler = proxyHandler(
  routes({
    "GET /products": async () => ({ products: await Array.fromAsync(store.list("products/")) }),

    "GET /products/{id}": async (event) => {
      const { id } = event.pathParameters();
      const product = await store.read<Product>(`products/${id}`);
      if (product === undefined) throw new HttpNotFoundError(`There is no product "${id}"`);
      return product;
    },

    "POST /orders": async (event) => {
      const order = event.queryPayload(NewOrder);
      const product = await store.read<Product>(`products/${order.product}`);
      if (product === undefined) {
        throw new HttpUnprocessableEntityError(`There is no product "${order.product}"`);
      }
      const id = crypto.randomUUID();
      const stored: Order = {
        ...order,
        id,
        customer: customerOf(event),
        total: product.price * order.quantity,
      };
      await store.write(`orders/${id}`, stored);
      return reply(201, stored, { headers: { Location: `${event.url().pathname}/${id}` } });
    },

    "GET /orders/{id}": async (event) => {
      const { id } = event.pathParameters();
      const order = await store.read<Order>(`orders/${id}`);
      if (order?.customer !== customerOf(event)) {
        throw new HttpNotFoundError(`There is no order "${id}"`);
      }
      return order;
    },

    "POST /catalogues": async (event) => {
      const file = (await event.formData()).get("file");
      if (!(file instanceof File)) {
        throw new HttpUnprocessableEntityError('The form has no file with the name "file"');
      }
      const Key = `${crypto.randomUUID()}.csv`;
      await store.s3.send(
        new PutObjectCommand({
          Bucket: Deno.env.get("BUCKET_UPLOADS"),
          Key,
          Body: await file.bytes(),
        }),
      );
      return reply(202, { catalogue: Key });
    },
  }),
  { clientErrorLevel: "info", use: [problemDetails()] },
);

/** The customer, as the authorizer names them. */
function customerOf(event: { authorizer(): Readonly<Record<string, unknown>> | null }): string {
  return String(event.authorizer()?.customer);
}
