import { queueHandler } from "@mate/core/queue";
import { Product } from "./product.ts";
import * as store from "./store.ts";

/** Stores the product of each job. A job with a malformed product fails alone, and goes to the dead-letter queue. */
export const handler = queueHandler(async (job) => {
  const product = job.payload();
  await store.write(`products/${product.id}`, product);
}, { schema: Product });
