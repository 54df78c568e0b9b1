import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../aws/clock.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";

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

/** A source from which AWS Lambda calls a function: a queue, or the changes of a table. */
export interface Source {
  /** The name in messages, such as `the queue "jobs"`. */
  readonly name: string;
  /** The largest number of items of one invocation. */
  readonly batch: number;
  /** The longest time in which items are gathered, in seconds. */
  readonly window: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Writes a line to the log. */
  readonly note: (text: string) => void;
  /** Counts the items that wait, up to a full batch. */
  pending(): Pending | Promise<Pending>;
  /** Waits until items may have come, until a time, or until the signal. The clock may jump to `due`. */
  wait(end: number, due: number | undefined): Promise<void>;
  /** Takes a batch, and invokes the function. */
  send(): Promise<void>;
}

/** Invokes a function with the batches of a source, with some invocations at a time, until the signal. */
export async function poll(source: Source, concurrency: number): Promise<void> {
  const { name, note, signal } = source;
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
        await attempt(source.clock.now());
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
  const { batch, window, signal, clock } = source;
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
