/** The payloads of the benchmarks. */

/** The menu of the services: one dish. */
export const MENU: Readonly<Record<string, object>> = {
  soup: { dish: "soup", price: 9.5, currency: "CHF", tags: ["hot", "vegetarian", "of the day"] },
};

/** The message of the 404 reply. */
export const NO_SUCH_DISH = "No such dish";

/** Orders of about so many bytes of JSON. No two orders are equal, so they compress as real orders do. */
function ordersOf(bytes: number): unknown[] {
  const orders: unknown[] = [];
  let random = 1; // a fixed sequence: every run and every runtime gets the same orders
  const next = () => random = random * 48271 % 0x7fffffff;
  for (let length = 2; length < bytes;) {
    const dishes = ["soup", "rösti", "crème brûlée"].slice(next() % 3);
    const order = {
      id: next().toString(16),
      guest: `Guest ${next()}`,
      dishes,
      paid: next() % 2 === 0,
    };
    orders.push(order);
    length += JSON.stringify(order).length + 1;
  }
  return orders;
}

/** 6 KB of orders. */
export const ORDERS: { readonly orders: readonly unknown[] } = { orders: ordersOf(6_000) };

let million: { readonly orders: readonly unknown[] } | undefined;

/** 1 MB of orders, made on the first call so that importing a service stays cheap. */
export function archive(): { readonly orders: readonly unknown[] } {
  return million ??= { orders: ordersOf(1_000_000) };
}
