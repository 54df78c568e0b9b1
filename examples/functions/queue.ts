/**
 * Logs the result of every accessor for every message of an Amazon SQS queue, and the raw record.
 *
 * Shows a function that messages of a queue invoke. If the payload of a message is `{"fail":true}`, only this message fails.
 * The queue delivers the message again. After the last retry, the message goes to the dead-letter queue.
 */
import { logger } from "@mate/core/logger";
import { queueHandler } from "@mate/core/queue";
import { type Outcome, readEach } from "./read_each.ts";

export const handler = queueHandler(async (record) => {
  const accessors = await readEach({
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
    "receiptHandle()": () => record.receiptHandle(),
    "message()": () => record.message().message(),
    "notification()": () => record.notification().rawEvent,
    "bridgeEvent()": () => record.bridgeEvent().rawEvent,
    "rawRecord()": () => record.rawRecord(),
  });
  logger.info("Message of the queue", accessors);
  if (isRequestToFail(accessors["payload()"])) {
    throw new Error("The message asks for a failure");
  }
});

/** Tells whether the payload is `{"fail":true}`. A message that is not JSON is fine too. */
function isRequestToFail(payload?: Outcome): boolean {
  const result = payload && "result" in payload ? payload.result : null;
  return (result as { fail?: unknown } | null)?.fail === true;
}
