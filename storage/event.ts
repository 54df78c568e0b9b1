import { recordsOf } from "../function/record.ts";
import { FnNotificationRecord, isTestEvent } from "./record.ts";

/**
 * The event of changes in a bucket of Amazon S3. One event may cover several objects: iterate over the event, or use
 * {@linkcode records}.
 *
 * The accessors inherited from {@linkcode FnNotificationRecord} are for the common event with one record. If the event
 * has no record or several records, they raise a `CloudEventSpecificationError` that names `records()`.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 *
 * @example Every object of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 * import { notificationEvent } from "@mate/core/testing";
 *
 * const event = new FnNotificationEvent(notificationEvent([
 *   { bucketName: "shop", objectKey: "red flower.jpg" },
 *   { bucketName: "shop", objectKey: "list.csv" },
 * ]));
 * const urls = [];
 * for (const record of event) urls.push(record.objectUrl());
 * assertEquals(urls, ["s3://shop/red flower.jpg", "s3://shop/list.csv"]);
 * ```
 */
export class FnNotificationEvent extends FnNotificationRecord
  implements Iterable<FnNotificationRecord> {
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
   * The records of the event. A malformed record raises an error when it is read; the other records stay readable. The
   * test event of Amazon S3 has no records.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
   */
  records(): readonly FnNotificationRecord[] {
    if (this.isTestEvent()) return [];
    return recordsOf(this.rawEvent).map((_, index) =>
      new FnNotificationRecord(this.rawEvent, index)
    );
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnNotificationRecord> {
    return this.records().values();
  }

  /** Whether this is the `s3:TestEvent`, which Amazon S3 sends when notifications are set up. It has no records. */
  isTestEvent(): boolean {
    return isTestEvent(this.rawEvent);
  }
}
