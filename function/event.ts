import type { JsonObject } from "./json.ts";
import { isPlainObject } from "./read.ts";

/**
 * The base of the event classes: holds the raw event, by identity, and never changes it.
 *
 * Nothing is read at construction. What is wrong with an event shows on the first accessor that needs it.
 *
 * @example An event of one's own
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
   * Wraps an event; reads nothing of it.
   *
   * @param eventObject The event: a plain JSON object.
   * @throws {TypeError} If it is anything else: null, an array, a string, an instance of a class.
   */
  constructor(eventObject: unknown) {
    if (!isPlainObject(eventObject)) {
      throw new TypeError(
        `Cannot wrap the event: expected a plain object, got ${kindOf(eventObject)}`,
      );
    }
    this.rawEvent = eventObject as JsonObject;
  }
}

/** What a value is, in a word, for error messages. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = value.constructor?.name;
  return name ? `an instance of ${name}` : "an instance of an unnamed class";
}
