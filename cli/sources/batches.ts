import { Buffer } from "node:buffer";
import type { FunctionHost, InvokeOptions } from "../lambda/function_host.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";

/** The bytes of an event beside its records, `{"Records":[]}`, without the comma that the first record does not have. */
const FRAME = 13;

/** The records of one event. Together they are as large as AWS Lambda accepts. */
export class Batch {
  readonly records: object[] = [];
  #size = FRAME;

  /** Adds a record if the event has place for the record. The first record always has place. */
  add(record: object): boolean {
    const size = this.#size + Buffer.byteLength(JSON.stringify(record)) + 1;
    if (this.records.length > 0 && size > MAX_SYNC_EVENT) return false;
    this.#size = size;
    this.records.push(record);
    return true;
  }
}

/** Who gets batches. */
export interface Consumer {
  readonly functionName: string;
  /** How messages name the identifier of a record. */
  readonly identifier: string;
  readonly host: FunctionHost;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How an invocation with a batch has ended. */
export interface Result {
  /** The identifiers of the records that are not done. */
  readonly failed: readonly string[];
  /** Whether the invocation itself has failed. */
  readonly isError: boolean;
  readonly requestId: string;
}

/** What a batch is made of. */
interface Taken {
  readonly ids: readonly string[];
  readonly records: readonly object[];
  /** The trace header of the records. */
  readonly trace?: string | undefined;
}

/** Says that there is nothing to invoke a function with. */
const NOTHING = Symbol("nothing");

/**
 * Invokes a function with a batch.
 *
 * @param take Takes the batch when a sandbox is free. The records are those of the identifiers.
 * @returns The result, or `undefined` if `take` had nothing.
 * @throws {Error} If the invocation cannot begin. Then nothing was taken.
 */
export async function invokeWith(
  { functionName, identifier, host, note, signal }: Consumer,
  take: () => Taken,
): Promise<Result | undefined> {
  let ids: readonly string[] = [];
  const options: { -readonly [K in keyof InvokeOptions]: InvokeOptions[K] } = {};
  const event = () => {
    const { records, ...taken } = take();
    if (records.length === 0) throw NOTHING;
    ids = taken.ids;
    options.traceId = taken.trace;
    return Buffer.from(JSON.stringify({ Records: records }));
  };
  try {
    const { failure, payload, requestId } = await host.invoke(functionName, event, options);
    if (failure !== undefined) return { failed: ids, isError: true, requestId };
    const reported = reportedFailures(JSON.parse(Buffer.from(payload).toString()), ids);
    if (reported === undefined) {
      const expected = `{ "batchItemFailures": [{ "itemIdentifier": ${identifier} }] }`;
      note(`Malformed result of "${functionName}": expected ${expected} of the batch`);
    }
    return { failed: reported ?? ids, isError: false, requestId };
  } catch (error) {
    if (error === NOTHING) return undefined;
    if (ids.length === 0) throw error;
    if (!signal.aborted) note(`Cannot invoke "${functionName}": ${(error as Error).message}`);
    return { failed: ids, isError: true, requestId: "" };
  }
}

/**
 * Returns the identifiers of the records that a function reports as failed. The result is `undefined` if the report is
 * malformed or names an unknown record: then the whole batch has failed, as on AWS Lambda.
 */
function reportedFailures(
  result: unknown,
  known: readonly string[],
): readonly string[] | undefined {
  const failures = (result as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return undefined;
  const reported = failures.map((failure) => failure?.itemIdentifier);
  return new Set(reported).isSubsetOf(new Set(known)) ? reported : undefined;
}
