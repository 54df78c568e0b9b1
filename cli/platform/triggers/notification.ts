import { type NotificationEvent, notificationEvent } from "@mate/core/testing";
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

/** New identifiers of a request. */
export function createRequestIds(): RequestIds {
  return {
    requestId: randomBytes(8).toString("hex").toUpperCase(),
    hostId: randomBytes(56).toString("base64"),
  };
}

/** Makes the event that Amazon S3 sends to a function. */
export function createNotification(
  bucket: string,
  { eventName, key, size, etag, time, sourceIp, ids }: ObjectChange,
  sequencer: string,
): NotificationEvent {
  return notificationEvent([{
    eventName,
    eventTime: time,
    region: REGION,
    bucketName: bucket,
    bucketArn: bucketArn(bucket),
    objectKey: key,
    objectSize: size ?? null,
    objectEtag: etag ?? null,
    objectSequencer: sequencer,
    sourceIp,
    ...ids,
  }]);
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
