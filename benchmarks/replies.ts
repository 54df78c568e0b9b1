import { deepEqual, equal, match } from "node:assert/strict";
import { compress, fetchHandler } from "../gateway/mod.ts";
import { type Gateway, proxyResponse } from "../testing/mod.ts";
import type { Workload } from "./contest.ts";
import { CONTEXT, eventOf, type HttpEvent, PROGRAM, SCRIPT } from "./events.ts";
import { app, service as hono } from "./peers/hono.ts";
import { service as lambdaApi } from "./peers/lambda_api.ts";
import { service as mate } from "./peers/mate.ts";
import { service as middy } from "./peers/middy.ts";
import { service as powertools } from "./peers/powertools.ts";
import {
  archive,
  type Handler,
  MENU,
  NO_SUCH_DISH,
  ORDERS,
  type Service,
} from "./peers/service.ts";

const SERVICES: Record<string, Service> = {
  "@mate/core": mate,
  Hono: hono,
  "lambda-api": lambdaApi,
  Middy: middy,
  Powertools: powertools,
};

/** The kinds of gateways by their names in the table. */
const GATEWAYS: Record<string, Gateway> = {
  "REST API": "rest",
  "HTTP API": "http",
  "function URL": "url",
  ALB: "alb",
};

// The application compresses by itself.
const mateAdapter = fetchHandler(app, { use: [compress({ codings: [] })] }) as Handler;

interface Expected {
  readonly status: number;
  readonly payload: unknown;
  readonly isGzipped: boolean;
}

const SOUP = { url: "/menu/soup?day=friday", headers: PROGRAM };
const SOUP_REPLY: Expected = {
  status: 200,
  payload: { ...MENU["soup"], day: "friday" },
  isGzipped: false,
};

/** Replies to whole requests, from the event to the response. */
export const replies: readonly Workload[] = [
  workload("small JSON reply", handlersOf("dish"), await eventOf(SOUP), SOUP_REPLY),
  workload(
    "404 error reply",
    handlersOf("missing"),
    await eventOf({ ...SOUP, url: "/menu/stew" }),
    { status: 404, payload: { Message: NO_SUCH_DISH }, isGzipped: false },
  ),
  workload(
    "echo of 6 KB, gzipped",
    handlersOf("order"),
    await eventOf({
      method: "POST",
      url: "/orders",
      headers: SCRIPT,
      body: JSON.stringify(ORDERS),
    }),
    { status: 200, payload: ORDERS, isGzipped: true },
  ),
  workload(
    "reply of 1 MB, gzipped",
    handlersOf("archive"),
    await eventOf({ url: "/archive", headers: SCRIPT }),
    { status: 200, payload: archive(), isGzipped: true },
  ),
  ...(await Promise.all(Object.entries(GATEWAYS).map(repliesBehind))).flat(),
];

function handlersOf(work: keyof Service): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(SERVICES).map(([name, service]) => [name, service[work]]),
  );
}

/** The small reply behind a gateway: by the services, and by one and the same Hono application. */
async function repliesBehind([name, gateway]: [string, Gateway]): Promise<Workload[]> {
  const event = await eventOf(SOUP, gateway);
  const { Middy: _, ...handlers } = handlersOf("dish"); // its service reads only events of a REST API
  const adapters = { "@mate/core": mateAdapter, "hono/aws-lambda": hono.dish };
  return [
    workload(`small JSON reply, ${name}`, handlers, event, SOUP_REPLY, gateway),
    workload(`Hono application, ${name}`, adapters, event, SOUP_REPLY, gateway),
  ];
}

function workload(
  name: string,
  handlers: Readonly<Record<string, Handler>>,
  event: HttpEvent,
  expected: Expected,
  gateway: Gateway = "rest",
): Workload {
  return {
    name,
    contestants: Object.fromEntries(
      // Some libraries change the event, so every call has an event of its own.
      Object.entries(handlers)
        .map(([name, handler]) => [name, () => handler({ ...event }, CONTEXT)]),
    ),
    check: (reply) => checkReply(proxyResponse(reply, { gateway }), expected),
  };
}

async function checkReply({ status, headers, body }: Response, expected: Expected): Promise<void> {
  const isGzipped = headers.get("content-encoding") === "gzip";
  deepEqual([status, isGzipped], [expected.status, expected.isGzipped]);
  match(headers.get("content-type")!, /^application\/json\b/);
  const content = isGzipped ? body!.pipeThrough(new DecompressionStream("gzip")) : body;
  equal(await new Response(content).text(), JSON.stringify(expected.payload, null, 2));
}
