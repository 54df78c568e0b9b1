import { encodeBase64 } from "../function/base64.ts";
import { randomDigits } from "./identifiers.ts";
import type { HeaderField, ReadRequest } from "./http_request.ts";

/** The facts of an HTTP event that are not part of the request. */
export interface HttpFacts {
  /** The stage of the API. */
  readonly stage?: string;
  /** The route that the request matches, such as `GET /orders/{id}`. */
  readonly route?: string;
  /** The claims of the caller's token. Without claims, the caller is anonymous. */
  readonly claims?: Readonly<Record<string, string>>;
  /** The context that a Lambda authorizer passes on. */
  readonly authorizer?: Readonly<Record<string, string | number | boolean>>;
  /** The variables of the stage. */
  readonly stageVariables?: Readonly<Record<string, string>>;
  /** The IP address of the client. */
  readonly sourceIp?: string;
  /** The identifier of the request. */
  readonly requestId?: string;
  /** The extended identifier of the request, which only a REST API sends. */
  readonly extendedRequestId?: string;
  /** The identifier of the API. */
  readonly apiId?: string;
  /** The time of the request. */
  readonly time?: Date;
  /** The protocol; `HTTP/1.1` by default. */
  readonly protocol?: string;
  /** Whether an Application Load Balancer sends all values of a header field and of a parameter. */
  readonly multiValueHeaders?: boolean;
  /** Whether the body is sent in base64. The default depends on the gateway and on the type of the body. */
  readonly base64?: boolean;
}

/** A request with the facts of its gateway. */
export interface HttpExchange extends ReadRequest, HttpFacts {
  readonly sourceIp: string;
  readonly requestId: string;
  readonly time: Date;
  readonly protocol: string;
}

/** The path without the stage at its start. Several slashes after the stage count as one. */
export function pathBelowStage({ path }: HttpExchange, stage: string): string {
  const prefix = `/${stage}`;
  return `${path}/`.startsWith(`${prefix}/`)
    ? path.slice(prefix.length).replace(/^\/*/, "/")
    : path;
}

/**
 * Matches a request with its route, in the syntax of Amazon API Gateway: `GET /orders/{id}`, `/files/{path+}`.
 *
 * @param path The path below the stage, as transmitted.
 * @throws {TypeError} If the route is malformed, or if the request does not match the route.
 */
export function routeOf({ route, method }: HttpExchange, path: string) {
  if (route === undefined || route === "$default") return undefined;
  const [, wanted = method, resource] = /^(?:([A-Z]+) )?(\/\S*)$/.exec(route) ?? [];
  const names: string[] = [];
  const pattern = resource?.split("/").map((part) => {
    const [, name, greedy] = /^\{([^{}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    names.push(name);
    return greedy ? "(.+?)" : "([^/]+)";
  }).join("/");
  const match = pattern !== undefined && [method, "ANY"].includes(wanted) &&
    new RegExp(`^${pattern}/?$`).exec(path);
  if (!match) {
    throw new TypeError(
      `Cannot make the event: the request ${method} ${path} does not match the route ${
        JSON.stringify(route)
      }; if the URL has a stage, name the "stage"`,
    );
  }
  const values = names.map((name, index) => [name, match[index + 1]!] as const);
  const parameters = values.length > 0 ? Object.fromEntries(values) : null;
  return { key: `${wanted} ${resource}`, resource: resource!, parameters };
}

/** The header fields of the client, and the header fields that every gateway adds, by their names in lower case. */
export function forwardedHeaders({ headers, host, scheme, sourceIp, time }: HttpExchange) {
  const fields = new Map(headers);
  const set = (name: string, value: string) => {
    const key = name.toLowerCase();
    fields.set(key, { name: fields.get(key)?.name ?? name, values: [value] });
  };
  const seconds = Math.floor(time.getTime() / 1_000).toString(16).padStart(8, "0");
  const trace = headers.get("x-amzn-trace-id")?.values.at(-1);
  const port = /:(\d+)$/.exec(host)?.[1] ?? (scheme === "http" ? "80" : "443");
  set("Host", host);
  set("X-Amzn-Trace-Id", trace ?? `Root=1-${seconds}-${randomDigits(24)}`);
  set("X-Forwarded-For", [...headers.get("x-forwarded-for")?.values ?? [], sourceIp].join(", "));
  set("X-Forwarded-Port", port);
  set("X-Forwarded-Proto", scheme);
  return fields;
}

/** The values of header fields, by the names in lower case. */
export function valuesOf(fields: ReadonlyMap<string, HeaderField>): Map<string, string[]> {
  return new Map([...fields].map(([key, { values }]) => [key, [...values]]));
}

/** The parameters of a query with all their values, in order. */
export function parametersOf(query: string, decode: (text: string) => string = decodeForm) {
  const parameters = new Map<string, string[]>();
  for (const part of query.split("&").filter((part) => part !== "")) {
    const [, name, value = ""] = /^([^=]*)=?(.*)$/s.exec(part)!;
    const key = decode(name!);
    parameters.set(key, [...parameters.get(key) ?? [], decode(value)]);
  }
  return parameters;
}

/** The last value of each header field or parameter. */
export function lastValues(lists: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...lists].map(([name, values]) => [name, values.at(-1)!]));
}

/** All values of each header field or parameter, joined by commas. */
export function joinValues(lists: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...lists].map(([name, values]) => [name, values.join(",")]));
}

function decodeForm(text: string): string {
  return decodePart(text.replaceAll("+", " "));
}

/** Percent-decodes a text. A malformed text stays as it is. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The types of the bodies that are sent as text. A REST API sends every body as text if it is UTF-8. */
const TEXT = /^\s*(?:text\/|application\/(?:json|xml|javascript)\s*(?:;|$))/i;

/** The body as an event holds it. */
export function encodeBody(
  { body, headers, base64 }: HttpExchange,
  isRest: boolean,
): { body: string; isBase64Encoded: boolean } | undefined {
  if (body.length === 0) return undefined;
  const type = headers.get("content-type")?.values[0] ?? "";
  const text = decodeUtf8(body);
  const isText = text !== undefined && (isRest || TEXT.test(type));
  return base64 ?? !isText
    ? { body: encodeBase64(body), isBase64Encoded: true }
    : { body: text ?? new TextDecoder().decode(body), isBase64Encoded: false };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A time in the Common Log Format, such as `09/Apr/2026:12:34:56 +0000`. */
export function logTime(time: Date): string {
  const [date, clock] = time.toISOString().split("T");
  const [year, month, day] = date!.split("-");
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock!.slice(0, 8)} +0000`;
}
