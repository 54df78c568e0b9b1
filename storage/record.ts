import { FnEvent, type JsonObject, type JsonValue } from "../function/mod.ts";
import {
  type Path,
  read,
  readOptional,
  readString,
  specificationError,
  wrongType,
} from "../function/read.ts";
import { checkSource, pathOfRecord } from "../function/records.ts";
import { readTime } from "../function/rfc3339.ts";
import { isTestEvent } from "./test_event.ts";

/**
 * One record of a storage event: what happened to one object of a bucket.
 *
 * Nothing is read before it is asked for, so a record that is not what the platform specifies takes no other
 * down with it. Every accessor raises a `CloudEventSpecificationError` where its key is absent or of
 * the wrong type, where the record comes from another service, or where it is of a version of the event other
 * than 2 (`eventVersion`), in which the service may change what keys mean.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 *
 * @example Going on after a record that cannot be read
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 *
 * const event = new FnNotificationEvent({
 *   Records: [null, { s3: { object: { key: "red+flower.jpg" } } }],
 * });
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
export class FnNotificationRecord extends FnEvent {
  readonly #index: number | undefined;

  /**
   * Wraps one record of an event; reads nothing of it.
   *
   * @param eventObject The event that holds the record: a plain JSON object.
   * @param index Which record of it, counted from 0; omitted where there is but one.
   * @throws {TypeError} If the event is no plain object.
   */
  constructor(eventObject: unknown, index?: number) {
    super(eventObject);
    this.#index = index;
  }

  /** The record as it was sent, whatever it is: for a log or a queue of failures. */
  rawRecord(): JsonValue {
    return read(this.rawEvent, this.#record());
  }

  /** What happened (`eventName`), such as `ObjectCreated:Put`; without the prefix `s3:`. */
  eventName(): string {
    return this.#text("eventName");
  }

  /** When the service finished the request (`eventTime`, RFC 3339). */
  eventTime(): Date {
    return readTime(this.rawEvent, this.#path("eventTime"));
  }

  /** The region of the bucket (`awsRegion`). */
  region(): string {
    return this.#text("awsRegion");
  }

  /** The name of the bucket (`s3.bucket.name`). */
  bucketName(): string {
    return this.#text("s3", "bucket", "name");
  }

  /** The ARN of the bucket (`s3.bucket.arn`). */
  bucketArn(): string {
    return this.#text("s3", "bucket", "arn");
  }

  /**
   * The key of the object (`s3.object.key`), decoded: the service sends it form-encoded, a space as `+` and
   * other octets percent-encoded. A key that cannot be decoded as UTF-8 raises.
   */
  objectKey(): string {
    const path = this.#path("s3", "object", "key");
    const key = readString(this.rawEvent, path);
    try {
      return decodeURIComponent(key.replaceAll("+", " "));
    } catch (cause) {
      const problem = `is ${JSON.stringify(key)}, which is not form-encoded`;
      throw specificationError(path, path.length, problem, "", { cause });
    }
  }

  /** The size of the object in bytes (`s3.object.size`); null for a deletion, which has none. */
  objectSize(): number | null {
    const path = this.#path("s3", "object", "size");
    const size = readOptional(this.rawEvent, path);
    if (size === null) return null;
    if (typeof size !== "number") throw wrongType(path, size, "a number");
    if (Number.isSafeInteger(size) && size >= 0) return size;
    throw specificationError(path, path.length, `is ${size}, not a number of bytes`);
  }

  /** The entity tag of the object (`s3.object.eTag`), without quotes; null for a deletion, which has none. */
  objectEtag(): string | null {
    return this.#optionalText("eTag");
  }

  /** The version of the object (`s3.object.versionId`); null where the bucket keeps no versions. */
  objectVersionId(): string | null {
    return this.#optionalText("versionId");
  }

  /**
   * What orders the creations and deletions of one key (`s3.object.sequencer`), hexadecimal digits of any
   * length: of two texts, the shorter padded with zeros at its end, the greater one happened later. Null for
   * other events, which have none.
   */
  objectSequencer(): string | null {
    return this.#optionalText("sequencer");
  }

  /**
   * Bucket and key as `s3://bucket/key`, as the platform's command line tools take it: the key is decoded,
   * and not percent-encoded again.
   */
  objectUrl(): string {
    return `s3://${this.bucketName()}/${this.objectKey()}`;
  }

  /** Who caused the event (`userIdentity.principalId`). */
  principalId(): string {
    return this.#text("userIdentity", "principalId");
  }

  /** Where the request came from (`requestParameters.sourceIPAddress`): an IP address or, for a service, a host name. */
  sourceIp(): string {
    return this.#text("requestParameters", "sourceIPAddress");
  }

  #record(): Path {
    if (isTestEvent(this.rawEvent)) {
      throw specificationError(
        ["Records"],
        1,
        "is absent, for this is a test event: use records()",
      );
    }
    return pathOfRecord(this.rawEvent, this.#index);
  }

  #path(...keys: Path): Path {
    const record = this.#record();
    checkSource(this.rawEvent, record, "s3");
    checkVersion(this.rawEvent, record);
    return [...record, ...keys];
  }

  #text(...keys: Path): string {
    return readString(this.rawEvent, this.#path(...keys));
  }

  /** A string of the object; null where it has none. */
  #optionalText(name: string): string | null {
    const path = this.#path("s3", "object", name);
    const text = readOptional(this.rawEvent, path);
    if (text === null || typeof text === "string") return text;
    throw wrongType(path, text, "a string");
  }
}

/** Refuses a major version that may give the keys another meaning; absent, it is taken for the known one. */
function checkVersion(event: JsonObject, record: Path): void {
  const path = [...record, "eventVersion"];
  const version = readOptional(event, path);
  if (version === null || typeof version === "string" && /^2(?:\.|$)/.test(version)) return;
  const problem = `is ${JSON.stringify(version)}, not a version 2`;
  throw specificationError(path, path.length, problem);
}
