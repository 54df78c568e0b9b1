import type { JsonObject } from "../function/mod.ts";
import {
  own,
  readOptional,
  readOptionalString,
  readString,
  readTime,
  specificationError,
  wrongType,
} from "../function/read.ts";
import { FnRecord, recordsOf } from "../function/record.ts";

/**
 * One record of an Amazon S3 event: a change of one object.
 *
 * A record is read only on demand, so a malformed record does not spoil the other records. Every accessor raises a
 * `CloudEventSpecificationError` in these cases: its key is absent or of the wrong type, the record comes from another
 * service, or the record has a major version other than 2 (`eventVersion`), whose keys may mean something else.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 *
 * @example Continuing after a malformed record
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 * import { notificationEvent } from "@mate/core/testing";
 *
 * const { Records } = notificationEvent([{ objectKey: "red flower.jpg" }]);
 * const event = new FnNotificationEvent({ Records: [null, ...Records] });
 * const keys = event.records().map((record) => {
 *   try {
 *     return record.objectKey();
 *   } catch (error) {
 *     return (error as Error).message;
 *   }
 * });
 * assertEquals(keys, ['Cannot read the event: "Records[0]" is null, not an object', "red flower.jpg"]);
 * ```
 */
export class FnNotificationRecord extends FnRecord {
  /** @ignore */
  protected override readonly service = "s3";

  /** The kind of the change (`eventName`), such as `ObjectCreated:Put`, without the prefix `s3:`. */
  eventName(): string {
    return this.text("eventName");
  }

  /** The time when Amazon S3 finished the request (`eventTime`, RFC 3339). */
  eventTime(): Date {
    return readTime(this.rawEvent, this.path("eventTime"));
  }

  /** The region of the bucket (`awsRegion`). */
  region(): string {
    return this.text("awsRegion");
  }

  /** The name of the bucket (`s3.bucket.name`). */
  bucketName(): string {
    return this.text("s3", "bucket", "name");
  }

  /** The ARN of the bucket (`s3.bucket.arn`). */
  bucketArn(): string {
    return this.text("s3", "bucket", "arn");
  }

  /**
   * The decoded key of the object (`s3.object.key`). Amazon S3 sends the key form-encoded: a space as `+`, and other
   * characters percent-encoded. A key that cannot be decoded as UTF-8 raises an error.
   */
  objectKey(): string {
    const path = this.path("s3", "object", "key");
    const key = readString(this.rawEvent, path);
    try {
      return decodeURIComponent(key.replaceAll("+", " "));
    } catch (cause) {
      throw specificationError(path, `is ${JSON.stringify(key)}, which is not form-encoded`, {
        cause,
      });
    }
  }

  /** The size of the object in bytes (`s3.object.size`). A deletion has no size: null. */
  objectSize(): number | null {
    const path = this.path("s3", "object", "size");
    const size = readOptional(this.rawEvent, path);
    if (size === null) return null;
    if (typeof size !== "number") throw wrongType(path, size, "a number");
    if (Number.isSafeInteger(size) && size >= 0) return size;
    throw specificationError(path, `is ${size}, not a number of bytes`);
  }

  /** The entity tag of the object (`s3.object.eTag`), without quotes. A deletion has no entity tag: null. */
  objectEtag(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "eTag"));
  }

  /** The version of the object (`s3.object.versionId`). A bucket without versioning has no versions: null. */
  objectVersionId(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "versionId"));
  }

  /**
   * The order of the creations and deletions of one key (`s3.object.sequencer`), as hexadecimal digits. To compare two
   * texts, pad the shorter text with zeros at its end: the greater text happened later. Other events have none: null.
   */
  objectSequencer(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "sequencer"));
  }

  /** Bucket and key as `s3://bucket/key`, as the AWS CLI takes it: the key is decoded and is not encoded again. */
  objectUrl(): string {
    return `s3://${this.bucketName()}/${this.objectKey()}`;
  }

  /** The identity that caused the event (`userIdentity.principalId`). */
  principalId(): string {
    return this.text("userIdentity", "principalId");
  }

  /** The source of the request (`requestParameters.sourceIPAddress`): an IP address, or the host name of a service. */
  sourceIp(): string {
    return this.text("requestParameters", "sourceIPAddress");
  }

  /** @ignore */
  protected override recordPath(): (string | number)[] {
    if (isTestEvent(this.rawEvent)) {
      throw specificationError(["Records"], "is absent from the test event: use records()");
    }
    return super.recordPath();
  }

  /** @ignore */
  protected override path(...keys: string[]): (string | number)[] {
    const version = [...this.recordPath(), "eventVersion"];
    const path = super.path(...keys);
    const text = readOptional(this.rawEvent, version);
    if (text === null || typeof text === "string" && /^2(?:\.|$)/.test(text)) return path;
    throw specificationError(version, `is ${JSON.stringify(text)}, not a version 2`);
  }
}

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

/** Tells whether an event is the one that Amazon S3 sends when notifications are set up. */
function isTestEvent(event: JsonObject): boolean {
  return own(event, "Event") === "s3:TestEvent" && own(event, "Records") === undefined;
}
