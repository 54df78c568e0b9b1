import { checkWork, refuseFailures, timeForBatch } from "../function/batch.ts";
import type { FnContext, JsonValue, StandardSchema } from "../function/mod.ts";
import { specificationError } from "../function/read.ts";
import { withRequestId } from "../logger/mod.ts";
import { type Message, processBatch } from "./batch.ts";
import { FnQueueEvent, FnQueueRecord } from "./event.ts";

/**
 * The work for one message, sync or async. If it throws or rejects, the message is reported as failed.
 *
 * @typeParam Payload The type of `record.payload()`.
 * @param record The message.
 * @param context The facts about the invocation. The context is absent if the caller of the handler gave none.
 */
export type QueueWork<Payload = JsonValue> = (
  record: FnQueueRecord<Payload>,
  context: FnContext,
) => unknown;

/** The options of {@linkcode queueHandler}. */
export interface QueueHandlerOptions<Payload = JsonValue> {
  /** The number of messages, or of FIFO groups, that are processed side by side. The default is 10. */
  readonly concurrency?: number | undefined;
  /** The schema checks each payload before its work begins. `record.payload()` returns the output of the schema. */
  readonly schema?: StandardSchema<Payload> | undefined;
}

/** The result that AWS Lambda expects if `ReportBatchItemFailures` is set for the queue. */
export interface QueueResult {
  /** The messages that come back to the queue. AWS Lambda deletes all others. */
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** A handler of Amazon SQS events, as AWS Lambda calls it. */
export type QueueHandler = (event: unknown, context?: FnContext) => Promise<QueueResult>;

/**
 * Makes a handler of Amazon SQS events that processes each message by itself and reports the messages that were not done.
 * Set `ReportBatchItemFailures` for the queue. Otherwise AWS Lambda deletes the reported messages.
 *
 * - Each failure is logged with the message id and the causes, but without the body.
 * - Messages of one group of a FIFO queue are processed one after the other. After a failure, the rest of the group is
 *   reported untouched.
 * - About 500 ms before the deadline, messages that have not begun or are still under way are reported as failed.
 *
 * @typeParam Payload The output of the schema.
 * @param work The work for one message.
 * @param options The concurrency and the schema.
 * @returns The handler. If the event has no records or comes from another service, the handler rejects, so that AWS
 * Lambda retries the event.
 * @throws {TypeError} If the work is not a function, or if an option is invalid.
 *
 * @example Payloads that a schema checks
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { queueHandler } from "@mate/core/queue";
 * import { createContext, queueEvent } from "@mate/core/testing";
 * import { z } from "zod";
 *
 * const counts: number[] = [];
 * const handler = queueHandler((record) => {
 *   counts.push(record.payload().count);
 * }, { schema: z.object({ count: z.number() }) });
 *
 * const event = queueEvent([{ payload: { count: 3 } }, { messageId: "2", payload: {} }]);
 * const { batchItemFailures } = await handler(event, createContext());
 * assertEquals([counts, batchItemFailures], [[3], [{ itemIdentifier: "2" }]]);
 * ```
 */
export function queueHandler<Payload = JsonValue>(
  work: QueueWork<Payload>,
  options: QueueHandlerOptions<Payload> = {},
): QueueHandler {
  const { concurrency = 10, schema } = options;
  checkWork(work, schema);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new TypeError(`Invalid concurrency ${concurrency}: expected a whole number from 1`);
  }
  return async (eventObject, context) =>
    await withRequestId(context?.awsRequestId ?? "", async () => {
      const messages = new FnQueueEvent(eventObject).records().map((_, index) => {
        const record = new FnQueueRecord(eventObject, index, schema);
        return { record, id: readId(record, index), state: "waiting" } as Message<Payload>;
      });
      if (messages.length === 0) throw specificationError(["Records"], "holds no record");
      const process = async (record: FnQueueRecord<Payload>) => {
        if (schema !== undefined) record.payload(); // a refused message fails before the work
        refuseFailures(await work(record, context as FnContext));
      };
      await processBatch(messages, process, concurrency, timeForBatch(context));
      const failures = messages.filter(({ state }) => state !== "done");
      return { batchItemFailures: failures.map(({ id }) => ({ itemIdentifier: id })) };
    });
}

/** Reads the identifier. AWS Lambda would retry the whole batch for a result with an empty identifier. */
function readId(record: FnQueueRecord<unknown>, index: number): string {
  const id = record.messageId();
  if (id === "") throw specificationError(["Records", index, "messageId"], "is empty");
  return id;
}
