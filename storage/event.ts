import type { JsonObject } from "../function/mod.ts";
import {
  own,
  readOptional,
  readOptionalString,
  readString,
  readTime,
  specificationError,
} from "../function/read.ts";
import { FnRecord, recordsOf } from "../function/record.ts";

/**
 * One record of an Amazon S3 event: a change of one object.
 *
 * Every accessor throws a `CloudEventSpecificationError` if its key is absent or has the wrong type, if the record comes
 * from another service, or if the major version of the record is not 2 (`eventVersion`), because other versions may have
 * other keys. The other records of the event stay readable.
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
   * characters percent-encoded. If the key cannot be decoded as UTF-8, the accessor throws.
   */
  objectKey(): string {
    const path = this.path("s3", "object", "key");
    const key = readString(this.rawEvent, path);
    try {
      return decodeURIComponent(key.replaceAll("+", " "));
    } catch (cause) {
      const problem = `is ${JSON.stringify(key)}, which is not form-encoded`;
      throw specificationError(path, problem, { cause });
    }
  }

  /** The size of the object in bytes (`s3.object.size`), or null if the event is a deletion. */
  objectSize(): number | null {
    const path = this.path("s3", "object", "size");
    const size = readOptional(this.rawEvent, path);
    if (size === null) return null;
    if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) return size;
    throw specificationError(path, `is ${JSON.stringify(size)}, not a number of bytes`);
  }

  /** The entity tag of the object (`s3.object.eTag`) without quotes, or null if the event is a deletion. */
  objectEtag(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "eTag"));
  }

  /** The version of the object (`s3.object.versionId`), or null if the bucket has no versioning. */
  objectVersionId(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "versionId"));
  }

  /**
   * The order of the creations and deletions of one key (`s3.object.sequencer`), as hexadecimal digits. Pad the shorter of
   * two sequencers with zeros at its end. Then the greater text is the later event. For other events, the result is null.
   */
  objectSequencer(): string | null {
    return readOptionalString(this.rawEvent, this.path("s3", "object", "sequencer"));
  }

  /** The bucket and the decoded key in the form of the AWS CLI: `s3://bucket/key`. */
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
 * The event of changes in a bucket of Amazon S3. One event may cover several objects.
 *
 * The accessors of {@linkcode FnNotificationRecord} read the only record of the event. If the event has no record or
 * several records, these accessors throw a `CloudEventSpecificationError`. Then iterate over the event, or use
 * {@linkcode records}.
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
  /** Wraps an event. Throws a `TypeError` if the event is not a plain object. */
  constructor(eventObject: unknown) {
    super(eventObject);
  }

  /**
   * The records of the event. A malformed record throws when one of its accessors is called. The test event of Amazon S3
   * has no records.
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

  /** Tells whether this is the `s3:TestEvent`, which Amazon S3 sends when notifications are set up. */
  isTestEvent(): boolean {
    return isTestEvent(this.rawEvent);
  }
}

function isTestEvent(event: JsonObject): boolean {
  return own(event, "Event") === "s3:TestEvent" && own(event, "Records") === undefined;
}
