/** What is read of a function. */
interface RoutedFunction {
  readonly triggers: {
    readonly routes?: readonly { readonly method: string; readonly path: string }[] | undefined;
  };
}

/** A route that a REST API cannot have beside another one. */
export interface RouteConflict {
  /** Where it stands, from the functions on. */
  readonly path: readonly (string | number)[];
  /** What it must be instead. */
  readonly message: string;
}

/**
 * Finds routes that are there twice, and those with another variable where one stands already: of a resource's children
 * one alone may be a variable.
 *
 * @param functions The functions, by name.
 * @returns The conflicts.
 */
export function* findRouteConflicts(
  functions: Readonly<Record<string, RoutedFunction>>,
): Generator<RouteConflict> {
  const owners = new Map<string, string>();
  const variables = new Map<string, { readonly variable: string; readonly owner: string }>();
  for (const [name, { triggers }] of Object.entries(functions)) {
    for (const [index, { method, path }] of (triggers.routes ?? []).entries()) {
      const at = [name, "triggers", "routes", index];
      const route = `${method} ${path}`;
      const owner = owners.get(route);
      if (owner !== undefined) {
        yield {
          path: at,
          message: `must be another route than ${route}, which "${owner}" has`,
        };
      }
      owners.set(route, name);
      for (const { 0: variable, index: start } of path.matchAll(/\{[^}]*\}/g)) {
        const parent = path.slice(0, start);
        const first = variables.get(parent);
        if (first === undefined) variables.set(parent, { variable, owner: name });
        else if (first.variable !== variable) {
          yield {
            path: [...at, "path"],
            message: `must not have ${variable} after "${parent}", where ${first.variable} of ` +
              `"${first.owner}" stands: a REST API takes one variable there`,
          };
        }
      }
    }
  }
}
