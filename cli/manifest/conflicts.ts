/** What is read of a function. */
interface TriggeredFunction {
  readonly triggers: {
    readonly routes?: readonly { readonly method: string; readonly path: string }[] | undefined;
    readonly bucket?: { readonly name: string; readonly events: readonly string[] } | undefined;
  };
}

/** What one function asks for at one place. */
interface Claim {
  /** The name of the function. */
  readonly owner: string;
  /** Where it stands, from the functions on. */
  readonly at: readonly (string | number)[];
}

/** What a function cannot have beside what another one has. */
export interface Conflict {
  /** Where it stands, from the functions on. */
  readonly path: readonly (string | number)[];
  /** What it must be instead. */
  readonly message: string;
}

/**
 * Finds what no deployment takes of functions together: one route twice, two variables in one place of the routes, one
 * event of a bucket for two functions.
 *
 * @param functions The functions, by name.
 * @returns The conflicts.
 */
export function* findConflicts(
  functions: Readonly<Record<string, TriggeredFunction>>,
): Generator<Conflict> {
  const all = Object.entries(functions);
  const routes = all.flatMap(([owner, { triggers }]) =>
    (triggers.routes ?? []).map((route, index) => ({
      ...route,
      owner,
      at: [owner, "triggers", "routes", index],
    }))
  );
  const events = all.flatMap(([owner, { triggers: { bucket } }]) =>
    (bucket?.events ?? []).map((event, index) => ({
      bucket: bucket!.name,
      event,
      owner,
      at: [owner, "triggers", "bucket", "events", index],
    }))
  );
  yield* sameRoutes(routes);
  yield* otherVariables(routes);
  yield* sharedEvents(events);
}

interface Route extends Claim {
  readonly method: string;
  readonly path: string;
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

/** Of the children of a resource of a REST API one alone may be a variable. */
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
      message: `must not have ${variable} after "${parent}", where ${first.variable} of ` +
        `"${first.owner}" stands: a REST API takes one variable there`,
    };
  }
}

interface BucketEvent extends Claim {
  readonly bucket: string;
  readonly event: string;
}

/**
 * A bucket sends an event to one function alone.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
 */
function* sharedEvents(events: readonly BucketEvent[]): Generator<Conflict> {
  for (const [index, { bucket, event, owner, at }] of events.entries()) {
    const other = events.slice(0, index).find((earlier) =>
      earlier.bucket === bucket && earlier.owner !== owner && overlap(earlier.event, event)
    );
    if (other === undefined) continue;
    yield {
      path: at,
      message: `must be another type than ${other.event}, which "${other.owner}" has of the ` +
        "bucket: it sends an event to one function",
    };
  }
}

/** Whether an event can be of both types. */
function overlap(a: string, b: string): boolean {
  const includes = (all: string, one: string) =>
    all.endsWith("*") && one.startsWith(all.slice(0, -1));
  return a === b || includes(a, b) || includes(b, a);
}
