import { Buffer } from "node:buffer";
import type { Reply } from "../reply.ts";
import { GatewayError } from "./errors.ts";

const KEYS: ReadonlySet<string> = new Set([
  "statusCode",
  "headers",
  "multiValueHeaders",
  "body",
  "isBase64Encoded",
]);

/** The characters of a header's name and of its value: RFC 9110 §5.6.2 and §5.5. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7E\x80-\uFFFF]*$/;

/**
 * Response headers that the gateway sends under another name.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html#api-gateway-known-issues-rest-apis
 */
const REMAPPED: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-md5",
  "date",
  "expect",
  "host",
  "max-forwards",
  "proxy-authenticate",
  "server",
  "trailer",
  "upgrade",
  "user-agent",
  "www-authenticate",
]);

/**
 * Makes the HTTP response of a function's result, as a REST API with Lambda proxy integration and
 * `binaryMediaTypes: ["*\/*"]` does. Every key is optional, and no other key is allowed.
 *
 * @throws {GatewayError} If the result is malformed; the message says where.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function readProxyResult(payload: Uint8Array): Reply & { readonly body: Uint8Array } {
  const result = parse(payload);
  const stranger = Object.keys(result).find((key) => !KEYS.has(key));
  if (stranger !== undefined) throw malformed(`unknown key ${JSON.stringify(stranger)}`);
  const isBase64 = result.isBase64Encoded ?? false;
  if (typeof isBase64 !== "boolean") throw malformed('"isBase64Encoded" must be a boolean');
  return {
    status: readStatus(result.statusCode ?? 200),
    headers: readHeaders(result.headers ?? {}, result.multiValueHeaders ?? {}),
    body: readBody(result.body ?? "", isBase64),
  };
}

function parse(payload: Uint8Array): Record<string, unknown> {
  let result: unknown;
  try {
    result = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch (error) {
    throw malformed((error as Error).message);
  }
  if (!isObject(result)) throw malformed("it must be an object");
  return result;
}

/** An integer. It may be written as a string. */
function readStatus(status: unknown): number {
  const isNumeral = typeof status === "string" && /^\d+$/.test(status);
  const number = isNumeral ? Number(status) : status;
  if (!Number.isInteger(number) || (number as number) < 200 || (number as number) > 599) {
    throw malformed(
      `"statusCode" must be an integer from 200 to 599, got ${JSON.stringify(status)}`,
    );
  }
  return number as number;
}

/** Merges both maps. If a name is in both, the values of `multiValueHeaders` come first, and no value comes twice. */
function readHeaders(single: unknown, multi: unknown): readonly (readonly [string, string])[] {
  if (!isObject(single)) throw malformed('"headers" must be an object');
  if (!isObject(multi)) throw malformed('"multiValueHeaders" must be an object');
  const headers = new Map<string, { name: string; values: string[] }>();
  const add = (key: string, path: string, value: unknown) => {
    const text = typeof value === "boolean" ? String(value) : value;
    if (typeof text !== "string") throw malformed(`${path} must be a string`);
    if (!TOKEN.test(key)) throw malformed(`${path} must have a token for its name`);
    if (!FIELD_VALUE.test(text)) throw malformed(`${path} must not have control characters`);
    const lower = key.toLowerCase();
    if (lower === "transfer-encoding") return;
    const name = REMAPPED.has(lower) ? `x-amzn-Remapped-${key}` : key;
    const known = headers.get(lower);
    if (known === undefined) headers.set(lower, { name, values: [text] });
    else if (!known.values.includes(text)) known.values.push(text);
  };
  for (const [key, values] of Object.entries(multi)) {
    const path = `"multiValueHeaders.${key}"`;
    if (!Array.isArray(values)) throw malformed(`${path} must be an array`);
    for (const value of values) add(key, path, value);
  }
  for (const [key, value] of Object.entries(single)) add(key, `"headers.${key}"`, value);
  if (!headers.has("content-type")) {
    headers.set("content-type", { name: "Content-Type", values: ["application/json"] });
  }
  return [...headers.values()].flatMap(({ name, values }) =>
    // Node writes one byte per character, so that UTF-8 must be passed as bytes.
    values.map((value) => [name, Buffer.from(value).toString("latin1")] as const)
  );
}

function readBody(body: unknown, isBase64: boolean): Uint8Array {
  if (typeof body !== "string") throw malformed('"body" must be a string');
  if (!isBase64) return Buffer.from(body);
  if (body.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(body)) {
    throw new GatewayError(
      "API_CONFIGURATION_ERROR",
      'Cannot decode the "body" of the function\'s result: "isBase64Encoded" is true, and the body is not base64',
    );
  }
  return Buffer.from(body, "base64");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(problem: string): GatewayError {
  return new GatewayError(
    "INTEGRATION_FAILURE",
    `Malformed Lambda proxy response: ${problem}`,
  );
}
