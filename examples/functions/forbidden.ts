/**
 * Answers every request with 403, and logs one error.
 *
 * Shows a client error: the caller may read its message.
 */
import { HttpForbiddenError, proxyHandler } from "@mate/core/gateway";
import { HEADERS, page } from "./page.ts";
import { preflight } from "./preflight.ts";

export const handler = proxyHandler((event) => {
  const answer = preflight(event);
  if (answer !== undefined) return answer;
  throw new HttpForbiddenError("Nobody may see this");
}, { customTransformers: { "text/html": page }, extraHeaders: HEADERS });
