import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Log } from "../log.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { watch } from "../watch.ts";
import { BucketFolder } from "./bucket_folder.ts";
import {
  createNotification,
  createSequencer,
  isWanted,
  type ObjectChange,
} from "./notification.ts";

/** What the buckets use. */
export interface BucketsOptions {
  readonly manifest: Manifest;
  readonly asyncInvocations: AsyncInvocations;
  /** Takes a line for each problem. */
  readonly log: Log;
  /** The folder that holds the folders of the buckets. */
  readonly folder: string;
}

/** The buckets of an application: folders whose changes invoke functions. */
export class Buckets implements AsyncDisposable {
  readonly #buckets: ReadonlyMap<string, BucketFolder>;
  readonly #stack: AsyncDisposableStack;

  private constructor(buckets: ReadonlyMap<string, BucketFolder>, stack: AsyncDisposableStack) {
    this.#buckets = buckets;
    this.#stack = stack;
  }

  /** Opens the buckets. No function is told of the objects that are there already. */
  static async open(options: BucketsOptions): Promise<Buckets> {
    const buckets = new Map<string, BucketFolder>();
    await using stack = new AsyncDisposableStack();
    const functions = Object.values(options.manifest.functions);
    const names = functions.flatMap(({ triggers, uses }) => [
      ...triggers.buckets.map(({ name }) => name),
      ...Object.keys(uses.buckets),
    ]);
    for (const name of new Set(names)) {
      const folder = join(options.folder, name);
      const next = createSequencer();
      const bucket = new BucketFolder(folder, join(options.folder, ".uploads"), (change) => {
        notify(options, name, change, next());
      });
      await bucket.scan(false);
      const onChange = async () => {
        try {
          await bucket.scan(true);
        } catch (error) {
          options.log.note(`Cannot read the bucket "${name}": ${(error as Error).message}`);
        }
      };
      stack.use(watch(folder, { onChange, onError: ({ message }) => options.log.note(message) }));
      buckets.set(name, bucket);
    }
    return new Buckets(buckets, stack.move());
  }

  /** The buckets by name. */
  get all(): ReadonlyMap<string, BucketFolder> {
    return this.#buckets;
  }

  /** Stops watching. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Invokes the functions that listen to a change. */
function notify(
  { manifest, asyncInvocations }: BucketsOptions,
  bucket: string,
  change: ObjectChange,
  sequencer: string,
): void {
  const event = createNotification(bucket, change, sequencer);
  for (const [functionName, { triggers }] of Object.entries(manifest.functions)) {
    const isListening = triggers.buckets.some(({ name, events, prefix, suffix }) =>
      name === bucket && isWanted(change.eventName, events) && change.key.startsWith(prefix) &&
      change.key.endsWith(suffix)
    );
    if (isListening) asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
  }
}
