/**
 * Validated accessors for Amazon S3 events: the objects of a bucket that were created, deleted or restored.
 *
 * @example A handler that lists the new objects
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 * import { notificationEvent } from "@mate/core/testing";
 *
 * function handler(raw: unknown): string[] {
 *   const event = new FnNotificationEvent(raw);
 *   return event.records()
 *     .filter((record) => record.eventName().startsWith("ObjectCreated:"))
 *     .map((record) => record.objectKey());
 * }
 *
 * const raw = notificationEvent([
 *   { eventName: "ObjectCreated:Put", objectKey: "café.txt" },
 *   { eventName: "ObjectRemoved:Delete", objectKey: "old.txt" },
 * ]);
 * assertEquals(handler(raw), ["café.txt"]);
 * ```
 *
 * @module
 */
export * from "./event.ts";
export { FnNotificationRecord } from "./record.ts";
