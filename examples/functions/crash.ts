/**
 * Answers every request with 500, and logs the stack with the whole chain of causes.
 *
 * Shows an unexpected error: the log gets everything, and the caller gets no details.
 */
import { proxyHandler } from "@mate/core/gateway";
import { options } from "./page.ts";

export const handler = proxyHandler(() => readOrder("4711"), options);

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
