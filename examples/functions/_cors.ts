import { buildHttpResponse, type FnProxyEvent, type HttpResponse } from "@mate/core/gateway";

/**
 * Lets scripts of every origin read the answers. That is right for what is open to everyone and looks at no
 * cookie: credentials are not allowed together with `*`.
 */
export const CORS = { "Access-Control-Allow-Origin": "*" } as const;

/**
 * Answers a preflight, the question of a browser whether a script may send a request; `undefined` if the
 * request is none. A plain `OPTIONS` is a request like any other.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function preflight(event: FnProxyEvent): HttpResponse | undefined {
  if (!Object.hasOwn(event.httpHeaders(), "access-control-request-method")) return undefined;
  if (event.httpMethod() !== "OPTIONS") return undefined;
  return buildHttpResponse(204, "", {
    event,
    extraHeaders: {
      ...CORS,
      "Access-Control-Allow-Methods": "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
      // The asterisk covers every header but this one; no list of the caller's is echoed.
      "Access-Control-Allow-Headers": "*, Authorization",
      "Access-Control-Max-Age": "7200", // seconds; browsers keep it no longer
    },
  });
}
