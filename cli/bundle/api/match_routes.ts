import { type Routable, ROUTERS } from "../../rules/router.ts";

/** A route of the manifest. */
export interface ServedRoute extends Routable {
  readonly authorizer?: string | undefined;
}

/** Stands for the value of a variable. No literal part of a route is equal to it. */
const VALUE = "\0";

/**
 * Finds the routes that serve the keys of a description, as Amazon API Gateway finds them for requests.
 *
 * @param keys The keys, such as `GET /orders/{id}`.
 * @param routes The routes of the manifest.
 * @param kind The kind of the gateway.
 * @returns The route of each key, the keys without a route, and the routes without a key.
 */
export function matchRoutes(
  keys: readonly string[],
  routes: readonly ServedRoute[],
  kind: keyof typeof ROUTERS,
): {
  readonly served: ReadonlyMap<string, ServedRoute>;
  readonly unserved: readonly string[];
  readonly undescribed: readonly string[];
} {
  const find = ROUTERS[kind](routes);
  const served = new Map<string, ServedRoute>();
  const used = new Set<ServedRoute>();
  for (const key of keys) {
    const [method = "", path = ""] = key.split(" ");
    // A greedy variable has one part or more, so one route or two serve it.
    const found = [VALUE, Array(20).fill(VALUE).join("/")].map((rest) =>
      find(method, path.replace(/\{[^}]*\+\}/, rest).replaceAll(/\{[^}]*\}/g, VALUE))
    );
    for (const route of found) if (route !== undefined) used.add(route);
    if (found.every((route) => route !== undefined)) served.set(key, found[1]!);
  }
  return {
    served,
    unserved: keys.filter((key) => !served.has(key)),
    undescribed: routes.filter((route) => !used.has(route))
      .map(({ method, path }) => `${method} ${path}`),
  };
}
