import { ServiceError } from "./service_call.ts";

/** The most entries of a batch of Amazon SQS or Amazon SNS. */
export const MAX_ENTRIES = 10;

/** The answer to one entry of a batch. */
export type Outcome = Readonly<Record<string, string | boolean>>;

type Fault =
  | "EmptyBatchRequest"
  | "TooManyEntriesInBatchRequest"
  | "InvalidBatchEntryId"
  | "BatchEntryIdsNotDistinct";

/** Finds what is wrong with the identifiers of the entries of a batch. */
export function batchFault(ids: readonly string[]): Fault | undefined {
  if (ids.length === 0) return "EmptyBatchRequest";
  if (ids.length > MAX_ENTRIES) return "TooManyEntriesInBatchRequest";
  if (!ids.every((id) => /^[\w-]{1,80}$/.test(id))) return "InvalidBatchEntryId";
  if (new Set(ids).size < ids.length) return "BatchEntryIdsNotDistinct";
}

/** Runs the entries of a batch one after the other. An entry that fails does not stop the others. */
export function runBatch<Entry>(
  entries: readonly (readonly [Id: string, entry: Entry])[],
  run: (entry: Entry) => Outcome | void,
): { successful: Outcome[]; failed: Outcome[] } {
  const successful: Outcome[] = [];
  const failed: Outcome[] = [];
  for (const [Id, entry] of entries) {
    try {
      successful.push({ Id, ...run(entry) });
    } catch (error) {
      // What is not emulated must not look like a message that the service refuses.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { successful, failed };
}
