/** The HTTP API of the shop, as data. Its routes, its document and the client of its page come from this description. */
import type { ApiDescription, OpenApiOptions } from "@mate/core/gateway";
import * as z from "zod";
import { NewOrder, Order } from "./order.ts";
import { Product } from "./product.ts";

export const api = {
  "GET /products": {
    summary: "The names of all products",
    responses: { 200: z.object({ products: z.array(z.string()) }) },
  },
  "GET /products/{id}": { summary: "A product", responses: { 200: Product } },
  "POST /orders": { summary: "Place an order", body: NewOrder, responses: { 201: Order } },
  "GET /orders": {
    summary: "The orders of the customer",
    responses: { 200: z.object({ orders: z.array(Order) }) },
  },
  "GET /orders/{id}": { summary: "An order of the customer", responses: { 200: Order } },
  "POST /catalogues": {
    summary: "Upload a catalogue",
    description: "The body is a form whose field `file` is a CSV file.",
    responses: { 202: z.object({ catalogue: z.string() }) },
  },
} as const satisfies ApiDescription;

/** The document says that errors are problem details, as the middleware of the routes sends them. */
export const document = { errors: "problem" } as const satisfies Partial<OpenApiOptions>;
