import { statusText } from "../response/status_text.ts";
import type { Middleware } from "./middleware.ts";

/**
 * Makes a middleware that sends errors, 406 included, as `application/problem+json` (RFC 9457) wherever they would be
 * JSON. A transformer of another type that the client prefers still wins.
 *
 * The members are `type`, `title`, `status`, `detail`, and the `details` of the error.
 *
 * @returns The middleware. It sees the errors of the route and of the middleware after it.
 *
 * @example An order that does not exist
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpNotFoundError, problemDetails, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() => {
 *   throw new HttpNotFoundError("No such order", { details: { order: "A-7" } });
 * }, { use: [problemDetails()] });
 *
 * const response = await call(handler, { url: "/orders/A-7" });
 * assertEquals(response.headers.get("Content-Type"), "application/problem+json");
 * assertEquals(await response.json(), {
 *   order: "A-7",
 *   type: "about:blank",
 *   title: "Not Found",
 *   status: 404,
 *   detail: "No such order",
 * });
 * ```
 */
export function problemDetails(): Middleware {
  return async (_event, _context, next) => {
    const answer = await next();
    const { status, content, contentType, error } = answer;
    const isJson = typeof content === "string" && /^application\/json\b/i.test(contentType);
    if (error === undefined || status < 400 || !isJson) return answer;
    const { Message: detail, Details } = Object(JSON.parse(content));
    if (typeof detail !== "string") return answer; // a middleware answered in its own words
    const title = statusText(status) || String(status);
    // The details come first, because the members of RFC 9457 win over them.
    answer.content = JSON.stringify({ ...Details, type: "about:blank", title, status, detail });
    answer.contentType = "application/problem+json";
    return answer;
  };
}
