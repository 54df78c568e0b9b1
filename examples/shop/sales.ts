import { logger } from "@mate/core/logger";
import { tableHandler } from "@mate/core/table";
import { Order } from "./order.ts";

/** Adds up what is sold: Amazon CloudWatch makes a metric of each new order. */
export const handler = tableHandler((record) => {
  const order = record.newImage();
  if (record.eventName() !== "INSERT" || order === null) return;
  logger.metric("sales", order.total, {
    namespace: "shop",
    dimensions: { product: order.product },
  });
}, { schema: Order });
