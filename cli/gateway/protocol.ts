import type { FunctionManifest, Gateway, Route } from "../application/types.ts";
import type { Statement } from "../rules/statement.ts";
import type { Reply } from "../lambda/http.ts";
import { readTraceHeader, rootOf } from "../rules/trace_header.ts";

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
  /** The trace header of the invocations of this request. It is not among the headers, whose size has a limit. */
  readonly trace?: string | undefined;
}

/** Adds the root of the trace for the event, if the client has sent none. */
export function withTraceHeader<Request extends HttpRequest>(request: Request): Request {
  const { trace, headers } = request;
  const { traceId } = readTraceHeader(trace);
  if (traceId === undefined || headers.some(([name]) => TRACE.test(name))) return request;
  return { ...request, headers: [...headers, ["X-Amzn-Trace-Id", rootOf(traceId)]] };
}

const TRACE = /^x-amzn-trace-id$/i;

/**
 * Why a gateway answers a request without the function, or in place of it. The names are those of the gateway responses of REST
 * APIs, except `HEADERS_TOO_LARGE`, `NO_ROUTE` and `REQUEST_TOO_LONG`, which have none there.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export type Failure =
  | "ACCESS_DENIED"
  | "API_CONFIGURATION_ERROR"
  | "AUTHORIZER_CONFIGURATION_ERROR"
  | "AUTHORIZER_FAILURE"
  | "BAD_REQUEST"
  | "EXPLICIT_DENY"
  | "HEADERS_TOO_LARGE"
  | "INTEGRATION_FAILURE"
  | "INTEGRATION_TIMEOUT"
  | "NO_ROUTE"
  | "REQUEST_TOO_LARGE"
  | "REQUEST_TOO_LONG"
  | "UNAUTHORIZED";

/** The end of a request that no function answers. The message is the reason for the log, and the client does not get it. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";

  /**
   * @param failure Why no function answers.
   * @param challenge The `WWW-Authenticate` of the answer.
   */
  constructor(readonly failure: Failure, reason: string, readonly challenge?: string) {
    super(reason);
  }
}

/** What both kinds of events have, as the gateway reads it. */
export interface GatewayEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly isBase64Encoded: boolean;
  readonly requestContext: object;
}

/** The identifiers of a request. */
export type Ids = Readonly<Record<"requestId" | "extendedRequestId", string>>;

/** A verified token: its claims as texts, and those of its scopes that the route asks for. */
export interface Token {
  readonly claims: Readonly<Record<string, string>>;
  readonly scopes: readonly string[] | null;
}

/** What an authorizer says about a caller. */
export interface Verdict {
  /** The statements that decide about each request. */
  readonly statements: readonly Statement[];
  /** What the function of the route gets. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** What an authorizer is asked about. */
export interface Question<Event> {
  /** The event for the function that the authorizer protects. */
  readonly event: Event;
  /** The ARN of the request. */
  readonly resource: string;
  /** The values of the sources that a result is kept by, or the token; null if no result is kept. */
  readonly values: readonly (readonly unknown[])[] | null;
  readonly authorizes: FunctionManifest["authorizes"];
}

/** How a kind of gateway asks the functions that authorize. */
export interface Authorizing<Event> {
  /** Returns the values of a source of the cache's key, such as `header.Authorization`. */
  valuesOf(source: string, event: Event): readonly unknown[];
  /** Returns the ARN of the request, which the statements name. */
  resourceOf(event: Event): string;
  /** The condition keys that the statements can use. */
  conditionsOf(event: Event): Readonly<Record<string, string>>;
  /** Makes the event of the authorizer. */
  questionOf(question: Question<Event>): unknown;
  /** Reads the result of an authorizer. Throws a {@linkcode GatewayError} if it is malformed. */
  readResult(result: unknown, name: string, authorizes: FunctionManifest["authorizes"]): Verdict;
  /** Makes the `requestContext.authorizer` of the event. `latency` has the milliseconds that the authorizer took. */
  contextOf(verdict: Verdict, latency: number): object;
  /** Makes the `requestContext.authorizer` of the event for a token. */
  tokenContextOf(token: Token): object;
}

/** What differs between the kinds of gateways. */
export interface Protocol<Event extends GatewayEvent> {
  /** The name in the manifest. */
  readonly kind: Gateway["kind"];
  /** The longest time of a function, in milliseconds. */
  readonly timeout: number;
  readonly authorizing: Authorizing<Event>;
  /** Finds the route of a request, or the gateway's own answer. Throws a {@linkcode GatewayError} if there is none. */
  findRoute(request: Pick<HttpRequest, "method" | "path" | "query" | "headers">): Route | Reply;
  makeEvent(request: HttpRequest, route: Route, ids: Ids): Promise<Event>;
  /** Tells whether the client gets the bytes of a result in base64, and not the text. */
  takesBytes(request: HttpRequest): boolean;
  /** Makes the answer to a request that no function answers. */
  answer(error: Pick<GatewayError, "failure" | "challenge">): Reply;
  /** Adds the header fields of the gateway to a reply. The trace is that of the invocation, if there was one. */
  finish(reply: Reply, request: HttpRequest, ids: Ids, traceId: string | undefined): Reply;
}

/** The path below the first of some prefixes that it begins with. Several slashes after the prefix count as one. */
export function pathBelow(path: string, prefixes: readonly string[]): string | undefined {
  const prefix = prefixes.find((one) => path === one || path.startsWith(`${one}/`));
  return prefix === undefined ? undefined : path.slice(prefix.length).replace(/^\/*/, "/");
}
