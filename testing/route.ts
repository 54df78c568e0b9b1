/** A route that a request matches. */
export interface RouteMatch {
  /** The route, such as `GET /orders/{id}`. */
  readonly key: string;
  /** The path of the route, such as `/orders/{id}`. */
  readonly resource: string;
  /** The parameters of the path, as transmitted; null if the route has none. */
  readonly parameters: Record<string, string> | null;
}

/**
 * Matches a path with a route in the syntax of Amazon API Gateway.
 *
 * @param route The route, with or without a method: `GET /orders/{id}`, `/files/{path+}`.
 * @param method The method of the request.
 * @param path The path below the stage, as transmitted.
 * @throws {TypeError} If the route is malformed, or if the request does not match the route.
 */
export function matchRoute(route: string, method: string, path: string): RouteMatch {
  const [, wanted = method, resource] = /^(?:([A-Z]+) )?(\/\S*)$/.exec(route) ?? [];
  const names: string[] = [];
  const pattern = resource?.split("/").map((part) => {
    const [, name, greedy] = /^\{([^{}+]+)(\+?)\}$/.exec(part) ?? [];
    if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    names.push(name);
    return greedy ? "(.+)" : "([^/]+)";
  }).join("/");
  const match = pattern !== undefined && [method, "ANY"].includes(wanted) &&
    new RegExp(`^${pattern}/?$`).exec(path);
  if (!match) {
    throw new TypeError(
      `Cannot make the event: the request ${method} ${path} does not match the route ${
        JSON.stringify(route)
      }`,
    );
  }
  const values = names.map((name, index) => [name, match[index + 1]!]);
  return {
    key: `${wanted} ${resource}`,
    resource: resource!,
    parameters: values.length > 0 ? Object.fromEntries(values) : null,
  };
}
