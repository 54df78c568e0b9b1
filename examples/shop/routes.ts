import {
  HttpNotFoundError,
  HttpUnprocessableEntityError,
  implement,
  problemDetails,
  proxyHandler,
  reply,
  routes,
} from "@mate/core/gateway";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { api } from "./api.ts";
import type { Order } from "./order.ts";
import * as orders from "./orders.ts";
import type { Product } from "./product.ts";
import * as store from "./store.ts";

export const handler = proxyHandler(
  routes(implement(api, {
    "GET /products": async () => ({ products: await Array.fromAsync(store.list("products/")) }),

    "GET /products/{id}": async (event) => {
      const { id } = event.pathParameters();
      const product = await store.read<Product>(`products/${id}`);
      if (product === undefined) throw new HttpNotFoundError(`There is no product "${id}"`);
      return product;
    },

    "POST /orders": async (event) => {
      const order = event.queryPayload();
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
      await orders.add(stored);
      return reply(201, stored, { headers: { Location: `${event.url().pathname}/${id}` } });
    },

    "GET /orders": async (event) => ({ orders: await orders.list(customerOf(event)) }),

    "GET /orders/{id}": async (event) => {
      const { id } = event.pathParameters();
      const order = await orders.find(customerOf(event), id);
      if (order === undefined) throw new HttpNotFoundError(`There is no order "${id}"`);
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
  })),
  { clientErrorLevel: "info", use: [problemDetails()] },
);

/** The customer, as the authorizer names them. */
function customerOf(event: { authorizer(): Readonly<Record<string, unknown>> | null }): string {
  return String(event.authorizer()?.customer);
}
