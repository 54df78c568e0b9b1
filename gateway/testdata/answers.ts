/** Events of all gateways, and their responses, for the tests of the gateway. */
import { Buffer } from "node:buffer";
import { type CapturedRecord, captureLog } from "../../testing/mod.ts";
import type { EventFormat } from "../event/formats/format.ts";
import {
  type HttpResponse,
  proxyHandler,
  type ProxyHandlerOptions,
  type ProxyRoute,
} from "../mod.ts";

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
  const multiValueHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value]]),
  );
  const rest = {
    httpMethod: method,
    path,
    headers,
    multiValueHeaders,
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
  const hosts = Object.fromEntries(Object.entries(host).map(([name, value]) => [name, [value]]));
  const lattice = {
    version: "2.0",
    method,
    path,
    headers: hosts,
    requestContext: { serviceNetworkArn: "arn:aws:vpc-lattice:eu:1:servicenetwork/sn-1" },
  };
  return {
    rest: { format: "rest", event: rest },
    http: { format: "http", event: http },
    "alb single": { format: "alb", event: { ...alb, headers: host } },
    "alb multi": { format: "alb", event: { ...alb, multiValueHeaders: hosts } },
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

/** The response to a REST request, and the records that were logged meanwhile. */
export async function ask(
  route: unknown,
  options: ProxyHandlerOptions,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ result: HttpResponse; records: CapturedRecord[] }> {
  const { event } = eventsOf(method, headers)["rest"]!;
  return await captureLog(() => proxyHandler(route as ProxyRoute, options)(event));
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
