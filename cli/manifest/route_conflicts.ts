import type { Conflict } from "./conflicts.ts";
import type { Manifest } from "./types.ts";

interface Route {
  readonly method: string;
  readonly path: string;
  readonly authorizer?: string | undefined;
  readonly owner: string;
  readonly at: readonly (string | number)[];
}

/**
 * Finds routes that an API cannot have together, and authorizers that are not there.
 *
 * @param manifest The manifest.
 * @returns The conflicts.
 */
export function* findRouteConflicts(
  { functions }: Pick<Manifest, "functions">,
): Generator<Conflict> {
  const routes = Object.entries(functions).flatMap(([owner, { triggers }]) =>
    triggers.routes.map((route, index) => ({
      ...route,
      owner,
      at: ["functions", owner, "triggers", "routes", index],
    }))
  );
  yield* sameRoutes(routes);
  yield* otherVariables(routes);
  for (const { authorizer, owner, at } of routes) {
    if (authorizer === undefined) continue;
    const path = [...at, "authorizer"];
    if (!Object.hasOwn(functions, authorizer)) {
      const others = Object.keys(functions).filter((name) => name !== owner).join(", ");
      const expected = others === "" ? ": add the function first" : `: expected one of ${others}`;
      yield { path, message: `must be a function of the manifest${expected}` };
    } else if (authorizer === owner) {
      yield { path, message: "must be another function than the function of the route" };
    }
  }
}

function* sameRoutes(routes: readonly Route[]): Generator<Conflict> {
  const owners = new Map<string, string>();
  for (const { method, path, owner, at } of routes) {
    const route = `${method} ${path}`;
    const other = owners.get(route);
    owners.set(route, owner);
    if (other === undefined) continue;
    yield { path: at, message: `must be another route than ${route}, which "${other}" has` };
  }
}

/** A resource of a REST API has at most one variable among its children. */
function* otherVariables(routes: readonly Route[]): Generator<Conflict> {
  const variables = routes.flatMap(({ path, owner, at }) =>
    [...path.matchAll(/\{[^}]*\}/g)].map(({ 0: variable, index }) => ({
      variable,
      parent: path.slice(0, index),
      owner,
      at: [...at, "path"],
    }))
  );
  const firsts = new Map<string, { readonly variable: string; readonly owner: string }>();
  for (const { variable, parent, owner, at } of variables) {
    const first = firsts.get(parent) ?? { variable, owner };
    firsts.set(parent, first);
    if (first.variable === variable) continue;
    yield {
      path: at,
      message: `must have ${first.variable} after "${parent}", not ${variable}: ` +
        `"${first.owner}" has ${first.variable}, and a REST API takes one variable there`,
    };
  }
}
