/**
 * Amazon SQS: validated accessors for the messages of a queue, and a handler that reports exactly the messages that were
 * not processed.
 *
 * @example A handler that processes each message by itself
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { queueHandler } from "@mate/core/queue";
 *
 * export const handler = queueHandler((record) => {
 *   if (record.body() === "broken") throw new Error("Cannot process the message");
 * });
 *
 * const message = (messageId: string, body: string) => ({
 *   messageId,
 *   body,
 *   eventSource: "aws:sqs",
 *   eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:jobs",
 * });
 * const result = await handler({ Records: [message("1", "fine"), message("2", "broken")] });
 * assertEquals(result, { batchItemFailures: [{ itemIdentifier: "2" }] });
 * ```
 *
 * @module
 */
export { FnQueueEvent } from "./event.ts";
export {
  type QueueHandler,
  queueHandler,
  type QueueHandlerOptions,
  type QueueResult,
  type QueueWork,
} from "./handler.ts";
export { FnQueueRecord } from "./record.ts";
