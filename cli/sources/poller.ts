import { Buffer } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import type { Application } from "../application/types.ts";
import type { Clock } from "../aws/clock.ts";
import type {
  FunctionHost,
  InvocationFacts,
  InvokeOptions,
  InvokeOutcome,
  Rest,
} from "../lambda/function_host.ts";
import type { Log } from "../lambda/log.ts";
import { parseJson } from "../rules/json_object.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import type { Messaging } from "./messaging.ts";

/** The delay after a source could not be read, or a function could not be invoked, in milliseconds. */
const RETRY_DELAY = 1_000;

/** The longest time without a look at a source, in milliseconds. */
const LONGEST_WAIT = 20_000;

/** What waits in a source. */
interface Pending {
  readonly count: number;
  /** The bytes of all items. */
  readonly size: number;
}

/** What both kinds of sources need. */
export interface PollOptions {
  readonly application: Application;
  readonly messaging: Messaging;
  readonly host: FunctionHost;
  readonly log: Log;
  readonly clock: Clock;
}

/** How the items of a source are gathered. */
export interface Gathering {
  /** The largest number of items of one invocation. */
  readonly batch: number;
  /** The longest time in which items are gathered, in seconds. */
  readonly window: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
}

/** A source from which AWS Lambda calls a function: a queue, or the changes of a table. */
export interface Source {
  /** The name in messages, such as `the queue "jobs"`. */
  readonly name: string;
  readonly options: Gathering;
  /** Counts the items that wait, up to a full batch. */
  pending(): Pending | Promise<Pending>;
  /** Waits until items may have come, until a time, or until the signal. The clock may jump to `due`. */
  wait(end: number, due: number | undefined): Promise<void>;
  /** Takes a batch, and invokes the function. */
  send(): Promise<void>;
}

/** Invokes a function with the batches of a source, with some invocations at a time, until the signal. */
export async function poll(source: Source, concurrency: number): Promise<void> {
  const { name, options: { clock, note, signal } } = source;
  let problem: string | undefined;
  const attempt = async (start: number) => {
    await gather(source, start).catch((error) => {
      throw new Error(`Cannot read ${name}: ${error.message}`, { cause: error });
    });
    if (!signal.aborted) await source.send();
    problem = undefined;
  };
  const run = async () => {
    while (!signal.aborted) {
      try {
        await attempt(clock.now());
      } catch (error) {
        if (signal.aborted) return;
        const { message } = error as Error;
        if (message !== problem) note(problem = message); // Once, not at each attempt.
        await pause(RETRY_DELAY, undefined, { signal }).catch(() => {}); // The platform ends.
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}

/**
 * Waits until a batch is full, until it is as large as an event can be, or until the end of the window in which its first
 * item came. The first window begins when the previous invocation has ended, and each further one when the last one ends.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html#invocation-eventsourcemapping-batching
 */
async function gather(source: Source, start: number): Promise<void> {
  const { batch, window, signal, clock } = source.options;
  let end: number | undefined;
  while (!signal.aborted) {
    const { count, size } = await clock.during(source.pending());
    const now = clock.now();
    if (count === 0) end = undefined;
    else end ??= windowEnd(start, window, now);
    if (count >= batch || size >= MAX_SYNC_EVENT || end !== undefined && now >= end) return;
    await source.wait(end ?? now + LONGEST_WAIT, end);
  }
}

/** Returns the end of the window that is open at a time. All times are in milliseconds, and the length is in seconds. */
export function windowEnd(start: number, seconds: number, now: number): number {
  const length = seconds * 1_000;
  return length === 0 ? now : start + Math.ceil((now - start + 1) / length) * length;
}

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
export interface Consumer extends Pick<Gathering, "note" | "signal"> {
  readonly functionName: string;
  /** What the batches come from. */
  readonly trigger: InvocationFacts["trigger"];
  /** How messages name the identifier of a record. */
  readonly identifier: string;
  readonly host: FunctionHost;
}

/** How an invocation with a batch has ended. */
interface Result {
  /** The identifiers of the records that are not done. */
  readonly failed: readonly string[];
  /** Whether the invocation itself has failed. */
  readonly isError: boolean;
  readonly requestId: string;
}

/** What a batch is made of. */
interface Taken extends Pick<InvocationFacts, "attempt" | "causes"> {
  readonly ids: readonly string[];
  readonly records: readonly object[];
  /** The trace header of the records. */
  readonly trace?: string | undefined;
  /** Says what becomes of records that are not done. */
  readonly restOf: (failed: readonly string[]) => Rest;
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
  { functionName, trigger, identifier, host, note, signal }: Consumer,
  take: () => Taken,
): Promise<Result | undefined> {
  let ids: readonly string[] = [];
  const options: { -readonly [K in keyof InvokeOptions]: InvokeOptions[K] } = {};
  const event = () => {
    const { records, trace, restOf, ...taken } = take();
    if (records.length === 0) throw NOTHING;
    ids = taken.ids;
    options.traceId = trace;
    options.facts = {
      trigger,
      attempt: taken.attempt,
      causes: taken.causes,
      records: ids,
      rest: (outcome) => restOf(outcome === undefined ? ids : failedOf(outcome, ids) ?? ids),
    };
    return Buffer.from(JSON.stringify({ Records: records }));
  };
  try {
    const outcome = await host.invoke(functionName, event, options);
    const { failure, requestId } = outcome;
    const failed = failedOf(outcome, ids);
    if (failed === undefined) {
      const expected = `{ "batchItemFailures": [{ "itemIdentifier": ${identifier} }] }`;
      note(`Malformed result of "${functionName}": expected ${expected} of the batch`);
    }
    return { failed: failed ?? ids, isError: failure !== undefined, requestId };
  } catch (error) {
    if (error === NOTHING) return undefined;
    if (ids.length === 0) throw error;
    if (!signal.aborted) note(`Cannot invoke "${functionName}": ${(error as Error).message}`);
    return { failed: ids, isError: true, requestId: "" };
  }
}

/** Writes a number of attempts in words. */
export function attemptsOf(count: number): string {
  return count === 1 ? "1 attempt" : `${count} attempts`;
}

/**
 * Returns the identifiers of the records that are not done: those that a function reports, or all after a failure. The result is
 * `undefined` if the report is malformed or names an unknown record: then the whole batch has failed, as on AWS Lambda.
 */
function failedOf(
  { failure, payload }: InvokeOutcome,
  known: readonly string[],
): readonly string[] | undefined {
  if (failure !== undefined) return known;
  const result = parseJson(Buffer.from(payload).toString());
  if (result === undefined) return undefined;
  const failures = (result as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return undefined;
  const reported = failures.map((failure) => failure?.itemIdentifier);
  return new Set(reported).isSubsetOf(new Set(known)) ? reported : undefined;
}
