/**
 * Logs the result of every accessor for every message of an Amazon SNS topic, and the raw event.
 *
 * Shows a function that messages invoke. If the text of a message is not JSON, `messagePayload()` raises an error.
 */
import type { FnContext } from "@mate/core/function";
import { logger, withRequestId } from "@mate/core/logger";
import { FnMessageEvent } from "@mate/core/topic";
import { readEach } from "./read_each.ts";

export const handler = (rawEvent: unknown, context: FnContext): Promise<void> =>
  withRequestId(context.awsRequestId, async () => {
    const event = new FnMessageEvent(rawEvent);
    logger.info("Event of the topic", { rawEvent });
    for (const record of event.records()) {
      const accessors = await readEach({
        "eventSubscriptionArn()": () => record.eventSubscriptionArn(),
        "topicArn()": () => record.topicArn(),
        "messageId()": () => record.messageId(),
        "messageType()": () => record.messageType(),
        "subject()": () => record.subject(),
        "message()": () => record.message(),
        "messagePayload()": () => record.messagePayload(),
        "timestamp()": () => record.timestamp(),
        "signature()": () => record.signature(),
        "signingCertUrl()": () => record.signingCertUrl(),
        "unsubscribeUrl()": () => record.unsubscribeUrl(),
        "messageAttributes()": () => record.messageAttributes(),
      });
      logger.info("Message of the topic", accessors);
    }
  });
