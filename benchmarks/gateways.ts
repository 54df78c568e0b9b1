import { deepEqual } from "node:assert/strict";
import { Hono } from "npm:hono@4.13.19";
import { handle } from "npm:hono@4.13.19/aws-lambda";
import { fetchHandler } from "../gateway/mod.ts";
import { type Gateway, proxyEvent } from "../testing/mod.ts";
import type { Workload } from "./contest.ts";
import { CONTEXT, PROGRAM } from "./events.ts";
import { MENU } from "./menu.ts";
import { service as hono } from "./peers/hono.ts";
import { service as lambdaApi } from "./peers/lambda_api.ts";
import { service as mate } from "./peers/mate.ts";
import { service as powertools } from "./peers/powertools.ts";
import type { Handler } from "./peers/service.ts";

/** The kinds of gateways by the names in the table. */
const GATEWAYS = {
  "REST API": "rest",
  "HTTP API": "http",
  "function URL": "url",
  ALB: "alb",
} as const;

const SERVICES = {
  "@mate/core": mate,
  Hono: hono,
  "lambda-api": lambdaApi,
  Powertools: powertools,
};

const app = new Hono();
app.get("/menu/:dish", (c) => c.json({ ...MENU[c.req.param("dish")], day: c.req.query("day") }));

/** Adapters of one and the same application. */
const ADAPTERS = {
  "@mate/core": fetchHandler(app) as Handler,
  "hono/aws-lambda": handle(app) as unknown as Handler,
};

const dishes = Object.fromEntries(
  Object.entries(SERVICES).map(([name, { dish }]) => [name, dish]),
);

/** The small reply behind each kind of gateway, by a service of each library and by a Hono application. */
export const gateways: readonly Workload[] = await Promise.all(
  Object.entries(GATEWAYS).flatMap(([name, gateway]) => [
    workload(`small reply, ${name}`, gateway, dishes),
    workload(`Hono application, ${name}`, gateway, ADAPTERS),
  ]),
);

async function workload(
  name: string,
  gateway: Gateway,
  handlers: Readonly<Record<string, Handler>>,
): Promise<Workload> {
  const request = { url: "/menu/soup?day=friday", headers: PROGRAM };
  const event = JSON.parse(JSON.stringify(await proxyEvent(request, { gateway })));
  return {
    name,
    contestants: Object.fromEntries(
      Object.entries(handlers).map((
        [name, handler],
      ) => [name, () => handler({ ...event }, CONTEXT)]),
    ),
    check: (reply) => {
      const { statusCode, body } = reply as { statusCode: number; body: string };
      deepEqual([statusCode, JSON.parse(body)], [200, { ...MENU["soup"], day: "friday" }]);
    },
  };
}
