/**
 * What all kinds of events share: the base class that holds the raw event, the error for an event that is
 * not what the platform specifies, and the types of a handler.
 *
 * @example A handler of an event of one's own
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnEvent, type FnHandler } from "@mate/core/function";
 *
 * const handler: FnHandler = (raw) => Object.keys(new FnEvent(raw).rawEvent);
 *
 * assertEquals(await handler({ temperature: 21 }, {} as never), ["temperature"]);
 * ```
 *
 * @module
 */
export type { FnClientContext, FnContext, FnHandler, FnIdentity } from "./context.ts";
export { FnEvent } from "./event.ts";
export type { JsonArray, JsonObject, JsonValue } from "./json.ts";
export { CloudEventSpecificationError } from "./specification_error.ts";
