import type { Manifest } from "../../manifest/manifest.ts";

/** A route of the HTTP gateway. */
export interface Route {
  readonly method: string;
  /** The path below the stage, with its parameters in braces. */
  readonly resource: string;
  readonly functionName: string;
  /** The function that decides whether a request is allowed. */
  readonly authorizer?: string | undefined;
  /** Whether the response is streamed. */
  readonly stream?: boolean | undefined;
}

/** The route that a request takes. */
export interface RouteMatch {
  readonly route: Route;
  /** The values of the parameters, percent-encoded as in the request; `null` if the route has no parameters. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/** The methods that `ANY` stands for. */
export const METHODS: readonly string[] = [
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
];

/** The routes of an application, in the order of the manifest. */
export function routesOf(manifest: Manifest): readonly Route[] {
  return Object.entries(manifest.functions).flatMap(([functionName, { triggers }]) =>
    triggers.routes.map(({ path, ...route }) => ({ ...route, resource: path, functionName }))
  );
}

/**
 * Finds the route of a request as Amazon API Gateway does. First it chooses the resource: in each segment a literal beats
 * `{name}`, and `{name}` beats `{name+}`. Then it chooses the method: a named method beats `ANY`. If that resource lacks the
 * method, no other resource is tried. A trailing slash makes no difference.
 *
 * @returns A function that finds the route for a method and a path below the stage, or `undefined`.
 */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => RouteMatch | undefined {
  const resources = [...Map.groupBy(routes, ({ resource }) => resource)]
    .map(([resource, methods]) => ({ pattern: segmentsOf(resource), methods }))
    .sort((a, b) => compare(a.pattern, b.pattern));

  return (method, path) => {
    if (!METHODS.includes(method)) return undefined;
    const segments = segmentsOf(path);
    for (const { pattern, methods } of resources) {
      const parameters = match(pattern, segments);
      if (parameters === undefined) continue;
      const route = methods.find((route) => route.method === method) ??
        methods.find((route) => route.method === "ANY");
      return route && { route, pathParameters: parameters };
    }
    return undefined;
  };
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, "").split("/").slice(1);
}

const isGreedy = (segment: string) => segment.endsWith("+}");
const isParameter = (segment: string) => segment.startsWith("{");

/** The more specific pattern first. */
function compare(a: readonly string[], b: readonly string[]): number {
  const rank = (segment: string) => isGreedy(segment) ? 2 : isParameter(segment) ? 1 : 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = rank(a[i]!) - rank(b[i]!);
    if (difference !== 0) return difference;
  }
  return b.length - a.length;
}

/** The parameters of a path that matches; `null` if there are none. */
function match(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null | undefined {
  const greedy = pattern.length > 0 && isGreedy(pattern.at(-1)!);
  if (greedy ? segments.length < pattern.length : segments.length !== pattern.length) {
    return undefined;
  }
  const parameters: [string, string][] = [];
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]!;
    if (isGreedy(part)) {
      parameters.push([part.slice(1, -2), segments.slice(index).join("/")]);
    } else if (isParameter(part)) {
      if (segment === "") return undefined;
      parameters.push([part.slice(1, -1), segment]);
    } else if (part !== segment) {
      return undefined;
    }
  }
  return parameters.length === 0 ? null : Object.fromEntries(parameters);
}
