import { readPattern } from "../rules/event_pattern.ts";
import { FILTER_SCOPES, readFilterPolicy } from "../rules/filter_policy.ts";
import { wrongStatementParts } from "../rules/statement.ts";
import { compareVersions, oldestProvider } from "./provider.ts";
import { findWrongReferences } from "./references.ts";
import { findGatewayConflicts } from "./gateway_conflicts.ts";
import { type Conflict, triggersOf } from "./triggers.ts";
import type { BucketTrigger, Manifest } from "./types.ts";
import { placeholdersIn, variablesOf } from "./variables.ts";

/** Finds the problems of a manifest that its JSON Schema cannot express. */
export function* findConflicts(manifest: Manifest): Generator<Conflict> {
  yield* findEnvironmentConflicts(manifest);
  yield* findWrongReferences(manifest);
  yield* findSecretConflicts(manifest);
  yield* findPatternConflicts(manifest);
  yield* findGatewayConflicts(manifest);
  yield* findProviderConflicts(manifest);
  yield* findBucketConflicts(manifest);
  yield* findRepetitions(manifest, "topics");
  yield* findRepetitions(manifest, "tables");
  yield* findScheduleConflicts(manifest);
  yield* findUnknownResources(manifest, "queues");
  yield* findUnknownResources(manifest, "tables");
  yield* findQueueConflicts(manifest);
  yield* findTableConflicts(manifest);
  for (const [owner, { statements }] of Object.entries(manifest.functions)) {
    for (const [index, statement] of statements.entries()) {
      yield* wrongStatementParts(statement, ["functions", owner, "statements", index]);
    }
  }
}

/** Finds variables that `uses` sets already, and hosts with unknown variables. */
function* findEnvironmentConflicts({ functions }: Manifest): Generator<Conflict> {
  for (const [owner, { environment, permissions, runtime, uses }] of Object.entries(functions)) {
    const path = ["functions", owner];
    const names = Object.keys(environment);
    for (const name of variablesOf(uses)) {
      if (!names.includes(name)) continue;
      const message = 'must be another variable: "uses" sets it';
      yield { path: [...path, "environment", name], message };
    }
    if (runtime !== "deno" && permissions.net.length > 0) {
      const message = `must be empty, because Node.js (${runtime}) does not limit the network`;
      yield { path: [...path, "permissions", "net"], message };
    }
    for (const [index, host] of permissions.net.entries()) {
      if (placeholdersIn(host).every((name) => name === "region" || names.includes(name))) continue;
      const message =
        "must have no placeholders except ${region} and the function's own variables, which may be ${infra.NAME}";
      yield { path: [...path, "permissions", "net", index], message };
    }
  }
}

/** Finds secrets that have another value already, and a name that AWS Systems Manager reserves. */
function* findSecretConflicts({ name, functions }: Manifest): Generator<Conflict> {
  for (const [owner, { environment, secrets, uses }] of Object.entries(functions)) {
    const used = variablesOf(uses);
    for (const [index, secret] of secrets.entries()) {
      const path = ["functions", owner, "secrets", index];
      if (Object.hasOwn(environment, secret)) {
        yield { path, message: `must be another variable: "environment" sets "${secret}"` };
      } else if (used.includes(secret)) {
        yield { path, message: `must be another variable: "uses" sets "${secret}"` };
      } else if (/^(https?|all|no)_proxy$/i.test(secret)) {
        const message = 'must be in "environment": Deno reads a proxy before it reads secrets';
        yield { path, message };
      } else if (secrets.indexOf(secret) < index) {
        yield { path, message: `must be another variable: "${secret}" occurs twice` };
      } else if (/^(aws|ssm)/.test(name)) { // https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
        const message =
          `needs another "name": AWS Systems Manager keeps no secrets of "${name}", ` +
          'because it reserves names that begin with "aws" or "ssm"';
        yield { path, message };
      }
    }
  }
}

function* findPatternConflicts(manifest: Manifest): Generator<Conflict> {
  for (const { trigger, path } of triggersOf(manifest, "events")) {
    yield* readPattern(trigger.pattern, [...path, "pattern"]).problems;
  }
  for (const { trigger, path } of triggersOf(manifest, "topics")) {
    if (trigger.filter === undefined) continue;
    const scope = FILTER_SCOPES[trigger.filterScope];
    yield* readFilterPolicy(trigger.filter, scope, [...path, "filter"]).problems;
  }
  for (const { trigger, path } of triggersOf(manifest, "tables")) {
    if (trigger.filter === undefined) continue;
    yield* readPattern(trigger.filter, [...path, "filter"]).problems;
  }
}

/** Finds a version of Terraform's provider that is too old. */
function* findProviderConflicts(manifest: Manifest): Generator<Conflict> {
  const { version, reason } = oldestProvider(manifest);
  if (manifest.provider === undefined || compareVersions(manifest.provider, version) >= 0) return;
  yield { path: ["provider"], message: `must be at least ${version}, ${reason}` };
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

/** Finds topics and tables that a function names twice, because they have one subscription for each function. */
function* findRepetitions(manifest: Manifest, kind: "topics" | "tables"): Generator<Conflict> {
  const found = new Set<string>();
  for (const { owner, trigger: { name }, path } of triggersOf(manifest, kind)) {
    const subscription = `${owner} ${name}`;
    if (found.has(subscription)) {
      const message = `must be another ${kind.slice(0, -1)}: the function has "${name}" already`;
      yield { path: [...path, "name"], message };
    }
    found.add(subscription);
  }
}

/** Finds schedules and event patterns that a function has twice: their names are made from their content. */
function* findScheduleConflicts(manifest: Manifest): Generator<Conflict> {
  for (const kind of ["schedules", "events"] as const) {
    const found = new Set<string>();
    for (const { owner, trigger, path } of triggersOf(manifest, kind)) {
      const text = owner + JSON.stringify(trigger);
      if (found.has(text)) yield { path, message: "occurs twice: remove one" };
      found.add(text);
    }
  }
}

/** Finds queues and tables that functions name and the manifest does not declare. */
function* findUnknownResources(manifest: Manifest, kind: "queues" | "tables"): Generator<Conflict> {
  const names = Object.keys(manifest[kind]);
  const expected = names.length === 0
    ? ", which is empty"
    : `: expected one of ${names.join(", ")}`;
  const message = `must be a ${kind.slice(0, -1)} of the manifest's "${kind}"${expected}`;
  const used = Object.entries(manifest.functions).flatMap(([owner, { uses }]) =>
    Object.keys(uses[kind]).map((name) => ({
      name,
      path: ["functions", owner, "uses", kind, name],
    }))
  );
  const triggering = triggersOf(manifest, kind)
    .map(({ trigger: { name }, path }) => ({ name, path: [...path, "name"] }));
  for (const { name, path } of [...used, ...triggering]) {
    if (!names.includes(name)) yield { path, message };
  }
}

/** Finds queues that two functions read, or that Lambda refuses for a function. */
function* findQueueConflicts(manifest: Manifest): Generator<Conflict> {
  const { functions, queues } = manifest;
  const readers = new Map<string, string>();
  for (const { owner, trigger: { name, batch, window }, path } of triggersOf(manifest, "queues")) {
    const { timeout } = functions[owner]!;
    const queue = Object.hasOwn(queues, name) ? queues[name] : undefined;
    const reader = readers.get(name);
    readers.set(name, owner);
    if (queue === undefined) continue;
    if (batch > 10 && window === 0) {
      yield { path: [...path, "window"], message: "must be at least 1 if batch is more than 10" };
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

/** Finds attributes that have different types in the keys of one table. */
function* findTableConflicts({ tables }: Manifest): Generator<Conflict> {
  for (const [table, { key, indexes }] of Object.entries(tables)) {
    const types = new Map(Object.entries(key));
    for (const [index, { key }] of Object.entries(indexes)) {
      for (const [attribute, type] of Object.entries(key)) {
        const other = types.get(attribute) ?? type;
        types.set(attribute, other);
        if (other === type) continue;
        const path = ["tables", table, "indexes", index, "key", attribute];
        yield { path, message: `must be "${other}", as in another key of the table` };
      }
    }
  }
}
