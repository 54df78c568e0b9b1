import type { Manifest } from "../manifest/types.ts";
import { METHODS } from "../rules/router.ts";
import { listenersOf } from "./resources.ts";
import type { Alarm, Gateway } from "./types.ts";

/** How the paths of each kind of gateway begin. An HTTP API has the stage that no path begins with. */
const ENTRANCES: Readonly<
  Record<Gateway["kind"], (stage: string) => Pick<Gateway, "stage" | "prefix">>
> = {
  rest: (stage) => ({ stage, prefix: `/${stage}` }),
  http: () => ({ stage: "$default", prefix: "" }),
};

/**
 * Resolves the HTTP gateway; `undefined` without routes.
 *
 * @param fill Replaces the placeholders in a value.
 */
export function resolveGateway(
  manifest: Manifest,
  fill: <Value>(value: Value) => Value,
): Gateway | undefined {
  const routes = listenersOf(manifest, "routes").map((route) => ({
    authorizer: undefined,
    ...route,
    method: route.method ?? "ANY",
  }));
  if (routes.length === 0) return undefined;
  const { gateway: kind, stage, functions, cors } = manifest;
  const names = [...new Set(routes.flatMap(({ authorizer }) => authorizer ?? []))];
  const used = <T>(all: Readonly<Record<string, T>>) =>
    names.flatMap((name) => Object.hasOwn(all, name) ? [[name, all[name]!] as const] : []);
  const { origin, origins } = cors ?? {};
  return {
    kind,
    ...ENTRANCES[kind](stage),
    origin: origin ?? origins?.[0] ?? "*",
    cors: origins && {
      origins,
      methods: cors?.methods ?? METHODS,
      headers: cors?.headers ?? ["Authorization", "Content-Type"],
      exposeHeaders: cors?.exposeHeaders ?? [],
      credentials: cors?.credentials ?? false,
      maxAge: cors?.maxAge ?? 0,
    },
    preflights: kind === "rest" && origins ? pathsWithoutOptions(routes) : [],
    authorizers: Object.fromEntries(
      used(functions).map(([name, { authorizes, ttl, identity, validation }]) => [
        name,
        { authorizes, ttl, identity, validation },
      ]),
    ),
    jwtAuthorizers: fill(Object.fromEntries(used(manifest.authorizers))),
    routes,
  };
}

/** A path with a route for OPTIONS keeps its function. An HTTP API finds out by itself. */
function pathsWithoutOptions(routes: Gateway["routes"]): string[] {
  return [...Map.groupBy(routes, ({ path }) => path)].flatMap(([path, own]) =>
    own.some(({ method }) => method === "OPTIONS" || method === "ANY") ? [] : [path]
  );
}

/**
 * The metrics of the responses 5xx. Only the cloud knows the identifier of an HTTP API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
 */
export const METRICS: Readonly<
  Record<Gateway["kind"], (name: string, stage: string) => Pick<Alarm, "metric" | "dimensions">>
> = {
  rest: (ApiName, Stage) => ({ metric: "5XXError", dimensions: { ApiName, Stage } }),
  http: (_, Stage) => ({ metric: "5xx", dimensions: { ApiId: "", Stage } }),
};
