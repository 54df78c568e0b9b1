/**
 * Logs the result of every accessor for every message of an Amazon SQS queue.
 *
 * Shows a function that messages of a queue invoke. If the payload of a message is `{"fail":true}`, only this message fails.
 * The queue delivers the message again. After the last retry, the message goes to the dead-letter queue.
 */
import { logger } from "@mate/core/logger";
import { queueHandler } from "@mate/core/queue";
import { readEach } from "./read_each.ts";

export const handler = queueHandler((record) => {
  const accessors = readEach({
    "messageId()": () => record.messageId(),
    "body()": () => record.body(),
    "payload()": () => record.payload(),
    "sentTime()": () => record.sentTime(),
    "firstReceivedTime()": () => record.firstReceivedTime(),
    "receiveCount()": () => record.receiveCount(),
    "groupId()": () => record.groupId(),
    "deduplicationId()": () => record.deduplicationId(),
    "sequenceNumber()": () => record.sequenceNumber(),
    "messageAttributes()": () => record.messageAttributes(),
    "queueName()": () => record.queueName(),
    "queueArn()": () => record.queueArn(),
    "region()": () => record.region(),
  });
  logger.info("Message of the queue", accessors);
  if ((record.payload() as { fail?: unknown } | null)?.fail === true) {
    throw new Error("The message asks for a failure");
  }
});
