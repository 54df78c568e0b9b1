import { recordsOf } from "../function/record.ts";
import { FnMessageRecord } from "./record.ts";

/**
 * The event of messages to a topic of Amazon SNS. Amazon SNS sends one message at a time today, and may send several:
 * iterate over the event, or use {@linkcode records}.
 *
 * The accessors inherited from {@linkcode FnMessageRecord} are for the common event with one record. If the event has
 * no record or several records, they raise a `CloudEventSpecificationError` that names `records()`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 *
 * @example The one message of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { messageEvent } from "@mate/core/testing";
 * import { FnMessageEvent } from "@mate/core/topic";
 *
 * const event = new FnMessageEvent(messageEvent([{ subject: "Order", message: "Tea, please" }]));
 * assertEquals(event.subject(), "Order");
 * assertEquals(event.message(), "Tea, please");
 * ```
 */
export class FnMessageEvent extends FnMessageRecord implements Iterable<FnMessageRecord> {
  /**
   * Wraps an event and reads nothing of it.
   *
   * @param eventObject The event: a plain JSON object.
   * @throws {TypeError} If the event is anything else: null, an array, a string, an instance of a class.
   */
  constructor(eventObject: unknown) {
    super(eventObject);
  }

  /**
   * The records of the event. A malformed record raises an error when it is read; the other records stay readable.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
   */
  records(): readonly FnMessageRecord[] {
    return recordsOf(this.rawEvent).map((_, index) => new FnMessageRecord(this.rawEvent, index));
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnMessageRecord> {
    return this.records().values();
  }
}
