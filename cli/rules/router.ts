/** What the router reads of a route. */
export interface Routable {
  readonly method: string;
  /** The path below the stage, with its parameters in braces. */
  readonly path: string;
}

/** The methods that `ANY` stands for. */
export const METHODS: readonly string[] = "DELETE GET HEAD OPTIONS PATCH POST PUT".split(" ");

/** Finds the route for a method and a path below the stage. */
export type Router<Route> = (method: string, path: string) => Route | undefined;

/**
 * Finds the route of a request as a REST API of Amazon API Gateway does. First it chooses the resource among those that match the
 * path and have the method: in each segment a literal beats `{name}`, and `{name}` beats `{name+}`. Then it chooses the method: a
 * named method beats `ANY`. One trailing slash is ignored.
 */
export function createRouter<Route extends Routable>(
  routes: readonly Route[],
  end: "/?" | "" = "/?",
): Router<Route> {
  const resources = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, methods]) => ({
      pattern: patternOf(path, end),
      rank: rankOf(path),
      methods,
    }))
    .sort((a, b) => a.rank < b.rank ? -1 : 1);

  return (method, path) => {
    if (!METHODS.includes(method)) return undefined;
    const matching = resources.filter(({ pattern }) => pattern.test(path)).map(({ methods }) =>
      methods.find((route) => route.method === method) ??
        methods.find((route) => route.method === "ANY")
    );
    return matching.find((route) => route !== undefined);
  };
}

/**
 * Finds the route of a request as an HTTP API of Amazon API Gateway does: a route that matches as a whole beats one with `{name+}`,
 * and `$default` takes the rest. A trailing slash counts.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export function createHttpRouter<Route extends Routable>(routes: readonly Route[]): Router<Route> {
  const others = routes.filter(({ path }) => path !== "$default");
  const finders = [
    createRouter(others.filter(({ path }) => !path.endsWith("+}")), ""),
    createRouter(others.filter(({ path }) => path.endsWith("+}")), ""),
  ];
  const rest = routes.find(({ path }) => path === "$default");
  return (method, path) => {
    for (const find of finders) {
      const route = find(method, path);
      if (route !== undefined) return route;
    }
    return rest;
  };
}

/** The routers by the kind of the gateway. */
export const ROUTERS = { rest: createRouter, http: createHttpRouter } as const;

function patternOf(path: string, end: string): RegExp {
  const pattern = path.replaceAll(".", "\\.").replace(/\{\w+\+\}/, ".+")
    .replaceAll(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${pattern}${end}$`);
}

/** Returns a text with 0, 1 or 2 for each segment. The text of a more specific path sorts first. */
function rankOf(path: string): string {
  return path.split("/").slice(1)
    .map((segment) => segment.endsWith("+}") ? 2 : segment.startsWith("{") ? 1 : 0).join("");
}
