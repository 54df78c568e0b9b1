/**
 * Logs the result of every accessor for every object of an Amazon S3 notification, and the raw event.
 *
 * Shows a function that uploads and deletions invoke. A notification can be about several objects. If the key of an object
 * is malformed, the function still logs the other objects.
 */
import type { FnContext } from "@mate/core/function";
import { logger, withRequestId } from "@mate/core/logger";
import { FnNotificationEvent } from "@mate/core/storage";
import { readEach } from "./read_each.ts";

export const handler = (rawEvent: unknown, context: FnContext): Promise<void> =>
  withRequestId(context.awsRequestId, async () => {
    const event = new FnNotificationEvent(rawEvent);
    logger.info("Notification of the bucket", { isTestEvent: event.isTestEvent(), rawEvent });
    for (const record of event.records()) {
      const accessors = await readEach({
        "eventName()": () => record.eventName(),
        "eventTime()": () => record.eventTime(),
        "region()": () => record.region(),
        "bucketName()": () => record.bucketName(),
        "bucketArn()": () => record.bucketArn(),
        "objectKey()": () => record.objectKey(),
        "objectSize()": () => record.objectSize(),
        "objectEtag()": () => record.objectEtag(),
        "objectVersionId()": () => record.objectVersionId(),
        "objectSequencer()": () => record.objectSequencer(),
        "objectUrl()": () => record.objectUrl(),
        "principalId()": () => record.principalId(),
        "sourceIp()": () => record.sourceIp(),
      });
      logger.info("Object of the notification", accessors);
    }
  });
