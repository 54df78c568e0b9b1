import { Buffer } from "node:buffer";
import { MAX_SYNC_EVENT } from "../../application/limits.ts";

/** The bytes of an event beside its records: `{"Records":[]}`. */
const FRAME = 14;

/** Items of a queue or a stream, and the event with their records. */
export interface Batch<Item> {
  readonly items: Item[];
  readonly event: { readonly Records: object[] };
}

/** Divides items into events that AWS Lambda accepts, with at most `most` records each. */
export function* batchesOf<Item>(
  items: readonly Item[],
  recordOf: (item: Item) => object,
  most = Infinity,
): Generator<Batch<Item>> {
  const start = (): Batch<Item> => ({ items: [], event: { Records: [] } });
  let batch = start();
  let size = FRAME;
  for (const item of items) {
    const record = recordOf(item);
    const length = Buffer.byteLength(JSON.stringify(record)) + 1;
    const { length: count } = batch.items;
    if (count === most || count > 0 && size + length > MAX_SYNC_EVENT) {
      yield batch;
      batch = start();
      size = FRAME;
    }
    batch.items.push(item);
    batch.event.Records.push(record);
    size += length;
  }
  if (batch.items.length > 0) yield batch;
}

/**
 * Returns the identifiers of the records that a function reports as failed. The result is `undefined` if the report is
 * malformed or names an unknown record: then the whole batch has failed, as on AWS Lambda.
 */
export function reportedFailures(
  result: unknown,
  known: readonly string[],
): readonly string[] | undefined {
  const failures = (result as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return undefined;
  const reported = failures.map((failure) => failure?.itemIdentifier);
  return new Set(reported).isSubsetOf(new Set(known)) ? reported : undefined;
}
