import { decodeLooseBase64 } from "../../function/base64.ts";
import { invalid, isPlainObject } from "../../function/read.ts";
import { checkStatus, isStatus } from "./answer.ts";
import { checkValue, headersOf, type HeaderValues } from "./headers.ts";
import { hasMark, type HttpResponse, mark, markBuilt } from "./http_response.ts";

/** The options of {@linkcode reply}. */
export interface ReplyOptions {
  /** Header fields of the response; an array makes several fields of one name. */
  readonly headers?: HeaderValues | undefined;
  /** Whole values of `Set-Cookie`, one for each cookie. */
  readonly cookies?: readonly string[] | undefined;
  /** The media type of the payload, which is then sent as it is, without negotiation. */
  readonly type?: string | undefined;
}

const REPLY = Symbol.for("@mate/core/gateway/reply/1");

/**
 * The answer of a route with a status, headers and cookies; {@linkcode reply} makes it.
 *
 * @typeParam Payload The payload.
 */
export interface Reply<Payload = unknown> extends ReplyOptions {
  /** The status code. */
  readonly status: number;
  /** The payload. */
  readonly payload: Payload;
}

/**
 * Answers a request with a status, headers and cookies.
 *
 * A payload is negotiated as the return value of a route is. With `type`, a payload is sent as it is: a string, a
 * `Uint8Array`, or a stream of these. A `Uint8Array` or a stream without `type` is `application/octet-stream`.
 *
 * @typeParam Payload The payload.
 * @param status The status code (RFC 9110 §15), a whole number from 100 to 599.
 * @param payload The payload; no content if it is `undefined`.
 * @param options Headers, cookies, and the media type.
 * @returns The answer, for a route of `proxyHandler()` to return.
 * @throws {RangeError} If the status is not a whole number from 100 to 599.
 * @throws {TypeError} If a header, a cookie or the type is invalid.
 *
 * @example A new order
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler, reply } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() =>
 *   reply(201, { id: 7 }, { headers: { Location: "/orders/7" }, cookies: ["seen=1; Secure"] })
 * );
 * const response = await call(handler, { url: "/orders", method: "POST" });
 * assertEquals([response.status, await response.json()], [201, { id: 7 }]);
 * assertEquals(response.headers.get("Location"), "/orders/7");
 * assertEquals(response.headers.getSetCookie(), ["seen=1; Secure"]);
 * ```
 */
export function reply<Payload = undefined>(
  status: number,
  payload?: Payload,
  options: ReplyOptions = {},
): Reply<Payload> {
  checkStatus(status);
  headersOf(options.headers);
  for (const cookie of options.cookies ?? []) checkValue("cookie", cookie);
  if (options.type !== undefined) checkValue("type", options.type);
  const result = { ...options, status, payload: payload as Payload };
  return mark(result, REPLY);
}

/** Whether a result of a route is a reply. */
export function isReply(result: unknown): result is Reply {
  return hasMark(result, REPLY);
}

/**
 * Says that a hand-written object is a response in the form of the gateway, which `proxyHandler()` sends as it is. Without
 * this, an object that merely looks like a response could be data that a client sent.
 *
 * @typeParam Result The type of the result.
 * @param result The result, with a `statusCode`.
 * @returns A copy of the result, for a route to return.
 * @throws {TypeError} If the result has no `statusCode` from 100 to 599, another part is invalid, or two names of headers
 * differ only in case.
 *
 * @example A response that another library built
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { asResponse, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() => asResponse({ statusCode: 302, headers: { Location: "/" } }));
 * const { status, headers } = await call(handler, { url: "/old" });
 * assertEquals([status, headers.get("Location")], [302, "/"]);
 * ```
 */
export function asResponse<Result extends { readonly statusCode: number }>(
  result: Result,
): HttpResponse {
  if (!isPlainObject(result) || !isStatus(result["statusCode"])) {
    throw new TypeError(
      "Cannot take the result for a response: expected a statusCode from 100 to 599",
    );
  }
  const { headers = {}, multiValueHeaders = {}, cookies = [], body = "", isBase64Encoded = false } =
    result as Partial<HttpResponse>;
  for (const fields of [headers, multiValueHeaders]) headersOf(fields);
  const names = new Set([...Object.keys(headers), ...Object.keys(multiValueHeaders)]);
  const folded = new Set<string>();
  for (const name of names) {
    if (folded.has(name.toLowerCase())) {
      throw invalid(`header "${name}"`, "one spelling of its name");
    }
    folded.add(name.toLowerCase());
  }
  if (!Array.isArray(cookies)) throw invalid("cookies", "an array of strings");
  for (const cookie of cookies) checkValue("cookie", cookie);
  if (typeof isBase64Encoded !== "boolean") throw invalid("isBase64Encoded", "a boolean");
  if (typeof body !== "string") throw invalid("body", "a string");
  if (isBase64Encoded && !decodeLooseBase64(body)) throw invalid("body", "base64");
  return markBuilt({ ...result as unknown as HttpResponse });
}
