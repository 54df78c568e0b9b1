import { wrongParts } from "./event_pattern.ts";
import { wrongFilterParts } from "./filter_policy.ts";
import { nearest } from "./nearest.ts";
import type { BucketTrigger, Manifest, Triggers } from "./types.ts";
import { placeholdersIn, variablesOf } from "./variables.ts";

/** The most bytes of the names and values of a function's environment variables. */
const MAX_ENVIRONMENT = 4096;

/** A value that is wrong because of another value. */
interface Conflict {
  /** The keys that lead to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds the problems of a manifest that its JSON Schema cannot express. */
export function* findConflicts(manifest: Manifest): Generator<Conflict> {
  yield* findEnvironmentConflicts(manifest);
  yield* findCorsConflicts(manifest);
  yield* findPatternConflicts(manifest);
  yield* findRouteConflicts(manifest);
  yield* findBucketConflicts(manifest);
  yield* findTopicConflicts(manifest);
  yield* findQueueConflicts(manifest);
  yield* findLongNames(manifest);
}

/** Finds environments that are too large, variables that `uses` sets already, and hosts with unknown variables. */
function* findEnvironmentConflicts({ functions }: Manifest): Generator<Conflict> {
  for (const [owner, { environment, permissions, uses }] of Object.entries(functions)) {
    const path = ["functions", owner];
    const names = Object.keys(environment);
    const text = [...names, ...Object.values(environment)].join("");
    if (new TextEncoder().encode(text).length > MAX_ENVIRONMENT) {
      const message = `must have at most ${MAX_ENVIRONMENT} bytes, names and values together`;
      yield { path: [...path, "environment"], message };
    }
    for (const name of variablesOf(uses)) {
      if (!names.includes(name)) continue;
      const message = 'must be another variable: "uses" sets it';
      yield { path: [...path, "environment", name], message };
    }
    for (const [index, host] of permissions.net.entries()) {
      if (placeholdersIn(host).every((name) => name === "region" || names.includes(name))) continue;
      const message = "must have no placeholders except ${region} and the function's own variables";
      yield { path: [...path, "permissions", "net", index], message };
    }
  }
}

function* findCorsConflicts({ functions }: Manifest): Generator<Conflict> {
  for (const [owner, { triggers: { url } }] of Object.entries(functions)) {
    if (!url?.cors?.credentials || !url.cors.origins.includes("*")) continue;
    const path = ["functions", owner, "triggers", "url", "cors", "origins"];
    yield { path, message: "must name the origins if credentials is true: browsers refuse *" };
  }
}

function* findPatternConflicts(manifest: Manifest): Generator<Conflict> {
  for (const { trigger, path } of triggersOf(manifest, "events")) {
    yield* wrongParts(trigger.pattern, [...path, "pattern"]);
  }
  for (const { trigger, path } of triggersOf(manifest, "topics")) {
    if (trigger.filter !== undefined) yield* wrongFilterParts(trigger.filter, [...path, "filter"]);
  }
}

/**
 * Finds bucket triggers for the same events, because Amazon S3 sends an event to only one function.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
 */
function* findBucketConflicts(manifest: Manifest): Generator<Conflict> {
  const triggers = triggersOf(manifest, "buckets");
  for (const [index, { trigger, path }] of triggers.entries()) {
    const other = triggers.slice(0, index).find((earlier) => overlap(earlier.trigger, trigger));
    if (other === undefined) continue;
    yield {
      path,
      message: `must have other events, another prefix or another suffix than "${other.owner}" ` +
        `has for the bucket "${trigger.name}": Amazon S3 sends an event to one function`,
    };
  }
}

/** Tells whether both triggers match the same event. */
function overlap(a: BucketTrigger, b: BucketTrigger): boolean {
  const isSame = (one: string, other: string) =>
    one === other || one.endsWith("*") && other.startsWith(one.slice(0, -1));
  return a.name === b.name &&
    (a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix)) &&
    (a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix)) &&
    a.events.some((one) => b.events.some((other) => isSame(one, other) || isSame(other, one)));
}

/** Finds topics that a function names twice, because a topic has one subscription for each function. */
function* findTopicConflicts(manifest: Manifest): Generator<Conflict> {
  const found = new Set<string>();
  for (const { owner, trigger: { name }, path } of triggersOf(manifest, "topics")) {
    const subscription = `${owner} ${name}`;
    if (found.has(subscription)) {
      const message = `must be another topic: the function has "${name}" already`;
      yield { path: [...path, "name"], message };
    }
    found.add(subscription);
  }
}

/** Finds queues that are not declared, that two functions read, or that Lambda refuses for a function. */
function* findQueueConflicts(manifest: Manifest): Generator<Conflict> {
  const { functions, queues } = manifest;
  const names = Object.keys(queues);
  const expected = names.length === 0
    ? ", which is empty"
    : `: expected one of ${names.join(", ")}`;
  const unknown = `must be a queue of the manifest's "queues"${expected}`;
  for (const [owner, { uses }] of Object.entries(functions)) {
    for (const name of Object.keys(uses.queues).filter((name) => !names.includes(name))) {
      yield { path: ["functions", owner, "uses", "queues", name], message: unknown };
    }
  }
  const readers = new Map<string, string>();
  for (const { owner, trigger: { name, batch, window }, path } of triggersOf(manifest, "queues")) {
    const { timeout } = functions[owner]!;
    const queue = names.includes(name) ? queues[name]! : undefined;
    const reader = readers.get(name);
    readers.set(name, owner);
    if (batch > 10 && window === 0) {
      yield { path: [...path, "window"], message: "must be at least 1 if batch is more than 10" };
    } else if (queue === undefined) {
      yield { path: [...path, "name"], message: unknown };
    } else if (reader !== undefined) {
      const message =
        `must be another queue: "${reader}" reads "${name}", and a message goes to one reader`;
      yield { path: [...path, "name"], message };
    } else if (queue.visibility < timeout) {
      const message =
        `must be at least ${timeout}, the timeout of "${owner}", which reads the queue`;
      yield { path: ["queues", name, "visibility"], message };
    } else if (queue.fifo && batch > 10) {
      const message = `must be at most 10, because "${name}" is a FIFO queue`;
      yield { path: [...path, "batch"], message };
    } else if (queue.fifo && window > 0) {
      yield { path: [...path, "window"], message: `must be 0, because "${name}" is a FIFO queue` };
    }
  }
}

/** Finds names that are too long for AWS when the name of the application stands before them. */
function* findLongNames({ name, region, functions }: Manifest): Generator<Conflict> {
  const wording = (limit: number) =>
    limit > 0
      ? `must have at most ${limit} characters beside the application's name`
      : "has no room beside the application's name: shorten that name";
  // AWS Lambda: <application>-<function>, at most 64 characters.
  const functionLimit = 64 - `${name}-`.length;
  // Amazon S3: <application>-<bucket>-<account>-<region>, at most 63 characters.
  const bucketLimit = 63 - `${name}--123456789012-${region ?? "us-east-1"}`.length;
  for (const [owner, { triggers, uses }] of Object.entries(functions)) {
    const path = ["functions", owner];
    if (owner.length > functionLimit) yield { path, message: wording(functionLimit) };
    const buckets = [
      ...triggers.buckets.map((bucket, index) =>
        [bucket.name, ["triggers", "buckets", index, "name"]] as const
      ),
      ...Object.keys(uses.buckets).map((bucket) => [bucket, ["uses", "buckets", bucket]] as const),
    ];
    for (const [bucket, keys] of buckets) {
      if (bucket.length > bucketLimit) {
        yield { path: [...path, ...keys], message: wording(bucketLimit) };
      }
    }
  }
}

/** Finds routes that one API cannot have together, and authorizers that do not exist. */
function* findRouteConflicts(manifest: Manifest): Generator<Conflict> {
  const { functions } = manifest;
  yield* sameRoutes(manifest);
  yield* otherVariables(manifest);
  for (const { owner, trigger: { authorizer }, path } of triggersOf(manifest, "routes")) {
    if (authorizer === undefined) continue;
    const at = [...path, "authorizer"];
    if (!Object.hasOwn(functions, authorizer)) {
      const others = Object.keys(functions).filter((name) => name !== owner);
      const near = nearest(authorizer, others);
      const expected = near !== undefined
        ? `did you mean "${near}"?`
        : others.length > 0
        ? `expected one of ${others.join(", ")}`
        : "add the function first";
      yield { path: at, message: `must be a function of the manifest: ${expected}` };
    } else if (authorizer === owner) {
      yield { path: at, message: "must be another function than the function of the route" };
    }
  }
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

/** Lists the triggers of a kind, with their functions and the keys that lead to them. */
function triggersOf<K extends Exclude<keyof Triggers, "url">>({ functions }: Manifest, kind: K) {
  return Object.entries(functions).flatMap(([owner, { triggers }]) =>
    triggers[kind].map((trigger, index) => ({
      owner,
      trigger: trigger as Triggers[K][number],
      path: ["functions", owner, "triggers", kind, index],
    }))
  );
}
