import { present, randomBase64, randomDigits, REGION } from "./identifiers.ts";

/**
 * The values of the accessors of a record of `FnNotificationEvent`. The value `null` leaves the key out of the record. By
 * default, removed objects have no size and no entity tag, and no object has a version.
 */
export type NotificationInit = {
  /** The type of the event, such as `ObjectCreated:Put`, the default. */
  readonly eventName?: string;
  readonly eventTime?: Date;
  readonly region?: string;
  readonly bucketName?: string;
  readonly bucketArn?: string;
  /** The key of the object, not encoded. */
  readonly objectKey?: string;
  /** The size in bytes. */
  readonly objectSize?: number | null;
  readonly objectEtag?: string | null;
  readonly objectVersionId?: string | null;
  readonly objectSequencer?: string | null;
  readonly principalId?: string;
  readonly sourceIp?: string;
  /** The identifier of the request. It is not an accessor. */
  readonly requestId?: string;
  /** The identifier of the host that handled the request. It is not an accessor. */
  readonly hostId?: string;
};

/** An event of Amazon S3, with one record for each object. */
export type NotificationEvent = { Records: NotificationEventRecord[] };

/** A record of an event of Amazon S3. */
export type NotificationEventRecord = {
  eventVersion: string;
  eventSource: string;
  awsRegion: string;
  eventTime: string;
  eventName: string;
  userIdentity: { principalId: string };
  requestParameters: { sourceIPAddress: string };
  responseElements: { "x-amz-request-id": string; "x-amz-id-2": string };
  s3: {
    s3SchemaVersion: string;
    configurationId: string;
    bucket: { name: string; ownerIdentity: { principalId: string }; arn: string };
    /** A removal has no `size` and no `eTag`, although the type says that it has both. */
    object: { key: string; size: number; eTag: string; versionId?: string; sequencer: string };
  };
};

/**
 * Makes an event of Amazon S3.
 *
 * @param objects The values that the test cares about, one item for each record. By default, one object was created.
 * @returns The event.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 *
 * @example Test a function that reads uploads
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnNotificationEvent } from "@mate/core/storage";
 * import { notificationEvent } from "@mate/core/testing";
 *
 * const event = new FnNotificationEvent(notificationEvent([{ objectKey: "red flower.jpg" }]));
 * assertEquals(event.objectUrl(), "s3://bucket/red flower.jpg");
 * ```
 */
export function notificationEvent(objects: readonly NotificationInit[] = [{}]): NotificationEvent {
  return { Records: objects.map(createRecord) };
}

function createRecord(init: NotificationInit): NotificationEventRecord {
  const { eventName = "ObjectCreated:Put", bucketName = "bucket", eventTime = new Date() } = init;
  const isRemoved = eventName.startsWith("ObjectRemoved");
  const {
    objectKey = "folder/object.txt",
    objectSize = isRemoved ? null : 1_024,
    objectEtag = isRemoved ? null : randomDigits(32),
    objectVersionId = null,
    objectSequencer = (eventTime.getTime() * 4_096).toString(16).toUpperCase().padStart(18, "0"),
  } = init;
  const object = present({
    key: encodeKey(objectKey),
    size: objectSize,
    eTag: objectEtag,
    versionId: objectVersionId,
    sequencer: objectSequencer,
  });
  return {
    eventVersion: "2.1",
    eventSource: "aws:s3",
    awsRegion: init.region ?? REGION,
    eventTime: eventTime.toISOString(),
    eventName,
    userIdentity: { principalId: init.principalId ?? "AWS:AIDAEXAMPLE" },
    requestParameters: { sourceIPAddress: init.sourceIp ?? "198.51.100.17" },
    responseElements: {
      "x-amz-request-id": init.requestId ?? randomDigits(16).toUpperCase(),
      "x-amz-id-2": init.hostId ?? randomBase64(56),
    },
    s3: {
      s3SchemaVersion: "1.0",
      configurationId: `${bucketName}-notification`,
      bucket: {
        name: bucketName,
        ownerIdentity: { principalId: "A3NL1KOZZKEXAMPLE" },
        arn: init.bucketArn ?? `arn:aws:s3:::${bucketName}`,
      },
      object: object as NotificationEventRecord["s3"]["object"],
    },
  };
}

/** Encodes a key as a form does: percent-encoded, with `+` for a space. Slashes stay as they are. */
function encodeKey(key: string): string {
  const form = new URLSearchParams({ key }).toString().slice("key=".length);
  return form.replaceAll("%2F", "/");
}
