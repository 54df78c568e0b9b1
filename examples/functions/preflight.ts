import { buildHttpResponse, type FnProxyEvent, type HttpResponse } from "@mate/core/gateway";
import { HEADERS } from "./page.ts";

/**
 * Answers a preflight request, with which a browser asks whether a script may send a request. Returns `undefined` for
 * any other request.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function preflight(event: FnProxyEvent): HttpResponse | undefined {
  if (event.httpMethod() !== "OPTIONS") return undefined;
  if (event.header("access-control-request-method") === undefined) return undefined;
  return buildHttpResponse(204, "", {
    event,
    extraHeaders: {
      ...HEADERS,
      "Access-Control-Allow-Methods": "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
      "Access-Control-Allow-Headers": "*, Authorization", // the asterisk does not cover Authorization
      "Access-Control-Max-Age": "7200", // seconds: browsers keep the answer no longer
    },
  });
}
