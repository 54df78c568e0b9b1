import { deepEqual, equal, match } from "node:assert/strict";
import { fetchHandler } from "../gateway/mod.ts";
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
  type Facts,
  type Handler,
  MARKS,
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

const mateAdapter = fetchHandler(app) as Handler;

interface Expected {
  readonly status: number;
  readonly payload: unknown;
  readonly isGzipped: boolean;
  /** Further header fields. */
  readonly fields?: Readonly<Record<string, RegExp>>;
}

const SOUP = { url: "/menu/soup?day=friday", headers: PROGRAM };
const SOUP_REPLY: Expected = {
  status: 200,
  payload: { ...MENU["soup"], day: "friday" },
  isGzipped: false,
};

const ORDER = {
  method: "POST",
  url: "/orders",
  headers: SCRIPT,
  body: JSON.stringify(ORDERS),
};

/** The facts about the request of the small reply. */
const FACTS: Facts = {
  address: "198.51.100.17",
  agent: PROGRAM["User-Agent"],
  day: "friday",
  domain: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
  method: "GET",
  path: ["menu", "soup"],
  protocol: "HTTP/1.1",
  port: "443",
  user: "5d1f7f4c",
};

const CORS = { "Access-Control-Allow-Origin": /^https:..shop.example.com$/ };

/** Replies to whole requests, from the event to the response. */
export const replies: readonly Workload[] = [
  workload("small JSON reply", handlersOf("dish"), await eventOf(SOUP), SOUP_REPLY),
  workload("small JSON reply, every fact read", handlersOf("facts"), await eventOf(SOUP), {
    ...SOUP_REPLY,
    payload: FACTS,
  }),
  workload("small JSON reply, three middlewares", handlersOf("three"), await eventOf(SOUP), {
    ...SOUP_REPLY,
    fields: Object.fromEntries(MARKS.map((name) => [name, /^1$/])),
  }),
  workload("small JSON reply, CORS", handlersOf("cors"), await eventOf(SOUP), {
    ...SOUP_REPLY,
    fields: CORS,
  }),
  workload(
    "small JSON reply, CORS, every fact read",
    handlersOf("factsCors"),
    await eventOf(SOUP),
    {
      ...SOUP_REPLY,
      payload: FACTS,
      fields: CORS,
    },
  ),
  workload("small JSON reply, CORS and ETag", handlersOf("tagged"), await eventOf(SOUP), {
    ...SOUP_REPLY,
    fields: { ...CORS, ETag: /^"/ },
  }),
  workload(
    "404 error reply",
    handlersOf("missing"),
    await eventOf({ ...SOUP, url: "/menu/stew" }),
    { status: 404, payload: { Message: NO_SUCH_DISH }, isGzipped: false },
  ),
  workload(
    "404 error reply, CORS",
    handlersOf("missingCors"),
    await eventOf({ ...SOUP, url: "/menu/stew" }),
    { status: 404, payload: { Message: NO_SUCH_DISH }, isGzipped: false, fields: CORS },
  ),
  workload(
    "echo of 6 KB, gzipped",
    handlersOf("order"),
    await eventOf(ORDER),
    { status: 200, payload: ORDERS, isGzipped: true },
  ),
  workload(
    "echo of 6 KB, gzipped, CORS",
    handlersOf("orderCors"),
    await eventOf(ORDER),
    { status: 200, payload: ORDERS, isGzipped: true, fields: CORS },
  ),
  workload(
    "reply of 1 MB, gzipped",
    handlersOf("archive"),
    await eventOf({ url: "/archive", headers: SCRIPT }),
    { status: 200, payload: archive(), isGzipped: true },
  ),
  ...(await Promise.all(Object.entries(GATEWAYS).map(repliesBehind))).flat(),
];

/** The handlers of all services that do a work. */
function handlersOf(work: keyof Service): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(SERVICES).flatMap(([name, { [work]: handler }]) =>
      handler ? [[name, handler]] : []
    ),
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
  for (const [name, value] of Object.entries(expected.fields ?? {})) {
    match(headers.get(name) ?? "", value);
  }
  const isGzipped = headers.get("content-encoding") === "gzip";
  deepEqual([status, isGzipped], [expected.status, expected.isGzipped]);
  match(headers.get("content-type")!, /^application\/json\b/);
  const content = isGzipped ? body!.pipeThrough(new DecompressionStream("gzip")) : body;
  equal(await new Response(content).text(), JSON.stringify(expected.payload, null, 2));
}
