import type { JsonObject } from "./json.ts";
import { isPlainObject, kindOf } from "./read.ts";

/**
 * The base of the event classes. It holds the raw event of AWS Lambda.
 *
 * The constructor reads nothing of the event. If a part of the event is invalid, the accessors of this part throw.
 *
 * @example An event of your own
 * ```ts
 * import { assertStrictEquals } from "@std/assert";
 * import { FnEvent } from "@mate/core/function";
 *
 * const raw = { temperature: 21 };
 * assertStrictEquals(new FnEvent(raw).rawEvent, raw);
 * ```
 */
export class FnEvent {
  /** The event as the function received it: the same object, neither copied nor changed. */
  readonly rawEvent: JsonObject;

  /**
   * Wraps an event.
   *
   * @param eventObject The event: a plain JSON object.
   * @throws {TypeError} If the event is anything else: null, an array, a string, an instance of a class.
   */
  constructor(eventObject: unknown) {
    if (!isPlainObject(eventObject)) {
      const got = kindOf(eventObject);
      throw new TypeError(`Cannot wrap the event: expected a plain object, got ${got}`);
    }
    this.rawEvent = eventObject as JsonObject;
  }
}
