import { decodeBase64 } from "../function/base64.ts";
import { isRecord } from "../logger/text.ts";
import type { Gateway } from "./proxy_event.ts";

/** The keys of a result, for each gateway that refuses other keys. */
const KEYS = ["statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"];

/** Header fields that a REST API sends under another name. */
const REMAPPED =
  "authorization connection content-length content-md5 date expect host max-forwards proxy-authenticate server trailer upgrade user-agent www-authenticate"
    .split(" ");

/**
 * Makes the response that a gateway sends of a result.
 *
 * @throws {TypeError} If the gateway cannot make a response of the result. The message says why.
 */
export function toResponse(
  result: unknown,
  gateway: Gateway,
  multiValueHeaders: boolean,
): Response {
  const sent: unknown = JSON.parse(JSON.stringify(result) ?? "null");
  const isPayload2 = gateway === "http" || gateway === "url";
  if (isPayload2 && !(isRecord(sent) && Object.hasOwn(sent, "statusCode"))) {
    const body = typeof sent === "string" ? sent : JSON.stringify(sent);
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
  if (!isRecord(sent)) throw malformed(`expected an object, got ${JSON.stringify(sent)}`);
  const stranger = Object.keys(sent).find((key) => !KEYS.includes(key));
  if (gateway === "rest" && stranger !== undefined) {
    throw malformed(`unknown key ${JSON.stringify(stranger)}`);
  }
  const status = readStatus(sent.statusCode ?? (gateway === "rest" ? 200 : undefined));
  const body = readBody(sent);
  const headers = readHeaders(sent, gateway, multiValueHeaders);
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}

function readStatus(status: unknown): number {
  const number = typeof status === "string" && /^\d+$/.test(status) ? Number(status) : status;
  if (Number.isInteger(number) && number as number >= 200 && number as number <= 599) {
    return number as number;
  }
  throw malformed(`"statusCode" must be an integer from 200 to 599, got ${JSON.stringify(status)}`);
}

function readBody({ body, isBase64Encoded = false }: Record<string, unknown>): BodyInit {
  if (typeof isBase64Encoded !== "boolean") throw malformed('"isBase64Encoded" must be a boolean');
  const text = body ?? "";
  if (typeof text !== "string") throw malformed('"body" must be a string');
  const bytes = isBase64Encoded ? decodeBase64(text) : new TextEncoder().encode(text);
  if (bytes) return bytes;
  throw malformed('"isBase64Encoded" is true, but "body" is not base64');
}

function readHeaders(
  result: Record<string, unknown>,
  gateway: Gateway,
  multiValueHeaders: boolean,
): Headers {
  const headers = new Headers();
  const append = (name: string, value: unknown, path: string) => {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw malformed(`"${path}.${name}" must be a string`);
    }
    const isRemapped = gateway === "rest" && REMAPPED.includes(name.toLowerCase());
    try {
      headers.append(isRemapped ? `x-amzn-remapped-${name}` : name, toBytes(String(value)));
    } catch (cause) {
      throw malformed(`"${path}.${name}" is not a header field`, { cause });
    }
  };
  // A load balancer takes the map of the kind that it sends. Only REST APIs take both.
  const isMulti = gateway === "rest" || gateway === "alb" && multiValueHeaders;
  if (gateway === "alb" && isMulti && Object.keys(result.headers ?? {}).length > 0) {
    throw malformed('the load balancer takes "multiValueHeaders", not "headers"');
  }
  const seen = new Set<string>();
  if (isMulti) {
    for (const [name, values] of entriesOf(result, "multiValueHeaders")) {
      if (!Array.isArray(values)) throw malformed(`"multiValueHeaders.${name}" must be an array`);
      for (const value of values) append(name, value, "multiValueHeaders");
      for (const value of values) seen.add(`${name.toLowerCase()}\n${value}`);
    }
  }
  for (const [name, value] of entriesOf(result, "headers")) {
    // A REST API merges both maps, and drops a value that is in both.
    if (!seen.has(`${name.toLowerCase()}\n${value}`)) append(name, value, "headers");
  }
  if (gateway === "http" || gateway === "url") {
    const { cookies = [] } = result;
    if (!Array.isArray(cookies)) throw malformed('"cookies" must be an array');
    for (const cookie of cookies) append("set-cookie", cookie, "cookies");
  }
  if (!headers.has("content-type") && gateway !== "alb" && gateway !== "lattice") {
    const isRest = gateway === "rest";
    headers.set("content-type", isRest ? "application/json" : "text/plain; charset=utf-8");
  }
  return headers;
}

function entriesOf(result: Record<string, unknown>, key: string): [string, unknown][] {
  const map = result[key] ?? {};
  if (isRecord(map)) return Object.entries(map);
  throw malformed(`"${key}" must be an object`);
}

/** A header value as `Headers` takes it: one character for each byte of the UTF-8 form. */
function toBytes(value: string): string {
  return String.fromCharCode(...new TextEncoder().encode(value));
}

function malformed(problem: string, options?: ErrorOptions): TypeError {
  return new TypeError(`Malformed result of the handler: ${problem}`, options);
}
