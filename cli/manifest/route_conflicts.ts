import { hintOf } from "./nearest.ts";
import type { Manifest, Triggers } from "./types.ts";

/** Finds routes that one API cannot have together, and authorizers that do not exist. */
export function* findRouteConflicts(manifest: Manifest): Generator<Conflict> {
  const { functions } = manifest;
  yield* sameRoutes(manifest);
  yield* otherVariables(manifest);
  for (const { owner, trigger: { authorizer }, path } of triggersOf(manifest, "routes")) {
    if (authorizer === undefined) continue;
    const at = [...path, "authorizer"];
    if (!Object.hasOwn(functions, authorizer)) {
      const others = Object.keys(functions).filter((name) => name !== owner);
      const hint = others.length > 0 ? hintOf(authorizer, others) : "add the function first";
      yield { path: at, message: `must be a function of the manifest: ${hint}` };
    } else if (authorizer === owner) {
      yield { path: at, message: "must be another function than the function of the route" };
    }
  }
}

/** Finds a domain that leads nowhere. */
export function* findDomainConflicts(manifest: Manifest): Generator<Conflict> {
  if (manifest.settings.domain === undefined || triggersOf(manifest, "routes").length > 0) return;
  const message = "leads to the HTTP gateway, which is empty: add a route to a function";
  yield { path: ["settings", "domain"], message };
}

function* sameRoutes(manifest: Manifest): Generator<Conflict> {
  const owners = new Map<string, string>();
  for (const { owner, trigger, path } of triggersOf(manifest, "routes")) {
    const route = `${trigger.method} ${trigger.path}`;
    const other = owners.get(route);
    owners.set(route, owner);
    if (other === undefined) continue;
    yield { path, message: `must be another route than ${route}, which "${other}" has` };
  }
}

/** Finds routes with different variables at the same place, because a REST API takes one variable there. */
function* otherVariables(manifest: Manifest): Generator<Conflict> {
  const firsts = new Map<string, { readonly variable: string; readonly owner: string }>();
  for (const { owner, trigger, path } of triggersOf(manifest, "routes")) {
    for (const { 0: variable, index } of trigger.path.matchAll(/\{[^}]*\}/g)) {
      const parent = trigger.path.slice(0, index);
      const first = firsts.get(parent) ?? { variable, owner };
      firsts.set(parent, first);
      if (first.variable === variable) continue;
      yield {
        path: [...path, "path"],
        message: `must have ${first.variable} after "${parent}", not ${variable}: ` +
          `"${first.owner}" has ${first.variable}, and a REST API takes one variable there`,
      };
    }
  }
}

/** A value that is wrong because of another value. */
export interface Conflict {
  /** The keys that lead to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Lists the triggers of a kind, with their functions and the keys that lead to them. */
export function triggersOf<K extends Exclude<keyof Triggers, "url">>(
  { functions }: Manifest,
  kind: K,
) {
  return Object.entries(functions).flatMap(([owner, { triggers }]) =>
    triggers[kind].map((trigger, index) => ({
      owner,
      trigger: trigger as Triggers[K][number],
      path: ["functions", owner, "triggers", kind, index],
    }))
  );
}
