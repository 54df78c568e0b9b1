/** Events and answers for the tests of the gateway. */
import { Buffer } from "node:buffer";
import type { FnContext, JsonObject } from "../../function/mod.ts";
import { type CapturedRecord, captureLog } from "../../testing/mod.ts";
import type { EventFormat } from "../event/format.ts";
import {
  type HttpResponse,
  proxyHandler,
  type ProxyHandlerOptions,
  type ProxyResult,
  type ProxyRoute,
} from "../mod.ts";
import * as events from "../../testdata/http_events.ts";

/** An event as the platform sends it. */
export function load(kind: string): JsonObject {
  return structuredClone((events as Record<string, JsonObject>)[kind]!);
}

/** An event with these headers, and nothing else. */
export const request = (headers: unknown = {}) => ({ headers });

/** The context of an invocation. */
export const context = (awsRequestId: string) => ({ awsRequestId }) as FnContext;

/** Accepts HTML and nothing else. */
export const HTML_ONLY = request({ Accept: "text/html" });

/** The message for the client of a server error. */
export const CANNED = "The server failed to answer this request";

/** The content type of JSON. */
export const JSON_UTF8 = "application/json; charset=utf-8";

/** The response of `proxyHandler()` to a request, and the records that were logged meanwhile. */
export async function answer(
  route: unknown,
  given: { event?: unknown; options?: ProxyHandlerOptions<ProxyResult> } = {},
): Promise<{ result: HttpResponse; records: CapturedRecord[] }> {
  const { event, options } = { event: request(), ...given };
  return await captureLog(() => proxyHandler(route as ProxyRoute, options)(event, context("id-1")));
}

/** Decodes a result as the gateway of the format documents it. */
export function decode(format: EventFormat, result: unknown): Response {
  const { statusCode, headers, multiValueHeaders, cookies, body, isBase64Encoded } = result as {
    statusCode: number;
    headers?: Record<string, string>;
    multiValueHeaders?: Record<string, string[]>;
    cookies?: string[];
    body?: string;
    isBase64Encoded?: boolean;
  };
  if (format !== "http" && cookies) throw new TypeError("only payload 2.0 takes cookies");
  if (/http|lattice/.test(format) && multiValueHeaders) {
    throw new TypeError(`${format} takes no multiValueHeaders`);
  }
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string`);
    fields.append(name, value);
  }
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    for (const value of values) fields.append(name, value);
  }
  for (const cookie of cookies ?? []) fields.append("set-cookie", cookie);
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (isBase64Encoded && bytes.toString("base64") !== body) throw new TypeError("bad base64");
  const isEmpty = [101, 204, 205, 304].includes(statusCode);
  return new Response(isEmpty ? null : bytes, { status: statusCode, headers: fields });
}

/** Events of a request, by format: as each gateway sends it. */
export function eventsOf(
  method: string,
  headers: Record<string, string> = {},
  path = "/orders",
): Record<string, { format: EventFormat; event: Record<string, unknown> }> {
  const lists = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]));
  const rest = {
    httpMethod: method,
    path,
    headers,
    multiValueHeaders: lists(headers),
    queryStringParameters: null,
    body: null,
    requestContext: {
      httpMethod: method,
      path: `/v0${path}`,
      stage: "v0",
      domainName: "api.example.com",
    },
  };
  const isMalformed = /%(?![0-9a-f]{2})/i.test(path);
  const http = {
    version: "2.0",
    rawPath: isMalformed ? path : decodeURIComponent(path), // an HTTP API decodes it
    rawQueryString: "",
    headers,
    requestContext: {
      domainName: "api.example.com",
      stage: "$default",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "" },
    },
  };
  const alb = {
    httpMethod: method,
    path,
    queryStringParameters: {},
    body: "",
    requestContext: {
      elb: { targetGroupArn: "arn:aws:elasticloadbalancing:eu:1:targetgroup/t/1" },
    },
  };
  const host = { ...headers, host: "api.example.com" };
  const lattice = {
    version: "2.0",
    method,
    path,
    headers: lists(host),
    requestContext: { serviceNetworkArn: "arn:aws:vpc-lattice:eu:1:servicenetwork/sn-1" },
  };
  return {
    rest: { format: "rest", event: rest },
    http: { format: "http", event: http },
    "alb single": { format: "alb", event: { ...alb, headers: host } },
    "alb multi": { format: "alb", event: { ...alb, multiValueHeaders: lists(host) } },
    lattice: { format: "lattice", event: lattice },
  };
}

/** The facts of a response that a client sees. */
export async function factsOf(response: Response) {
  const { status, headers } = response;
  const fields = [...headers].filter(([name]) => name !== "set-cookie");
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status, fields, cookies: headers.getSetCookie(), body };
}

/** The response of `proxyHandler()` to a REST request, and the records that were logged meanwhile. */
export function ask(
  route: unknown,
  options: ProxyHandlerOptions<ProxyResult>,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  return answer(route, { event: eventsOf(method, headers)["rest"]!.event, options });
}

/** Chunks, each of them late. An error is thrown. */
export async function* chunks(...parts: (string | Uint8Array | Error)[]) {
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve));
    if (part instanceof Error) throw part;
    yield part;
  }
}

/** A route that fails. */
export const fail = (error: unknown) => (): Promise<never> => Promise.reject(error);

/** The event of a function URL with these headers. */
export function eventWith(headers: Record<string, string> = {}) {
  return eventsOf("GET", { Origin: "https://a.example", ...headers })["http"]!.event;
}

/** The parts of a streamed HTTP response: the prelude, and the text after eight NULs. */
export function partsOf(body: string) {
  const [prelude = "", ...rest] = body.split("\0".repeat(8));
  return { prelude: JSON.parse(prelude), text: rest.join("\0".repeat(8)) };
}
