/** A dish of the menu: the small payload. */
export interface Dish {
  readonly dish: string;
  readonly price: number;
  readonly currency: string;
  readonly isServed: boolean;
  readonly tags: readonly string[];
}

/** The dishes that the services know. */
export const MENU: Readonly<Record<string, Dish>> = {
  soup: {
    dish: "soup",
    price: 9.5,
    currency: "CHF",
    isServed: true,
    tags: ["hot", "vegetarian", "of the day"],
  },
};

/** What a client is told whose dish is not there. */
export const NO_SUCH_DISH = "No such dish";

/** Orders that take up about so many bytes in JSON: no two alike, so that they compress as orders do. */
export function ordersOf(bytes: number): unknown[] {
  const orders: unknown[] = [];
  let random = 1; // a sequence of our own: the same on every run and runtime (Park and Miller)
  const next = () => random = random * 48271 % 0x7fffffff;
  for (let length = 2; length < bytes;) {
    const order = {
      id: `${next().toString(16)}-${next().toString(16)}`,
      at: new Date(1.79e12 + next()).toISOString(),
      guest: `Guest ${next() % 1000}`,
      total: next() % 20000 / 100,
      dishes: ["soup", "rösti", "crème brûlée"].slice(next() % 3),
      isPaid: next() % 2 === 0,
    };
    orders.push(order);
    length += JSON.stringify(order).length + 1;
  }
  return orders;
}

/** The body of a request to order: 6 KB. */
export const ORDER: string = JSON.stringify({ orders: ordersOf(6_000) });

/** All orders: 1 MB. */
export const ARCHIVE: { readonly orders: readonly unknown[] } = { orders: ordersOf(1_000_000) };
