import * as z from "zod";

/** A product of the shop. The price is in cents. */
export const Product = z.object({
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  name: z.string().trim().min(1),
  price: z.coerce.number().int().positive(),
}).meta({ id: "Product" });

export type Product = z.infer<typeof Product>;
