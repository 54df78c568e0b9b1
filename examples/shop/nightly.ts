import { logger } from "@mate/core/logger";
import * as store from "./store.ts";

/** Counts the products and the orders. Amazon CloudWatch makes metrics of the counts. */
export async function handler(): Promise<void> {
  for (const kind of ["products", "orders"]) {
    const keys = await Array.fromAsync(store.list(`${kind}/`));
    logger.metric(kind, keys.length, { namespace: "shop", unit: "Count" });
  }
}
