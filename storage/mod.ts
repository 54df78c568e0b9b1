/**
 * The event of a change in a bucket: what was created, deleted or restored, record by record.
 *
 * @example A handler that answers with what was stored
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 *
 * function handler(raw: unknown): string[] {
 *   const event = new FnNotificationEvent(raw);
 *   return event.records()
 *     .filter((record) => record.eventName().startsWith("ObjectCreated:"))
 *     .map((record) => record.objectKey());
 * }
 *
 * const raw = {
 *   Records: [
 *     { eventName: "ObjectCreated:Put", s3: { object: { key: "caf%C3%A9.txt" } } },
 *     { eventName: "ObjectRemoved:Delete", s3: { object: { key: "old.txt" } } },
 *   ],
 * };
 * assertEquals(handler(raw), ["café.txt"]);
 * ```
 *
 * @module
 */
export { FnNotificationEvent } from "./event.ts";
export { FnNotificationRecord } from "./record.ts";
