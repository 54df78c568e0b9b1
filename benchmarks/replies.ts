import { deepEqual, equal, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { Workload } from "./contest.ts";
import { CONTEXT, PROGRAM, type Request, restEvent, SCRIPT } from "./events.ts";
import { archive, MENU, NO_SUCH_DISH, ORDERS } from "./menu.ts";
import { service as hono } from "./peers/hono.ts";
import { service as lambdaApi } from "./peers/lambda_api.ts";
import { service as mate } from "./peers/mate.ts";
import { service as middy } from "./peers/middy.ts";
import { service as powertools } from "./peers/powertools.ts";
import type { Service } from "./peers/service.ts";

const SERVICES: Record<string, Service> = {
  "@mate/core": mate,
  Hono: hono,
  "lambda-api": lambdaApi,
  Middy: middy,
  Powertools: powertools,
};

interface Expected {
  readonly status: number;
  readonly payload: unknown;
  readonly isGzipped: boolean;
}

/** Replies to whole requests, from the event to the response. */
export const replies: readonly Workload[] = [
  workload("small JSON reply", "dish", {
    path: "/menu/soup",
    headers: PROGRAM,
    query: { day: "friday" },
  }, { status: 200, payload: { ...MENU["soup"], day: "friday" }, isGzipped: false }),
  workload("404 error reply", "missing", {
    path: "/menu/stew",
    headers: PROGRAM,
    query: { day: "friday" },
  }, { status: 404, payload: { Message: NO_SUCH_DISH }, isGzipped: false }),
  workload("echo of 6 KB, gzipped", "order", {
    method: "POST",
    path: "/orders",
    headers: SCRIPT,
    body: JSON.stringify(ORDERS),
  }, { status: 200, payload: ORDERS, isGzipped: true }),
  workload("reply of 1 MB, gzipped", "archive", {
    path: "/archive",
    headers: SCRIPT,
  }, { status: 200, payload: archive(), isGzipped: true }),
];

function workload(
  name: string,
  handler: keyof Service,
  request: Request,
  expected: Expected,
): Workload {
  const event = restEvent(request);
  return {
    name,
    contestants: Object.fromEntries(
      // Some libraries change the event, so every call has an event of its own.
      Object.entries(SERVICES).map(([name, service]) => [
        name,
        () => service[handler]({ ...event }, CONTEXT),
      ]),
    ),
    check: (reply) => checkReply(reply, expected),
  };
}

function checkReply(reply: unknown, { status, payload, isGzipped }: Expected): void {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded = false } = reply as {
    statusCode: number;
    headers?: Record<string, string>;
    multiValueHeaders?: Record<string, string[]>;
    body: string;
    isBase64Encoded?: boolean;
  };
  const fields = new Headers({
    ...headers,
    ...multiValueHeaders as Record<string, unknown> as Record<string, string>,
  });
  deepEqual(
    [statusCode, isBase64Encoded, fields.get("content-encoding") === "gzip"],
    [status, isGzipped, isGzipped],
  );
  match(fields.get("content-type")!, /^application\/json\b/);
  const content = isGzipped ? gunzipSync(Buffer.from(body, "base64")).toString() : body;
  equal(content, JSON.stringify(payload, null, 2));
}
