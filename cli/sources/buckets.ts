import { notificationEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { createTraceId, REGION } from "../rules/arn.ts";
import type { Application, Bucket } from "../application/types.ts";
import type { Clock } from "../aws/clock.ts";
import type { AsyncInvocations } from "./async_invocations.ts";
import type { Log } from "../lambda/log.ts";
import { watch } from "./watch.ts";
import { BucketFolder, type ObjectChange } from "../aws/s3/bucket_folder.ts";

/** The folder of the buckets in the folder of the data. */
export const BUCKETS_FOLDER = "buckets";

export interface BucketsOptions {
  readonly application: Application;
  readonly asyncInvocations: AsyncInvocations;
  readonly clock: Clock;
  /** Takes a line for each problem. */
  readonly log: Log;
  /** The folder of the data. No part of it may be a link. */
  readonly data: string;
}

/** The buckets of an application, by their names in the manifest. Their changes invoke functions until they are disposed of. */
export interface Buckets extends ReadonlyMap<string, BucketFolder>, AsyncDisposable {}

/** Opens the buckets. Objects that exist already invoke no function. */
export async function openBuckets(options: BucketsOptions): Promise<Buckets> {
  const { application, log, data } = options;
  const all = join(data, BUCKETS_FOLDER);
  const buckets = new Map<string, BucketFolder>();
  await using stack = new AsyncDisposableStack();
  for (const [key, facts] of Object.entries(application.buckets)) {
    const folder = join(all, key);
    const next = createSequencer();
    const folders = { data, objects: folder, store: join(all, ".records", key) };
    const report = (change: ObjectChange) => notify(options, key, facts, change, next());
    const bucket = await BucketFolder.load(folders, report);
    const onChange = async () => {
      try {
        await bucket.scan();
      } catch (error) {
        log.note(`Cannot read the bucket "${key}": ${(error as Error).message}`);
      }
    };
    stack.use(watch(folder, { onChange, onError: ({ message }) => log.note(message) }));
    buckets.set(key, bucket);
  }
  const owned = stack.move();
  return Object.assign(buckets, { [Symbol.asyncDispose]: () => owned.disposeAsync() });
}

function notify(
  { asyncInvocations, clock }: BucketsOptions,
  bucket: string,
  { name, listeners }: Bucket,
  change: ObjectChange,
  sequencer: string,
): void {
  const { eventName, key, object, sourceIp } = change;
  const event = notificationEvent([{
    eventName,
    eventTime: clock.date(),
    region: REGION,
    bucketName: name,
    objectKey: key,
    objectSize: object?.size ?? null,
    objectEtag: object?.etag ?? null,
    objectVersionId: crypto.randomUUID().replaceAll("-", ""), // The deployed bucket keeps versions.
    objectSequencer: sequencer,
    sourceIp,
  }]);
  const owners = listeners.filter(({ events, prefix, suffix }) =>
    isWanted(eventName, events) && key.startsWith(prefix) && key.endsWith(suffix)
  ).map((listener) => listener.function);
  const traceId = change.traceHeader ?? createTraceId();
  const trigger = { type: "bucket", name: `${bucket}/${key}` } as const;
  for (const functionName of new Set(owners)) {
    const payload = Buffer.from(JSON.stringify(event));
    asyncInvocations.start(functionName, payload, { traceId, facts: { trigger } });
  }
}

/** Makes a function that returns hexadecimal numbers of one length. Each number is greater than all before. */
export function createSequencer(): () => string {
  let last = 0n;
  return () => {
    const now = BigInt(Date.now()) << 12n;
    last = now > last ? now : last + 1n;
    return last.toString(16).toUpperCase().padStart(18, "0");
  };
}

/** Tells whether types such as `s3:ObjectCreated:*` include an event such as `ObjectCreated:Put`. */
function isWanted(eventName: string, types: readonly string[]): boolean {
  return types.some((type) => {
    const wanted = type.replace(/^s3:/, "");
    return wanted.endsWith("*") ? eventName.startsWith(wanted.slice(0, -1)) : wanted === eventName;
  });
}
