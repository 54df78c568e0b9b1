import type { Application } from "../application/types.ts";
import { proxyEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { randomBytes, randomUUID } from "node:crypto";
import { ACCOUNT_ID } from "../rules/arn.ts";
import type { FunctionHost, InvokeOutcome } from "../lambda/function_host.ts";
import { GATEWAY_TIMEOUT, MAX_HEADERS, MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "../rules/limits.ts";
import type { Log } from "../lambda/log.ts";
import { Refusal, type Reply, withHeaders } from "../lambda/http.ts";
import { Stopwatch } from "../lambda/stopwatch.ts";
import type { Authorizers } from "./authorizer.ts";
import { corsFields, gatewayRefusal, invokeStreaming, replyOf } from "./result.ts";
import { createRouter, METHODS } from "../rules/router.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** The host of the URL, perhaps with a port. If the target is a URL, the `Host` header does not count. */
  readonly authority: string;
  /** The path of the URL, with the stage. */
  readonly path: string;
  /** The query of the URL, without `?`. */
  readonly query: string;
  /** The headers in the order of the request. A name may be repeated. */
  readonly headers: readonly [name: string, value: string][];
  readonly protocol: string;
  readonly sourceIp: string;
  readonly body: Uint8Array;
  readonly time: Date;
}

/** Answers a request. A body over the limit may be cut anywhere beyond the limit. Never rejects. */
export type Gateway = (request: HttpRequest) => Promise<Reply>;

/** Makes the HTTP gateway of an application: a REST API with Lambda proxy integration. Refusals are explained in the log. */
export function createGateway(
  application: Application,
  host: FunctionHost,
  log: Log,
  authorizers: Authorizers,
  timeout: number = GATEWAY_TIMEOUT,
): Gateway {
  const findRoute = createRouter(application.gateway?.routes ?? []);

  async function forward(
    request: HttpRequest,
    ids: Record<"requestId" | "extendedRequestId", string>,
  ): Promise<Reply> {
    const size = sizeOfHeaders(request.headers);
    if (size > MAX_HEADERS) {
      const reason = `the headers have ${size} bytes, over ${MAX_HEADERS}`;
      throw gatewayRefusal("HEADERS_TOO_LARGE", reason);
    }
    const prefix = `/${application.stage}`;
    if (request.path !== prefix && !request.path.startsWith(`${prefix}/`)) {
      const reason = `there is no such route: all start with ${prefix}`;
      throw gatewayRefusal("MISSING_AUTHENTICATION_TOKEN", reason);
    }
    // Several slashes after the stage count as one.
    const path = request.path.slice(prefix.length).replace(/^\/*/, "/");
    const route = findRoute(request.method, path);
    if (route === undefined) {
      const [other] = METHODS.flatMap((method) => findRoute(method, path) ?? []);
      const missing = `${request.method} ${other?.path}`;
      const hint = other === undefined
        ? ""
        : request.method === "OPTIONS"
        ? `: add the route ${missing} without an authorizer, for the preflights of browsers`
        : `: the routes of this path do not include ${missing}`;
      throw gatewayRefusal("MISSING_AUTHENTICATION_TOKEN", `there is no such route${hint}`);
    }
    const character = /[|{}]/.exec(request.query)?.[0];
    if (character !== undefined) {
      const reason = `the query has a "${character}" that is not percent-encoded`;
      throw gatewayRefusal("BAD_REQUEST", reason);
    }
    if (request.body.length > MAX_REQUEST_BODY) {
      throw gatewayRefusal("REQUEST_TOO_LARGE", `the body has over ${MAX_REQUEST_BODY} bytes`);
    }
    const { function: functionName, authorizer, stream } = route;
    const { sourceIp, protocol, time } = request;
    const { name: apiId, stage } = application;
    const facts = { apiId, stage, sourceIp, protocol, time, ...ids };
    const plain = await proxyEvent(request, {
      ...facts,
      base64: true,
      route: `${route.method} ${route.path}`,
    });
    plain.requestContext.accountId = ACCOUNT_ID;
    const context = authorizer !== undefined &&
      { authorizer: await authorizers.authorize(authorizer, plain) };
    const event = { ...plain, requestContext: { ...plain.requestContext, ...context } };
    const payload = Buffer.from(JSON.stringify(event));
    if (payload.length > MAX_SYNC_EVENT) {
      const reason = `the event has ${payload.length} bytes, over ${MAX_SYNC_EVENT}`;
      throw gatewayRefusal("REQUEST_TOO_LONG", reason);
    }
    const [, traceId] = Object.entries(event.headers)
      .find(([name]) => name.toLowerCase() === "x-amzn-trace-id")!;
    const outcome = stream
      ? await invokeStreaming(host, functionName, payload, { traceId })
      : await within(
        timeout,
        host.timeOf?.(functionName) ?? new Stopwatch(),
        host.invoke(functionName, payload, { traceId }),
      );
    const reply = await replyOf(outcome, "rest");
    if (reply.status === 404 || reply.status === 405) { // perhaps a route that the code does not have
      const answer = `the function "${functionName}" answered ${reply.status}`;
      log.note(`${request.method} ${request.path}: ${answer}`);
    }
    return withHeaders(reply, [["X-Amzn-Trace-Id", traceId]]);
  }

  return async (request) => {
    const ids = {
      requestId: randomUUID(),
      extendedRequestId: randomBytes(11).toString("base64"),
    };
    const response = await forward(request, ids).catch((error: unknown) => {
      // A host must not reject. If it does, answer 502 as after any other failure.
      const { message } = error as Error;
      const { reply } = error instanceof Refusal
        ? error
        : gatewayRefusal("INTEGRATION_FAILURE", message);
      const answer = reply.status < 500 ? message : `${reply.status}, because ${message}`;
      log.note(`${request.method} ${request.path}: ${answer}`);
      return withHeaders(reply, corsFields(application.gateway?.origin ?? "*"));
    });
    return withHeaders(response, [
      ["x-amzn-RequestId", ids.requestId],
      ["x-amz-apigw-id", ids.extendedRequestId],
    ]);
  };
}

/** Counts the bytes of headers. Each header has 4 bytes of delimiters: `: ` and a line break. */
function sizeOfHeaders(headers: HttpRequest["headers"]): number {
  return headers.reduce((size, [name, value]) => size + name.length + value.length + 4, 0);
}

async function within(
  milliseconds: number,
  time: Stopwatch,
  outcome: Promise<InvokeOutcome>,
): Promise<InvokeOutcome> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = time.after(milliseconds, () => {
    const reason = `the function took over ${milliseconds / 1_000} s, which is the gateway's limit`;
    reject(gatewayRefusal("INTEGRATION_TIMEOUT", reason));
  });
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    cancel();
  }
}
