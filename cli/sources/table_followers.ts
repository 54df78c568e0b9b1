import { Bell } from "../aws/clock.ts";
import {
  attemptsOf,
  Batch,
  type Consumer,
  type Gathering,
  invokeWith,
  poll,
  type PollOptions,
  type Source,
} from "./poller.ts";
import { TableStream } from "../aws/dynamodb/stream.ts";
import { Tables, type TablesOptions } from "../aws/dynamodb/tables.ts";
import type { TableEventRecord } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { readPattern } from "../rules/event_pattern.ts";

/** What a follower does for one function. */
interface FollowerOptions extends Gathering, Consumer {
  readonly stream: TableStream;
  readonly functionArn: string;
  /** The number of retries before a change goes to the dead-letter queue. */
  readonly retries: number;
  /** The pattern of the changes that the function gets. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** Puts the description of a batch that failed too often into the dead-letter queue of the trigger. */
  readonly giveUp: (description: object) => void;
}

/** The first and the longest wait before a retry, in milliseconds. */
const FIRST_DELAY = 50;
const LONGEST_DELAY = 1_000;

/** Invokes one function with the changes of a table, in their order, as AWS Lambda does for the stream of a table. */
class Follower implements Source {
  readonly name = "the changes of a table";
  readonly #matches: (record: unknown) => boolean;
  readonly #bell: Bell;
  /** Whether the table may have a change that was not read. */
  #isWoken = false;
  /** The changes that were read and are not done, and the bytes of each. */
  readonly #waiting: { readonly record: TableEventRecord; readonly size: number }[] = [];
  /** Whether there may be changes that the function has not got. */
  isBusy = false;

  constructor(readonly options: FollowerOptions) {
    this.#bell = new Bell(options.clock);
    this.#matches = options.filter ? readPattern(options.filter).matches : () => true;
  }

  /** Says that the table may have a change. */
  wake(): void {
    this.isBusy = this.#isWoken = true;
    this.#bell.ring();
  }

  /** Reads changes until there is no other one, or until a batch is full. */
  async pending(): Promise<{ count: number; size: number }> {
    const waiting = this.#waiting;
    while (this.#isWoken && waiting.length < this.options.batch) {
      this.#isWoken = false;
      const found = await this.options.stream.read();
      if (found.length > 0) this.#isWoken = true; // There may be more.
      for (const record of found.filter(this.#matches)) {
        waiting.push({ record, size: Buffer.byteLength(JSON.stringify(record)) });
      }
    }
    this.isBusy = this.#isWoken || waiting.length > 0;
    return { count: waiting.length, size: waiting.reduce((sum, { size }) => sum + size, 0) };
  }

  async wait(end: number, due: number | undefined): Promise<void> {
    if (!this.#isWoken) await this.#bell.wait(end, due, this.options.signal);
  }

  async send(): Promise<void> {
    const event = new Batch();
    const most = this.#waiting.slice(0, this.options.batch);
    const end = most.findIndex(({ record }) => !event.add(record));
    await this.#send((end < 0 ? most : most.slice(0, end)).map(({ record }) => record));
  }

  /** Sends changes until each is done or given up. A batch that fails whole is halved, and only a change alone costs retries. */
  async #send(records: readonly TableEventRecord[]): Promise<void> {
    const { retries, signal, clock } = this.options;
    for (let failures = 0; !signal.aborted;) {
      const { first, isError, requestId } = await this.#invoke(records, failures + 1);
      if (signal.aborted) return;
      this.#waiting.splice(0, first);
      records = records.slice(first);
      if (records.length === 0) return;
      if (records.length === 1 && failures === retries) {
        this.#giveUp(records[0]!, failures + 1, isError, requestId);
        this.#waiting.shift();
        return;
      }
      await clock.sleep(Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** failures), signal);
      if (records.length === 1) failures++;
      else if (first === 0) {
        const middle = Math.ceil(records.length / 2);
        await this.#send(records.slice(0, middle));
        records = records.slice(middle);
      }
    }
  }

  /** Invokes the function. Finds the first change that is not done. */
  async #invoke(records: readonly TableEventRecord[], number: number) {
    const { retries, stream } = this.options;
    const ids = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const firstOf = (failed: readonly string[]) => {
      const first = ids.findIndex((id) => failed.includes(id));
      return first < 0 ? ids.length : first;
    };
    const isAlone = records.length === 1; // Only a change alone costs retries.
    const { failed, ...result } = (await invokeWith(this.options, () => ({
      ids,
      records,
      causes: stream.headersOf(records),
      ...isAlone && { attempt: { number, last: retries + 1 } },
      restOf: (failed) => ({
        [isAlone && number > retries ? "deadLetters" : "retried"]: ids.length - firstOf(failed),
      }),
    })))!;
    return { ...result, first: firstOf(failed) };
  }

  #giveUp(
    { dynamodb }: TableEventRecord,
    count: number,
    isError: boolean,
    requestId: string,
  ): void {
    const { clock, stream, functionName, functionArn, giveUp, note } = this.options;
    const { SequenceNumber: number, ApproximateCreationDateTime: seconds } = dynamodb;
    const time = new Date(seconds * 1_000).toISOString();
    note(
      `Gave up the change ${number} of a table after ${attemptsOf(count)} of "${functionName}": ` +
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
      timestamp: clock.date().toISOString(),
      DDBStreamBatchInfo: {
        shardId: stream.shard,
        startSequenceNumber: number,
        endSequenceNumber: number,
        approximateArrivalOfFirstRecord: time,
        approximateArrivalOfLastRecord: time,
        batchSize: 1,
        streamArn: stream.arn,
      },
    });
  }
}

/** The tables of an application, whose changes functions get. */
interface FollowedTables extends AsyncDisposable {
  readonly tables: Tables;
  /** Whether there may be changes that a function has not got. */
  readonly isBusy: boolean;
}

/** Opens the tables, and invokes the functions that listen to them with the changes from now on, until the signal. */
export async function openTables(
  { application, host, messaging, log, clock }: PollOptions,
  options: TablesOptions,
  signal: AbortSignal,
): Promise<FollowedTables> {
  const note = (text: string) => log.note(text);
  await using stack = new AsyncDisposableStack();
  const tables = stack.use(await Tables.open(application.tables, { ...options, note }));
  const followers: Follower[] = [];
  for (const [key, { name, listeners }] of Object.entries(application.tables)) {
    if (tables.engine === undefined) break;
    for (const { function: functionName, deadLetters, ...trigger } of listeners) {
      followers.push(
        new Follower({
          ...trigger,
          functionName,
          trigger: { type: "table", name: key },
          identifier: "SEQUENCE_NUMBER",
          functionArn: application.functions[functionName]!.arn,
          stream: await TableStream.open(tables, name, clock),
          clock,
          host,
          giveUp: (description) =>
            messaging.send(deadLetters.name, { body: JSON.stringify(description) }),
          note,
          signal,
        }),
      );
    }
  }
  for (const follower of followers) void poll(follower, 1);
  tables.follow(() => followers.forEach((follower) => follower.wake()));
  stack.move();
  return {
    tables,
    get isBusy() {
      return followers.some(({ isBusy }) => isBusy);
    },
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  };
}
