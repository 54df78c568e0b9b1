/**
 * Validated accessors for Amazon SNS events: the text, payload, subject and attributes of each message.
 *
 * @example A handler that reads orders
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { messageEvent } from "@mate/core/testing";
 * import { FnMessageEvent } from "@mate/core/topic";
 *
 * const handler = (raw: unknown) =>
 *   new FnMessageEvent(raw).records().map((record) => [record.subject(), record.messagePayload()]);
 *
 * const raw = messageEvent([{ subject: "Order", messagePayload: { item: "tea" } }]);
 * assertEquals(handler(raw), [["Order", { item: "tea" }]]);
 * ```
 *
 * @module
 */
export type { MessageAttribute, MessageAttributes } from "./attributes.ts";
export * from "./event.ts";
export * from "./record.ts";
