import { createHash } from "node:crypto";
import { triggersOf } from "../manifest/triggers.ts";
import { resourceNames } from "../manifest/references.ts";
import type {
  Manifest,
  ScheduleTrigger,
  TableKey,
  TableManifest,
  Triggers,
} from "../manifest/types.ts";
import { arnIn, type Place } from "../rules/arn.ts";
import { FILTER_SCOPES } from "../rules/filter_policy.ts";
import { MAX_MESSAGE } from "../rules/limits.ts";
import { tlsOnly } from "./statements.ts";
import type { Bucket, PlainQueue, Queue, Resources, Table, Topic } from "./types.ts";

/** Names the resources of an application, and finds their listeners. */
export function resolveResources(manifest: Manifest, place: Place): Resources {
  return {
    buckets: resolveBuckets(manifest, place),
    topics: resolveTopics(manifest, place),
    queues: resolveQueues(manifest, place),
    tables: resolveTables(manifest, place),
  };
}

/** Buckets exist if a function or the manifest names them. Their names are unique across all accounts and regions. */
function resolveBuckets(manifest: Manifest, { partition, account, region }: Place) {
  const listeners = listenersOf(manifest, "buckets");
  return mapNames(resourceNames(manifest, "buckets"), (key): Bucket => {
    const name = `${manifest.name}-${key}-${account}-${region}`;
    const arn = `arn:${partition}:s3:::${name}`;
    return {
      name,
      arn,
      policy: tlsOnly("s3:*", arn, `${arn}/*`),
      cors: manifest.buckets[key]?.cors,
      listeners: named(listeners, key)
        .map((listener) => ({ ...listener, id: `${listener.function}-${hash(listener)}` })),
    };
  });
}

function resolveTopics(manifest: Manifest, place: Place) {
  const listeners = listenersOf(manifest, "topics");
  return mapNames(resourceNames(manifest, "topics"), (key): Topic => {
    const name = `${manifest.name}-${key}`;
    const arn = arnIn(place, "sns", name);
    return {
      name,
      arn,
      policy: tlsOnly("sns:Publish", arn),
      listeners: named(listeners, key).map(({ filterScope, ...listener }) => ({
        filter: undefined,
        ...listener,
        scope: FILTER_SCOPES[filterScope],
      })),
    };
  });
}

function resolveQueues(manifest: Manifest, place: Place) {
  const listeners = listenersOf(manifest, "queues");
  return mapValues(manifest.queues, ({ retries, ...settings }, key): Queue => {
    const suffix = settings.fifo ? ".fifo" : "";
    return {
      ...queue(`${manifest.name}-${key}${suffix}`, place),
      ...settings,
      deadLetters: deadLetterQueue(`${manifest.name}-${key}-dead-letters${suffix}`, place),
      maxReceiveCount: retries + 1,
      listeners: named(listeners, key).map((listener) => ({ concurrency: undefined, ...listener })),
    };
  });
}

function resolveTables(manifest: Manifest, place: Place) {
  const listeners = listenersOf(manifest, "tables");
  return mapValues(manifest.tables, (settings, key): Table => ({
    name: `${manifest.name}-${key}`,
    arn: arnIn(place, "dynamodb", `table/${manifest.name}-${key}`),
    key: Object.keys(settings.key),
    attributes: attributesOf(settings),
    indexes: mapValues(settings.indexes, ({ key, projection }) => ({
      key: Object.keys(key),
      projection: projection ? (projection.length > 0 ? "INCLUDE" : "KEYS_ONLY") : "ALL",
      included: projection?.length ? projection : undefined,
    })),
    expires: settings.expires,
    listeners: named(listeners, key).map((listener) => ({
      filter: undefined,
      ...listener,
      deadLetters: deadLetterQueue(
        `${manifest.name}-${listener.function}-${key}-dead-letters`,
        place,
      ),
    })),
  }));
}

const ATTRIBUTE_TYPES = { string: "S", number: "N", binary: "B" } as const;

/** The types of the attributes of all keys of a table. An attribute has one type in all of them. */
function attributesOf({ key, indexes }: TableManifest) {
  const keys: readonly TableKey[] = [key, ...Object.values(indexes).map((index) => index.key)];
  return Object.fromEntries(
    keys.flatMap((one) => Object.entries(one))
      .map(([name, type]) => [name, ATTRIBUTE_TYPES[type]]),
  );
}

const DAY = 24 * 60 * 60;

function queue(name: string, place: Place, retention = 4 * DAY): PlainQueue {
  const arn = arnIn(place, "sqs", name);
  return { name, arn, policy: tlsOnly("sqs:*", arn), messageSize: MAX_MESSAGE, retention };
}

/** Makes a dead-letter queue. It keeps messages for the longest time that Amazon SQS allows. */
function deadLetterQueue(name: string, place: Place): PlainQueue {
  return queue(name, place, 14 * DAY);
}

/** The listeners of one resource, without its name. */
function named<T extends { readonly name: string }>(listeners: readonly T[], key: string) {
  return listeners.filter(({ name }) => name === key).map(({ name: _, ...listener }) => listener);
}

function mapNames<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}

/** Makes a map with the same keys. */
export function mapValues<V, T>(
  values: Readonly<Record<string, V>>,
  make: (value: V, key: string) => T,
): Record<string, T> {
  return mapNames(Object.keys(values), (key) => make(values[key]!, key));
}

type Kind = Exclude<keyof Triggers, "url">;

/** Lists the triggers of a kind, each with the name of its function. */
export function listenersOf<K extends Kind>(
  manifest: Manifest,
  kind: K,
): readonly (Triggers[K][number] & { readonly function: string })[] {
  return triggersOf(manifest, kind).map(({ owner, trigger }) => ({ function: owner, ...trigger }));
}

/** A part of a name that depends on the content of a trigger, and not on its position. */
function hash(trigger: unknown): string {
  return createHash("sha256").update(JSON.stringify(trigger)).digest("hex").slice(0, 8);
}

/** Names the rule or the schedule of a function's trigger. */
export function triggerName(
  { name }: { readonly name: string },
  trigger: Triggers["schedules" | "events"][number],
): string {
  return `${name}-${hash(trigger)}`;
}

/**
 * Tells whether a schedule is a rule of Amazon EventBridge. The event of a rule has a source, a time and the rule, but a rule
 * knows only UTC. So a schedule with another time zone is a schedule of EventBridge Scheduler.
 */
export function isRule({ timezone }: ScheduleTrigger): boolean {
  return timezone === "UTC";
}
