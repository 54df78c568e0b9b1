/**
 * Validated accessors for events of Amazon EventBridge rules and of EventBridge Scheduler.
 *
 * @example A handler that a schedule calls
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnBridgePutEvent } from "@mate/core/scheduler";
 *
 * function handler(raw: unknown): string {
 *   const event = new FnBridgePutEvent(raw);
 *   return `${event.detailType()} at ${event.time().toISOString()}`;
 * }
 *
 * const raw = { "detail-type": "Scheduled Event", time: "2026-03-01T09:05:00Z" };
 * assertEquals(handler(raw), "Scheduled Event at 2026-03-01T09:05:00.000Z");
 * ```
 *
 * @module
 */
export * from "./event.ts";
