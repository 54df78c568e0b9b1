import type { Application, Route } from "../application/types.ts";
import { routeKey } from "../application/invoking.ts";
import { Buffer } from "node:buffer";
import { randomBytes, randomUUID } from "node:crypto";
import type { FunctionHost, InvokeOutcome } from "../lambda/function_host.ts";
import { MAX_HEADERS, MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "../rules/limits.ts";
import type { Log } from "../lambda/log.ts";
import type { Reply } from "../lambda/http.ts";
import { Stopwatch } from "../lambda/stopwatch.ts";
import { Authorizers } from "./authorizer.ts";
import { httpApi } from "./http_api.ts";
import { JwtAuthorizers } from "./jwt_authorizer.ts";
import {
  GatewayError,
  type GatewayEvent,
  type HttpRequest,
  type Ids,
  type Protocol,
  withTraceHeader,
} from "./protocol.ts";
import { restApi } from "./rest_api.ts";
import { invokeStreaming, replyOf } from "./result.ts";

/** The HTTP gateway of an application. */
export interface Gateway {
  /** Answers a request. A body over the limit may be cut anywhere beyond the limit. Never rejects. */
  answer(request: HttpRequest): Promise<Reply>;
  /** Tells whether a route takes a request. */
  serves(method: string, path: string): boolean;
  /** Forgets all results of authorizers that are kept. */
  flushAuthorizers(): void;
}

/** The kinds of gateways by their names in the manifest. */
const KINDS = { rest: restApi, http: httpApi } as const;

/** Makes the HTTP gateway of an application. Refusals are explained in the log. */
export function createGateway(
  application: Application,
  host: FunctionHost,
  log: Log,
  limit?: number,
): Gateway {
  const api = KINDS[application.gateway?.kind ?? "rest"](application) as Protocol<GatewayEvent>;
  const { authorizing } = api;
  const timeout = limit ?? api.timeout;
  const note = (text: string) => log.note(text);
  const authorizers = new Authorizers(application.gateway, authorizing, host, note);
  const tokens = new JwtAuthorizers(application.gateway?.jwtAuthorizers ?? {});

  const noted = new Set<string>();
  const noteOnce = (key: string, text: string) => {
    if (!noted.has(key)) note(text);
    noted.add(key);
  };
  /** Says why code that reads the body itself may have failed. */
  const noteBase64 = (name: string, outcome: object, what: string) => {
    if (api.kind !== "rest" || "hasLibrary" in outcome) return; // It decodes bodies.
    noteOnce(
      `body ${name}`,
      `WARN The function "${name}" ${what}, perhaps because the body of the request was in base64 ("isBase64Encoded" is true): ` +
        'leave its type out of "settings.binaryMediaTypes", or take an HTTP API ("gateway": "http")',
    );
  };

  async function forward(request: HttpRequest, ids: Ids): Promise<Reply> {
    const size = sizeOfHeaders(request.headers);
    if (size > MAX_HEADERS) {
      const reason = `the headers have ${size} bytes, over ${MAX_HEADERS}`;
      throw new GatewayError("HEADERS_TOO_LARGE", reason);
    }
    const route = api.findRoute(request);
    if ("status" in route) return api.finish(route, request, ids, undefined);
    if (request.body.length > MAX_REQUEST_BODY) {
      throw new GatewayError("REQUEST_TOO_LARGE", `the body has over ${MAX_REQUEST_BODY} bytes`);
    }
    const { function: functionName, stream } = route;
    const plain = await api.makeEvent(withTraceHeader(request), route, ids);
    const [, header] = Object.entries(plain.headers)
      .find(([name]) => name.toLowerCase() === "x-amzn-trace-id")!;
    const traceId = request.trace ?? header;
    const context = route.authorizer !== undefined &&
      { authorizer: await authorize(route.authorizer, route, plain, request.time, traceId) };
    const event = { ...plain, requestContext: { ...plain.requestContext, ...context } };
    const payload = Buffer.from(JSON.stringify(event));
    if (payload.length > MAX_SYNC_EVENT) {
      const reason = `the event has ${payload.length} bytes, over ${MAX_SYNC_EVENT}`;
      throw new GatewayError("REQUEST_TOO_LONG", reason);
    }
    const trigger = { type: "route", name: routeKey(route) } as const;
    const options = { traceId, facts: { trigger } };
    const outcome = stream
      ? await invokeStreaming(host, functionName, payload, options)
      : await within(
        timeout,
        host.timeOf?.(functionName) ?? new Stopwatch(),
        host.invoke(functionName, payload, options),
      );
    const reply = await replyOf(outcome, api.kind, (result) => {
      if (Object(result).isBase64Encoded !== true || api.takesBytes(request)) return result;
      noteOnce(
        `base64 ${functionName}`,
        `WARN The function "${functionName}" answered ${request.method} ${request.path} in base64, and the client gets the base64 as text, ` +
          'because the first type of its header "Accept" is not in "settings.binaryMediaTypes": add the type there, or "*/*". ' +
          "If the answer is only compressed, compress nothing: with @mate/core, by compress({ codings: [] })",
      );
      return { ...Object(result), isBase64Encoded: false };
    }).catch((error) => {
      if (event.isBase64Encoded) noteBase64(functionName, outcome, "failed");
      throw error;
    });
    if (event.isBase64Encoded && reply.status >= 400) {
      noteBase64(functionName, outcome, `answered ${reply.status}`);
    }
    if (reply.status === 404 || reply.status === 405) { // perhaps a route that the code does not have
      const answer = `the function "${functionName}" answered ${reply.status}`;
      log.note(`${request.method} ${request.path}: ${answer}`);
    }
    return api.finish(reply, request, ids, header);
  }

  async function authorize(
    name: string,
    { scopes }: Route,
    event: GatewayEvent,
    time: Date,
    traceId: string,
  ): Promise<object> {
    if (!tokens.has(name)) return await authorizers.authorize(name, event, time, traceId);
    const valuesOf = (source: string) => authorizing.valuesOf(source, event);
    return authorizing.tokenContextOf(await tokens.verify(name, scopes, valuesOf, time));
  }

  return {
    async answer(request) {
      const ids = {
        requestId: randomUUID(),
        extendedRequestId: randomBytes(11).toString("base64"),
      };
      return await forward(request, ids).catch((error: Error) => {
        // A host must not reject. If it does, the answer is the same as after any other failure.
        const reply = api.answer(
          error instanceof GatewayError ? error : { failure: "INTEGRATION_FAILURE" },
        );
        const { message } = error;
        const answer = reply.status < 500 ? message : `${reply.status}, because ${message}`;
        log.note(`${request.method} ${request.path}: ${answer}`);
        return { ...api.finish(reply, request, ids, undefined), reason: message };
      });
    },
    serves(method, path) {
      try {
        return "function" in api.findRoute({ method, path, query: "", headers: [] });
      } catch (error) {
        if (error instanceof GatewayError) return false;
        throw error;
      }
    },
    flushAuthorizers: () => authorizers.flush(),
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
    reject(new GatewayError("INTEGRATION_TIMEOUT", reason));
  });
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    cancel();
  }
}
