import { recordsOf } from "../function/records.ts";
import { isTestEvent } from "./test_event.ts";
import { FnNotificationRecord } from "./record.ts";

/**
 * The event of a change in a bucket. One event may cover several objects: iterate over it, or use
 * {@linkcode records}.
 *
 * The accessors inherited from {@linkcode FnNotificationRecord} are for the common event with one record;
 * with none or several they raise a `CloudEventSpecificationError` that names `records()`.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 *
 * @example Every object of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 *
 * const event = new FnNotificationEvent({
 *   Records: [
 *     { s3: { bucket: { name: "shop" }, object: { key: "red+flower.jpg" } } },
 *     { s3: { bucket: { name: "shop" }, object: { key: "list.csv" } } },
 *   ],
 * });
 * const urls = [];
 * for (const record of event) urls.push(record.objectUrl());
 * assertEquals(urls, ["s3://shop/red flower.jpg", "s3://shop/list.csv"]);
 * ```
 */
export class FnNotificationEvent extends FnNotificationRecord
  implements Iterable<FnNotificationRecord> {
  /**
   * Wraps an event; reads nothing of it.
   *
   * @param eventObject The event: a plain JSON object.
   * @throws {TypeError} If it is anything else: null, an array, a string, an instance of a class.
   */
  constructor(eventObject: unknown) {
    super(eventObject);
  }

  /**
   * The records of the event; a record that is not what the platform specifies raises when it is read, and
   * the others can be read all the same. Empty for the service's test event.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or no array.
   */
  records(): readonly FnNotificationRecord[] {
    if (isTestEvent(this.rawEvent)) return [];
    return recordsOf(this.rawEvent).map((_, index) =>
      new FnNotificationRecord(this.rawEvent, index)
    );
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnNotificationRecord> {
    return this.records().values();
  }

  /** Whether this is what the service sends when notifications are set up: an `s3:TestEvent`, without records. */
  isTestEvent(): boolean {
    return isTestEvent(this.rawEvent);
  }
}
