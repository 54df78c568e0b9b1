import { decodeBase64 } from "../function/base64.ts";
import { isPlainObject } from "../function/read.ts";
import type { Gateway } from "./proxy_event.ts";

/** Options of {@linkcode proxyResponse}. */
export interface ProxyResponseOptions {
  /** The gateway; `rest` by default. */
  readonly gateway?: Gateway;
  /** Whether an Application Load Balancer takes several values of a header field. */
  readonly multiValueHeaders?: boolean;
}

/** The keys of a result for a REST API, which refuses other keys. */
const KEYS = ["statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"];

const REMEDY = "wrap the handler in proxyHandler(), or return { statusCode, body }";

/** The name of a header field (RFC 9110 §5.6.2), and the characters that its value must not have (§5.5). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
// deno-lint-ignore no-control-regex -- control characters are meant
const CONTROL_CHARACTERS = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * The header fields that a REST API and a function URL rename.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html#api-gateway-known-issues-rest-apis
 */
const REMAPPED =
  "authorization connection content-length content-md5 date expect host max-forwards proxy-authenticate server trailer upgrade user-agent www-authenticate"
    .split(" ");

/**
 * Makes the response that a gateway sends if a function returns a result.
 *
 * - A REST API and a function URL rename some header fields, for example `Date` to `x-amzn-remapped-date`.
 * - A REST API merges `headers` and `multiValueHeaders`.
 * - For an HTTP API or a function URL, a result without `statusCode` is sent as JSON with status 200.
 * - The values of header fields are strings, numbers or booleans.
 *
 * @param result The result, as the handler returned it.
 * @param options The gateway.
 * @returns The response.
 * @throws {TypeError} If the result is malformed, for example has a key that a REST API refuses. The gateway answers 502.
 * @throws {SyntaxError} If `isBase64Encoded` is true and the body is not base64. A REST API answers 500.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 *
 * @example The response of a result
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { proxyResponse } from "@mate/core/testing";
 *
 * const response = proxyResponse({ statusCode: 201, headers: { "X-Count": 2 }, body: "Hello" });
 * assertEquals(response.status, 201);
 * assertEquals(response.headers.get("x-count"), "2");
 * assertEquals(await response.text(), "Hello");
 *
 * assertThrows(() => proxyResponse({ status: 201 }), TypeError, 'unknown key "status"');
 * ```
 */
export function proxyResponse(
  result: unknown,
  { gateway = "rest", multiValueHeaders = false }: ProxyResponseOptions = {},
): Response {
  const sent: unknown = JSON.parse(JSON.stringify(result) ?? "null");
  if (isPayload2(gateway) && !(isPlainObject(sent) && Object.hasOwn(sent, "statusCode"))) {
    const body = typeof sent === "string" ? sent : JSON.stringify(sent);
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
  if (!isPlainObject(sent)) throw malformed(`it must be an object: ${REMEDY}`);
  const stranger = Object.keys(sent).find((key) => !KEYS.includes(key));
  if (gateway === "rest" && stranger !== undefined) {
    throw malformed(`unknown key ${JSON.stringify(stranger)}: ${REMEDY}`);
  }
  const status = readStatus(sent.statusCode ?? (gateway === "rest" ? 200 : undefined));
  const body = readBody(sent);
  const headers = readHeaders(sent, gateway, multiValueHeaders);
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}

function isPayload2(gateway: Gateway): boolean {
  return gateway === "http" || gateway === "url";
}

function readStatus(status: unknown): number {
  const number = typeof status === "string" && /^\d+$/.test(status) ? Number(status) : status;
  if (Number.isInteger(number) && number as number >= 200 && number as number <= 599) {
    return number as number;
  }
  throw malformed(`"statusCode" must be an integer from 200 to 599, got ${JSON.stringify(status)}`);
}

function readBody({ body, isBase64Encoded }: Record<string, unknown>): BodyInit {
  const isBase64 = isBase64Encoded ?? false;
  if (typeof isBase64 !== "boolean") throw malformed('"isBase64Encoded" must be a boolean');
  const text = body ?? "";
  if (typeof text !== "string") throw malformed('"body" must be a string');
  const bytes = isBase64 ? decodeBase64(text) : new TextEncoder().encode(text);
  if (bytes) return bytes;
  throw new SyntaxError(
    'Cannot decode the "body" of the function\'s result: "isBase64Encoded" is true, and the body is not base64',
  );
}

function readHeaders(
  result: Record<string, unknown>,
  gateway: Gateway,
  multiValueHeaders: boolean,
): Headers {
  const headers = new Headers();
  const isRenaming = gateway === "rest" || gateway === "url";
  const append = (name: string, value: unknown, path: string) => {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw malformed(`"${path}" must be a string`);
    }
    if (!TOKEN.test(name)) throw malformed(`"${path}" must have a token for its name`);
    if (CONTROL_CHARACTERS.test(String(value))) {
      throw malformed(`"${path}" must not have control characters`);
    }
    const key = name.toLowerCase();
    if (key === "transfer-encoding") return;
    const isRemapped = isRenaming && REMAPPED.includes(key);
    headers.append(isRemapped ? `x-amzn-remapped-${key}` : key, toBytes(String(value)));
  };
  // A load balancer accepts only the kind of map that it sends. Only REST APIs accept both kinds.
  const isMulti = gateway === "rest" || gateway === "alb" && multiValueHeaders;
  if (gateway === "alb" && isMulti && Object.keys(result.headers ?? {}).length > 0) {
    throw malformed('the load balancer takes "multiValueHeaders", not "headers"');
  }
  const seen = new Set<string>();
  if (isMulti) {
    for (const [name, values] of entriesOf(result, "multiValueHeaders")) {
      const path = `multiValueHeaders.${name}`;
      if (!Array.isArray(values)) throw malformed(`"${path}" must be an array`);
      for (const value of values) append(name, value, path);
      for (const value of values) seen.add(`${name.toLowerCase()}\n${value}`);
    }
  }
  for (const [name, value] of entriesOf(result, "headers")) {
    // A REST API merges both maps, and drops a value that is in both.
    if (!seen.has(`${name.toLowerCase()}\n${value}`)) append(name, value, `headers.${name}`);
  }
  if (isPayload2(gateway)) {
    const cookies = result.cookies ?? [];
    if (!Array.isArray(cookies)) throw malformed('"cookies" must be an array');
    for (const cookie of cookies) append("set-cookie", cookie, "cookies");
  }
  if (!headers.has("content-type") && gateway !== "alb" && gateway !== "lattice") {
    const isHttp = gateway === "http";
    headers.set("content-type", isHttp ? "text/plain; charset=utf-8" : "application/json");
  }
  return headers;
}

function entriesOf(result: Record<string, unknown>, key: string): [string, unknown][] {
  const map = result[key] ?? {};
  if (isPlainObject(map)) return Object.entries(map);
  throw malformed(`"${key}" must be an object`);
}

/** Converts a header value for `Headers`: to one character for each byte in UTF-8. */
function toBytes(value: string): string {
  const bytes = new TextEncoder().encode(value);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function malformed(problem: string): TypeError {
  return new TypeError(`Malformed Lambda proxy response: ${problem}`);
}
