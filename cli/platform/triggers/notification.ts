import { randomBytes } from "node:crypto";
import { bucketArn, REGION } from "../arn.ts";

/** A change of an object. */
export interface ObjectChange {
  /** The type of the event. */
  readonly eventName: "ObjectCreated:Put" | "ObjectRemoved:Delete";
  /** The key of the object, not encoded. */
  readonly key: string;
  /** The size in bytes, unless the object was removed. */
  readonly size?: number | undefined;
  /** The MD5 digest of the content in hexadecimal, unless the object was removed. */
  readonly etag?: string | undefined;
  readonly time: Date;
  /** The IP address of the client. */
  readonly sourceIp: string;
  /** The identifiers of the request that made the change. */
  readonly ids: RequestIds;
}

/** The identifiers that Amazon S3 gives to a request. */
export interface RequestIds {
  /** The identifier of the request. */
  readonly requestId: string;
  /** The identifier of the machine that handled it. */
  readonly hostId: string;
}

/** The owner of the buckets. */
const OWNER = "A3NL1KOZZKExample";

/** New identifiers of a request. */
export function createRequestIds(): RequestIds {
  return {
    requestId: randomBytes(8).toString("hex").toUpperCase(),
    hostId: randomBytes(56).toString("base64"),
  };
}

/**
 * Makes the event that Amazon S3 sends to a function.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function createNotification(
  bucket: string,
  change: ObjectChange,
  sequencer: string,
): Readonly<Record<string, unknown>> {
  const { key, size, etag } = change;
  return {
    Records: [{
      eventVersion: "2.1",
      eventSource: "aws:s3",
      awsRegion: REGION,
      eventTime: change.time.toISOString(),
      eventName: change.eventName,
      userIdentity: { principalId: `AWS:${OWNER}` },
      requestParameters: { sourceIPAddress: change.sourceIp },
      responseElements: {
        "x-amz-request-id": change.ids.requestId,
        "x-amz-id-2": change.ids.hostId,
      },
      s3: {
        s3SchemaVersion: "1.0",
        configurationId: `${bucket}-notification`,
        bucket: { name: bucket, ownerIdentity: { principalId: OWNER }, arn: bucketArn(bucket) },
        object: {
          key: encodeKey(key),
          ...(size === undefined ? {} : { size }),
          ...(etag === undefined ? {} : { eTag: etag }),
          sequencer,
        },
      },
    }],
  };
}

/** A key as in a form: percent-encoded, with `+` for a space; slashes stay. */
function encodeKey(key: string): string {
  return encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+")
    .replaceAll(/[!'()~]/g, (character) => {
      return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    });
}

/** Makes sequencers: hexadecimal numbers of one length, each greater than all before. */
export function createSequencer(): () => string {
  let last = 0n;
  return () => {
    const now = BigInt(Date.now()) << 12n;
    last = now > last ? now : last + 1n;
    return last.toString(16).toUpperCase().padStart(18, "0");
  };
}

/**
 * Whether a function listens to an event.
 *
 * @param eventName The event, such as `ObjectCreated:Put`.
 * @param types The types of events in the manifest, such as `s3:ObjectCreated:*`.
 */
export function isWanted(eventName: string, types: readonly string[]): boolean {
  return types.some((type) => {
    const wanted = type.replace(/^s3:/, "");
    return wanted.endsWith("*") ? eventName.startsWith(wanted.slice(0, -1)) : wanted === eventName;
  });
}
