/**
 * Amazon SQS: validated accessors for the messages of a queue, and a handler that reports exactly the messages that were
 * not processed.
 *
 * @example A handler that processes each message by itself
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { queueHandler } from "@mate/core/queue";
 * import { createContext, queueEvent } from "@mate/core/testing";
 *
 * export const handler = queueHandler((record) => {
 *   if (record.body() === "broken") throw new Error("Cannot process the message");
 * });
 *
 * const event = queueEvent([{ body: "fine" }, { messageId: "2", body: "broken" }]);
 * const result = await handler(event, createContext());
 * assertEquals(result, { batchItemFailures: [{ itemIdentifier: "2" }] });
 * ```
 *
 * @module
 */
export * from "./event.ts";
export * from "./handler.ts";
