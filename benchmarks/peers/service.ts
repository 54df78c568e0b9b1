import type { HttpEvent } from "../events.ts";

/** A Lambda handler. */
export type Handler = (event: HttpEvent, context: object) => unknown;

/** The service that is written with each library. */
export interface Service {
  /** `GET /menu/{dish}`: the dish with the query parameter `day`. */
  readonly dish: Handler;
  /** `POST /orders`: the body of the request, parsed and written again. */
  readonly order: Handler;
  /** `GET /archive`: one megabyte. */
  readonly archive: Handler;
  /** The first work with three middlewares around it; each sets a header field. */
  readonly three?: Handler;
  /** The first work for pages of another origin. */
  readonly cors?: Handler;
  /** The first work for pages of another origin, with an entity tag. */
  readonly tagged?: Handler;
  /** `GET /menu/{dish}`: the dish, and every fact about the request: {@linkcode Facts}. */
  readonly facts?: Handler;
  /** `GET /menu/{dish}` for pages of another origin, with every fact about the request: {@linkcode Facts}. */
  readonly factsCors?: Handler;
  /** `POST /orders` for pages of another origin. */
  readonly orderCors?: Handler;
  /** `GET /menu/{dish}` for an unknown dish, for pages of another origin. */
  readonly missingCors?: Handler;
  /** `GET /menu/{dish}` for an unknown dish: an error is thrown, caught and answered with 404. */
  readonly missing: Handler;
}

/** The facts about a request that a function reads. */
export interface Facts {
  readonly address: string;
  readonly agent: string | null;
  readonly day: string | undefined;
  readonly domain: string;
  readonly method: string;
  readonly path: readonly string[];
  readonly protocol: string;
  readonly port: string | undefined;
  readonly user: string | undefined;
}

/** The facts of a raw event of a REST API. */
export function factsOf(
  event: HttpEvent,
  headers: Readonly<Record<string, string | undefined>>,
): Facts {
  const { requestContext: context, path, queryStringParameters } = event;
  return {
    address: context.identity.sourceIp,
    agent: context.identity.userAgent,
    day: queryStringParameters?.["day"],
    domain: context.domainName.toLowerCase(),
    method: context.httpMethod.toUpperCase(),
    path: path.split("/").slice(1),
    protocol: context.protocol.toUpperCase(),
    port: headers["x-forwarded-port"],
    user: context.authorizer?.claims?.sub,
  };
}

/** The origin that may use the services. */
export const ORIGIN = "https://shop.example.com";

/** The header fields that the three middlewares set. */
export const MARKS = ["X-One", "X-Two", "X-Three"];

/** The service of a library with a router: one handler for all requests. */
export function serviceOf(handler: Handler): Service {
  return { dish: handler, order: handler, archive: handler, missing: handler };
}

/** The menu of every service: one dish. */
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
