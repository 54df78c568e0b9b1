/**
 * Fails at every request: answers 500 without a word about the cause, and logs the stack with the whole chain of
 * causes.
 *
 * Shows an error that nobody expected: whatever a route throws is the log's to know, and not the caller's.
 */
import { proxyHandler } from "@mate/core/gateway";
import { CORS, preflight } from "./_cors.ts";
import { htmlPage } from "./page/page.ts";
import { POLICY } from "./page/policy.ts";

export const handler = proxyHandler((event) => preflight(event) ?? readOrder("4711"), {
  customTransformers: { "text/html": htmlPage("crash") },
  extraHeaders: { ...CORS, ...POLICY },
});

function readOrder(id: string): never {
  try {
    connect();
  } catch (cause) {
    throw new Error(`Cannot read the order "${id}"`, { cause });
  }
}

function connect(): never {
  throw new Error('Cannot log in as "shop" at db.internal:5432: the password has expired');
}
