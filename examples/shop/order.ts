import * as z from "zod";

/** What a customer orders. */
export const NewOrder = z.object({
  product: z.string(),
  quantity: z.number().int().min(1).max(100),
}).meta({ id: "NewOrder" });

/** An order of the shop. The total is in cents. */
export const Order = NewOrder.extend({ id: z.string(), customer: z.string(), total: z.number() })
  .meta({ id: "Order" });

export type Order = z.infer<typeof Order>;
