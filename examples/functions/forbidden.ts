/**
 * Answers every request with 403, and logs one error.
 *
 * Shows a client error. The caller gets its message.
 */
import { HttpForbiddenError, proxyHandler } from "@mate/core/gateway";
import { options } from "./page.ts";

export const handler = proxyHandler(() => {
  throw new HttpForbiddenError("Nobody may see this");
}, options);
