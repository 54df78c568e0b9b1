/** What the router reads of a route. */
export interface Routable {
  readonly method: string;
  /** The path below the stage, with its parameters in braces. */
  readonly path: string;
}

/** The methods that `ANY` stands for. */
export const METHODS: readonly string[] = "DELETE GET HEAD OPTIONS PATCH POST PUT".split(" ");

/**
 * Finds the route of a request as Amazon API Gateway does. First it chooses the resource among those that match the path
 * and have the method: in each segment a literal beats `{name}`, and `{name}` beats `{name+}`. Then it chooses the method: a
 * named method beats `ANY`. One trailing slash is ignored.
 *
 * @returns A function that finds the route for a method and a path below the stage, or `undefined`.
 */
export function createRouter<Route extends Routable>(
  routes: readonly Route[],
): (method: string, path: string) => Route | undefined {
  const resources = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, methods]) => ({
      pattern: patternOf(path),
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

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(".", "\\.").replace(/\{\w+\+\}/, ".+")
    .replaceAll(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${pattern}/?$`);
}

/** Returns a text with 0, 1 or 2 for each segment. The text of a more specific path sorts first. */
function rankOf(path: string): string {
  return path.split("/").slice(1)
    .map((segment) => segment.endsWith("+}") ? 2 : segment.startsWith("{") ? 1 : 0).join("");
}
