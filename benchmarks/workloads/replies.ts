import { gunzipSync } from "node:zlib";
import { floor } from "../peers/floor.ts";
import { honoService } from "../peers/hono.ts";
import { lambdaApiService } from "../peers/lambda_api.ts";
import { mate } from "../peers/mate.ts";
import { middyService } from "../peers/middy.ts";
import { powertoolsService } from "../peers/powertools.ts";
import type { Service } from "../peers/service.ts";
import { serverlessHttpService } from "../peers/serverless_http.ts";
import type { Workload } from "../workload.ts";
import { CONTEXT, PROGRAM, type Request, restEvent, SCRIPT } from "./_events.ts";
import { ARCHIVE, MENU, NO_SUCH_DISH, ORDER } from "./_menu.ts";

const SERVICES = [
  floor,
  mate,
  middyService,
  honoService,
  lambdaApiService,
  serverlessHttpService,
  powertoolsService,
];

/** What is expected of a reply. */
interface Expected {
  readonly status: number;
  readonly payload: unknown;
  readonly isGzipped: boolean;
}

/** Replies to whole requests, from the event to the response. */
export const replies: readonly Workload[] = [
  workload("small JSON reply", 2.2, "dish", {
    path: "/menu/soup",
    headers: PROGRAM,
    query: { day: "friday" },
  }, { status: 200, payload: { ...MENU["soup"], day: "friday" }, isGzipped: false }),
  workload("6 KB echo, gzipped", 1.05, "order", {
    method: "POST",
    path: "/orders",
    headers: SCRIPT,
    body: ORDER,
  }, { status: 200, payload: JSON.parse(ORDER), isGzipped: true }),
  workload("1 MB, gzipped", 1.01, "archive", {
    path: "/archive",
    headers: SCRIPT,
  }, { status: 200, payload: ARCHIVE, isGzipped: true }),
  workload("404 error reply", 1.4, "missing", {
    path: "/menu/stew",
    headers: PROGRAM,
    query: { day: "friday" },
  }, { status: 404, payload: { Message: NO_SUCH_DISH }, isGzipped: false }),
];

function workload(
  name: string,
  aim: number,
  handler: "dish" | "order" | "archive" | "missing",
  request: Request,
  expected: Expected,
): Workload {
  const event = restEvent(request);
  return {
    name,
    aim,
    contestants: SERVICES.map((service: Service) => ({
      name: service.name,
      // Some change the event, so each call has one of its own, as shallow as what they change.
      run: () => service[handler]({ ...event }, CONTEXT),
    })),
    check: (result) => checkReply(result, expected),
  };
}

/** Raises where a reply is not what is expected, byte by byte. */
export function checkReply(reply: unknown, { status, payload, isGzipped }: Expected): void {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = reply as {
    statusCode: number;
    headers?: Record<string, string>;
    multiValueHeaders?: Record<string, string[]>;
    body: string;
    isBase64Encoded?: boolean;
  };
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    fields[name.toLowerCase()] = String(value);
  }
  const content = isGzipped
    ? gunzipSync(Uint8Array.from(atob(body), (character) => character.charCodeAt(0))).toString()
    : body;
  const problem = statusCode !== status
    ? `the status is ${statusCode}`
    : (isBase64Encoded ?? false) !== isGzipped
    ? `isBase64Encoded is ${isBase64Encoded}`
    : (fields["content-encoding"] === "gzip") !== isGzipped
    ? `the content encoding is ${fields["content-encoding"]}`
    : !/^application\/json\b/.test(fields["content-type"] ?? "")
    ? `the content type is ${fields["content-type"]}`
    : content !== JSON.stringify(payload, null, 2)
    ? `the content is ${content.slice(0, 80)}`
    : undefined;
  if (problem !== undefined) throw new Error(`The reply is wrong: ${problem}`);
}
