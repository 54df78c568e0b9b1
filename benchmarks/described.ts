import { deepEqual } from "node:assert/strict";
import { Router } from "npm:@aws-lambda-powertools/event-handler@2.35.0/http";
import { createRoute, OpenAPIHono } from "npm:@hono/zod-openapi@1.6.3";
import { handle } from "npm:hono@4.13.19/aws-lambda";
import * as z from "zod";
import {
  type ApiDescription,
  HttpUnprocessableEntityError,
  HttpUnsupportedMediaTypeError,
  implement,
  proxyHandler,
  reply,
  routes,
} from "../gateway/mod.ts";
import { proxyResponse } from "../testing/mod.ts";
import type { Workload } from "./contest.ts";
import { CONTEXT, eventOf, PROGRAM } from "./events.ts";
import type { Handler } from "./peers/service.ts";

const Order = z.object({
  item: z.string().min(1),
  count: z.number().int(),
  gift: z.boolean().optional(),
  tags: z.array(z.string()),
});
const Placed = Order.extend({ id: z.string() });
const ORDER = { item: "soup", count: 2, tags: ["hot", "to go"] };
const PLACED = { ...ORDER, id: "A-7" };
const OPTIONS = { indent: 0, clientErrorLevel: "off" } as const;

/** The work of the route. The secret must not leave. */
const place = (shop: string, { item, count, gift, tags }: z.output<typeof Order>) => ({
  id: `${shop}-7`,
  item,
  count,
  ...gift !== undefined && { gift },
  tags,
  secret: "sesame",
});

const api = {
  "POST /orders/{shop}": {
    path: z.object({ shop: z.string() }),
    body: Order,
    responses: { 201: Placed },
  },
} as const satisfies ApiDescription;
const described = proxyHandler(
  routes(implement(api, {
    "POST /orders/{shop}": (event) =>
      reply(201, place(event.pathParameters().shop, event.queryPayload())),
  })),
  OPTIONS,
);

const isOrder = (value: unknown): value is z.output<typeof Order> => {
  const { item, count, gift, tags } = Object(value);
  return typeof item === "string" && item !== "" && Number.isInteger(count) &&
    (gift === undefined || typeof gift === "boolean") &&
    Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
};
const handWritten = proxyHandler(
  routes({
    "POST /orders/{shop}": (event) => {
      const { shop } = event.pathParameters();
      if (event.header("content-type") !== "application/json") {
        throw new HttpUnsupportedMediaTypeError();
      }
      const payload = event.queryPayload();
      if (!isOrder(payload)) throw new HttpUnprocessableEntityError();
      const placed = place(shop!, payload);
      if (!isOrder(placed) || typeof placed.id !== "string") throw new TypeError();
      const { id, item, count, gift, tags } = placed;
      return reply(201, { item, count, gift, tags, id });
    },
  }),
  OPTIONS,
);

const hono = new OpenAPIHono();
hono.openapi(
  createRoute({
    method: "post",
    path: "/orders/{shop}",
    request: {
      params: z.object({ shop: z.string() }),
      body: { content: { "application/json": { schema: Order } }, required: true },
    },
    responses: { 201: { content: { "application/json": { schema: Placed } }, description: "" } },
  }),
  (c) => {
    const { shop } = c.req.valid("param");
    // zod-openapi does not check responses
    return c.json(Placed.parse(place(shop, c.req.valid("json"))), 201);
  },
);

const quiet = { debug() {}, warn() {}, error() {}, info() {}, trace() {} };
const powertools = new Router({ logger: quiet });
powertools.post("/orders/:shop", ({ valid }) => ({
  statusCode: 201,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(Placed.parse(place(valid.req.path.shop, valid.req.body))),
}), {
  validation: { req: { body: Order, path: z.object({ shop: z.string() }) } },
});

const HANDLERS: Readonly<Record<string, Handler>> = {
  "@mate/core": described as Handler,
  "hand-written checks": handWritten as Handler,
  "Hono zod-openapi": handle(hono) as unknown as Handler,
  Powertools: (event, context) => powertools.resolve(event, context as never),
};

const event = await eventOf({
  method: "POST",
  url: "/orders/A",
  headers: { ...PROGRAM, "Content-Type": "application/json" },
  body: JSON.stringify(ORDER),
});

/** A route whose request and response are checked. */
export const checked: Workload = {
  name: "request and response checked",
  contestants: Object.fromEntries(
    Object.entries(HANDLERS)
      .map(([name, handler]) => [name, () => handler({ ...event }, CONTEXT)]),
  ),
  async check(result) {
    const response = proxyResponse(result, { gateway: "rest" });
    deepEqual([response.status, await response.json()], [201, PLACED]);
  },
};
