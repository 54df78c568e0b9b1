import { notificationEvent } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { REGION } from "../../application/arn.ts";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Log } from "../log.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { watch } from "../watch.ts";
import { BucketFolder, type ObjectChange } from "./bucket_folder.ts";

export interface BucketsOptions {
  readonly manifest: Manifest;
  readonly asyncInvocations: AsyncInvocations;
  /** Takes a line for each problem. */
  readonly log: Log;
  /** The folder that holds the folders of the buckets. */
  readonly folder: string;
}

/** The buckets of an application, by name. Their changes invoke functions until they are disposed of. */
export interface Buckets extends ReadonlyMap<string, BucketFolder>, AsyncDisposable {}

/** Opens the buckets. Objects that exist already invoke no function. */
export async function openBuckets(options: BucketsOptions): Promise<Buckets> {
  const { manifest, log } = options;
  const buckets = new Map<string, BucketFolder>();
  await using stack = new AsyncDisposableStack();
  const names = Object.values(manifest.functions).flatMap(({ triggers, uses }) => [
    ...triggers.buckets.map(({ name }) => name),
    ...Object.keys(uses.buckets),
  ]);
  for (const name of new Set(names)) {
    const folder = join(options.folder, name);
    const next = createSequencer();
    const folders = {
      objects: folder,
      records: join(options.folder, ".records", name),
      uploads: join(options.folder, ".uploads"),
    };
    const bucket = new BucketFolder(folders, (change) => notify(options, name, change, next()));
    await bucket.scan(false);
    const onChange = async () => {
      try {
        await bucket.scan(true);
      } catch (error) {
        log.note(`Cannot read the bucket "${name}": ${(error as Error).message}`);
      }
    };
    stack.use(watch(folder, { onChange, onError: ({ message }) => log.note(message) }));
    buckets.set(name, bucket);
  }
  const owned = stack.move();
  return Object.assign(buckets, { [Symbol.asyncDispose]: () => owned.disposeAsync() });
}

function notify(
  { manifest, asyncInvocations }: BucketsOptions,
  bucket: string,
  change: ObjectChange,
  sequencer: string,
): void {
  const { eventName, key, object, time, sourceIp } = change;
  const event = notificationEvent([{
    eventName,
    eventTime: time,
    region: REGION,
    bucketName: bucket,
    objectKey: key,
    objectSize: object?.size ?? null,
    objectEtag: object?.etag ?? null,
    objectVersionId: crypto.randomUUID().replaceAll("-", ""), // The deployed bucket keeps versions.
    objectSequencer: sequencer,
    sourceIp,
  }]);
  for (const [functionName, { triggers }] of Object.entries(manifest.functions)) {
    const isListening = triggers.buckets.some(({ name, events, prefix, suffix }) =>
      name === bucket && isWanted(eventName, events) && key.startsWith(prefix) &&
      key.endsWith(suffix)
    );
    if (isListening) asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
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
