/**
 * Answers every request with 403, and logs one error.
 *
 * Shows a client error: its message is the caller's to read.
 */
import { HttpForbiddenError, proxyHandler } from "@mate/core/gateway";
import { CORS, preflight } from "./_cors.ts";
import { htmlPage } from "./page/page.ts";
import { POLICY } from "./page/policy.ts";

export const handler = proxyHandler((event) => {
  const answer = preflight(event);
  if (answer !== undefined) return answer;
  throw new HttpForbiddenError("Nobody may see this");
}, {
  customTransformers: { "text/html": htmlPage("forbidden") },
  extraHeaders: { ...CORS, ...POLICY },
});
