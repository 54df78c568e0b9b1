import { isObject } from "../../rules/json_object.ts";
import { batchFault, MAX_ENTRIES, type Outcome, runBatch } from "../batch.ts";
import { malformed, queueError } from "./errors.ts";
import { type Input, listOf, textOf } from "./input.ts";

/** Reads the entries of a batch. Their identifiers must be valid and distinct. */
export function entriesOf(input: Input, operation: string): readonly Input[] {
  const entries = listOf<Input>(input, "Entries");
  if (!entries.every(isObject)) throw malformed("Entries must be a list of maps");
  const ids = entries.map((entry) => textOf(entry, "Id") ?? "");
  const fault = batchFault(ids);
  if (fault === undefined) return entries;
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  throw queueError(
    fault,
    {
      EmptyBatchRequest: `There should be at least one ${operation}RequestEntry in the request.`,
      TooManyEntriesInBatchRequest:
        `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${ids.length}.`,
      InvalidBatchEntryId:
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
      BatchEntryIdsNotDistinct: `Id ${repeated} repeated.`,
    }[fault],
  );
}

/** Runs the entries of a batch, and makes the answer. */
export function answerBatch(
  entries: readonly Input[],
  run: (entry: Input) => Outcome | void,
): object {
  const { successful, failed } = runBatch(
    entries.map((entry) => [textOf(entry, "Id")!, entry] as const),
    run,
  );
  return { Successful: successful, Failed: failed };
}
