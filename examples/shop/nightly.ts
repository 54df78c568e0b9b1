import { logger } from "@mate/core/logger";
import * as store from "./store.ts";

/** Counts the products. Amazon CloudWatch makes a metric of the count. */
export async function handler(): Promise<void> {
  const keys = await Array.fromAsync(store.list("products/"));
  logger.metric("products", keys.length, { namespace: "shop", unit: "Count" });
}
