import type { TableEventRecord } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import type { FunctionHost } from "../../lambda/function_host.ts";
import { batchesOf, reportedFailures } from "../invoke/batches.ts";
import { compilePattern } from "../services/event_pattern.ts";
import type { TableStream } from "./stream.ts";

/** What a follower does for one function. */
export interface FollowerOptions {
  readonly stream: TableStream;
  readonly functionName: string;
  readonly functionArn: string;
  /** The largest number of changes of one invocation. */
  readonly batch: number;
  /** The longest wait for a full batch, in seconds. */
  readonly window: number;
  /** The number of retries before a change goes to the dead-letter queue. */
  readonly retries: number;
  /** The pattern of the changes that the function gets. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly host: FunctionHost;
  /** Puts the description of a batch that failed too often into the dead-letter queue of the trigger. */
  readonly giveUp: (description: object) => void;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Changes that are sent together, and how often the first of them has failed. */
interface Batch {
  readonly records: readonly TableEventRecord[];
  readonly failures: number;
}

/** The first and the longest wait before a retry, in milliseconds. */
const FIRST_DELAY = 50;
const LONGEST_DELAY = 1_000;

/** Invokes one function with the changes of a table, in their order, as AWS Lambda does for the stream of a table. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #matches: (record: unknown) => boolean;
  #wake = Promise.withResolvers<void>();
  #isWoken = false;
  /** Whether there may be changes that the function has not got. */
  isBusy = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#matches = options.filter ? compilePattern(options.filter) : () => true;
    options.signal.addEventListener("abort", () => this.#wake.resolve());
  }

  /** Says that the table may have a change. */
  wake(): void {
    this.isBusy = this.#isWoken = true;
    this.#wake.resolve();
  }

  /** Sends changes until the signal. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
      this.#isWoken = false;
      for (let records; !signal.aborted && (records = await this.#collect()).length > 0;) {
        for (const { items } of batchesOf(records, (record) => record, this.#options.batch)) {
          await this.#send(items);
        }
      }
      this.isBusy = this.#isWoken;
    }
  }

  /** Reads changes until a batch is full, or until its time is over. */
  async #collect(): Promise<readonly TableEventRecord[]> {
    const { stream, batch, window, signal } = this.#options;
    const records: TableEventRecord[] = [];
    const read = async () => {
      for (let found; (found = await stream.read()).length > 0;) {
        records.push(...found.filter(this.#matches));
        if (records.length >= batch) return;
      }
    };
    await read();
    const end = Date.now() + window * 1_000;
    while (records.length > 0 && records.length < batch && Date.now() < end && !signal.aborted) {
      await pause(Math.min(50, end - Date.now()));
      await read();
    }
    return records;
  }

  /** Sends the changes of a batch until each is done or given up. A batch that fails whole is halved. */
  async #send(records: readonly TableEventRecord[]): Promise<void> {
    const { retries, signal } = this.#options;
    const waiting: Batch[] = [{ records, failures: 0 }];
    for (let batch; !signal.aborted && (batch = waiting.shift());) {
      const outcome = await this.#invoke(batch.records);
      if (outcome === "done" || signal.aborted) continue;
      const { first, isError, requestId } = outcome;
      const rest = batch.records.slice(first);
      const failures = first === 0 ? batch.failures : 0;
      if (rest.length > 1) {
        // A batch that is halved, or that begins at a later change, costs no retry.
        const end = first > 0 ? rest.length : Math.ceil(rest.length / 2);
        const parts = [rest.slice(0, end), rest.slice(end)];
        waiting.unshift(
          ...parts.filter(({ length }) => length > 0).map((records) => ({ records, failures: 0 })),
        );
      } else if (failures < retries) {
        waiting.unshift({ records: rest, failures: failures + 1 });
      } else {
        this.#giveUp(rest, failures + 1, isError, requestId);
        continue;
      }
      const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** failures);
      await pause(delay, undefined, { signal }).catch(() => {}); // The platform ends.
    }
  }

  /** Invokes the function. Returns the place of the first change that is not done. */
  async #invoke(
    records: readonly TableEventRecord[],
  ): Promise<"done" | { first: number; isError: boolean; requestId: string }> {
    const { host, functionName, note, signal } = this.#options;
    const event = Buffer.from(JSON.stringify({ Records: records }));
    try {
      const { failure, payload, requestId } = await host.invoke(functionName, event);
      if (failure !== undefined) return { first: 0, isError: true, requestId };
      const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const reported = reportedFailures(JSON.parse(Buffer.from(payload).toString()), numbers);
      if (reported === undefined) {
        const expected = '{ "batchItemFailures": [{ "itemIdentifier": SEQUENCE_NUMBER }] }';
        note(
          `Malformed result of "${functionName}": expected ${expected} with numbers of the batch`,
        );
      }
      if (reported?.length === 0) return "done";
      const failed = new Set(reported ?? numbers);
      const first = numbers.findIndex((number) => failed.has(number));
      return { first, isError: false, requestId };
    } catch (error) {
      if (!signal.aborted) note(`Cannot invoke "${functionName}": ${(error as Error).message}`);
      return { first: 0, isError: true, requestId: "" };
    }
  }

  #giveUp(
    records: readonly TableEventRecord[],
    count: number,
    isError: boolean,
    requestId: string,
  ): void {
    const { stream, functionName, functionArn, giveUp, note } = this.#options;
    const [first, last] = [records[0]!.dynamodb, records.at(-1)!.dynamodb];
    const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString();
    note(
      `Gave up the change ${first.SequenceNumber} of a table after ${count} attempts of "${functionName}": ` +
        "its place in the stream goes to the dead-letter queue of the trigger",
    );
    giveUp({
      requestContext: {
        requestId,
        functionArn,
        condition: "RetryAttemptsExhausted",
        approximateInvokeCount: count,
      },
      responseContext: {
        statusCode: 200,
        executedVersion: "$LATEST",
        functionError: isError ? "Unhandled" : null,
      },
      version: "1.0",
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId: stream.shard,
        startSequenceNumber: first.SequenceNumber,
        endSequenceNumber: last.SequenceNumber,
        approximateArrivalOfFirstRecord: timeOf(first.ApproximateCreationDateTime),
        approximateArrivalOfLastRecord: timeOf(last.ApproximateCreationDateTime),
        batchSize: records.length,
        streamArn: stream.arn,
      },
    });
  }
}
