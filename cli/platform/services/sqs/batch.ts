import { ServiceError } from "../service_call.ts";
import { malformed, queueError } from "./errors.ts";
import { allowMembers, type Input, listOf, textOf } from "./input.ts";

const MAX_ENTRIES = 10;

/** Reads the entries of a batch. Their identifiers must be valid and distinct. */
export function entriesOf(input: Input, operation: string): readonly Input[] {
  allowMembers(input, operation, ["Entries", "QueueUrl"]);
  const entries = listOf<Input>(input, "Entries");
  if (entries.length === 0) {
    const message = `There should be at least one ${operation}RequestEntry in the request.`;
    throw queueError("EmptyBatchRequest", message);
  }
  if (entries.length > MAX_ENTRIES) {
    const message =
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${entries.length}.`;
    throw queueError("TooManyEntriesInBatchRequest", message);
  }
  const known = new Set<string>();
  for (const entry of entries) {
    if (typeof entry !== "object" || entry === null) {
      throw malformed("Entries must be a list of maps");
    }
    const id = textOf(entry, "Id") ?? "";
    if (!/^[\w-]{1,80}$/.test(id)) {
      const message =
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
      throw queueError("InvalidBatchEntryId", message);
    }
    if (known.has(id)) throw queueError("BatchEntryIdsNotDistinct", `Id ${id} repeated.`);
    known.add(id);
  }
  return entries;
}

/** Runs the entries of a batch one after the other. An entry that fails does not stop the others. */
export function runBatch(entries: readonly Input[], run: (entry: Input) => object | void): object {
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    const Id = entry.Id;
    try {
      successful.push({ Id, ...run(entry) });
    } catch (error) {
      // What is not emulated must not look like a message that the service refuses.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      const { code, message } = error;
      failed.push({ Id, Code: code, Message: message, SenderFault: true });
    }
  }
  return { Successful: successful, Failed: failed };
}
