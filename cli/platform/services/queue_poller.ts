import { type QueueEvent, queueEvent } from "@mate/core/testing";
import { queueArn } from "../arn.ts";
import { Messaging, type ReceivedMessage } from "./messaging.ts";

/** How a queue invokes a function. */
export interface QueueTrigger {
  /** The name of the queue. */
  readonly queue: string;
  /** How many messages one invocation gets at most: 1 to 10,000, and 10 for a FIFO queue. */
  readonly batch: number;
  /** How many seconds to wait for a full batch: 0 to 300. */
  readonly window: number;
  /** How many invocations may be under way at the same time. */
  readonly concurrency: number;
  /** How often a message is delivered again before it goes to the dead-letter queue. */
  readonly retries: number;
  /** The name of the function, for the log. */
  readonly functionName: string;
}

/** Runs a function with an event, and returns its result, or `undefined` if the invocation failed. */
export type InvokeFunction = (event: unknown) => Promise<unknown>;

/** What ReceiveMessage returns at most. */
const MAX_RECEIVED = 10;

/**
 * Invokes a function with the messages of a queue, until the signal ends it. Messages that the function has processed are
 * deleted. All other messages become visible again after the visibility time-out of the queue.
 */
export async function pollQueue(
  messaging: Messaging,
  trigger: QueueTrigger,
  invoke: InvokeFunction,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { queue, functionName, retries } = trigger;
  const poll = async () => {
    while (!signal.aborted) {
      const messages = await receiveBatch(messaging, trigger, signal);
      if (messages.length === 0) continue;
      const result = await invoke(eventOf(queue, messages));
      const done = processed(messages, result);
      if (done === undefined) {
        const expected = '{ "batchItemFailures": [{ "itemIdentifier": MESSAGE_ID }] }';
        note(`Malformed result of "${functionName}": expected ${expected} with ids of the batch`);
      }
      for (const { MessageId, Attributes } of messages.filter((one) => !done?.includes(one))) {
        const count = Number(Attributes.ApproximateReceiveCount);
        if (count <= retries) continue;
        note(
          `Gave up the message ${MessageId} of "${queue}" after ${count} attempts: it goes to the dead-letter queue`,
        );
      }
      if (done !== undefined && done.length > 0) await deleteMessages(messaging, queue, done);
    }
  };
  await Promise.all(Array.from({ length: trigger.concurrency }, poll));
}

async function receiveBatch(
  messaging: Messaging,
  { queue, batch, window }: QueueTrigger,
  signal: AbortSignal,
): Promise<readonly ReceivedMessage[]> {
  const messages: ReceivedMessage[] = [];
  const end = Date.now() + window * 1_000;
  do {
    const { Messages = [] } = await messaging.call<{ Messages?: ReceivedMessage[] }>(
      "ReceiveMessage",
      {
        QueueUrl: Messaging.queueUrl(queue),
        MaxNumberOfMessages: Math.min(MAX_RECEIVED, batch - messages.length),
        AttributeNames: ["All"],
        MessageAttributeNames: ["All"],
        WaitTimeSeconds: 1,
      },
    );
    messages.push(...Messages);
  } while (messages.length > 0 && messages.length < batch && Date.now() < end && !signal.aborted);
  return messages;
}

/**
 * Tells which messages the function has processed. A function reports the others as `batchItemFailures`. If the report is
 * malformed or names an unknown message, the whole batch counts as failed, as it does on AWS Lambda: `undefined`.
 */
function processed(
  messages: readonly ReceivedMessage[],
  result: unknown,
): readonly ReceivedMessage[] | undefined {
  if (result === undefined) return [];
  const failures = (result as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return undefined;
  const identifiers = failures.map((failure) => failure?.itemIdentifier);
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if (!identifiers.every((identifier) => known.has(identifier))) return undefined;
  return messages.filter(({ MessageId }) => !identifiers.includes(MessageId));
}

async function deleteMessages(
  messaging: Messaging,
  queue: string,
  messages: readonly ReceivedMessage[],
): Promise<void> {
  for (let start = 0; start < messages.length; start += MAX_RECEIVED) {
    await messaging.call("DeleteMessageBatch", {
      QueueUrl: Messaging.queueUrl(queue),
      Entries: messages.slice(start, start + MAX_RECEIVED).map(({ ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle,
      })),
    });
  }
}

/** The event that AWS Lambda makes of the messages. */
function eventOf(queue: string, messages: readonly ReceivedMessage[]): QueueEvent {
  const timeOf = (milliseconds = "0") => new Date(Number(milliseconds));
  const event = queueEvent(
    messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      sentTime: timeOf(Attributes.SentTimestamp),
      firstReceivedTime: timeOf(Attributes.ApproximateFirstReceiveTimestamp),
      receiveCount: Number(Attributes.ApproximateReceiveCount),
      groupId: Attributes.MessageGroupId ?? null,
      deduplicationId: Attributes.MessageDeduplicationId ?? null,
      sequenceNumber: Attributes.SequenceNumber ?? null,
      queueArn: queueArn(queue),
    })),
    { fifo: queue.endsWith(".fifo") },
  );
  event.Records.forEach((record, index) => {
    // A label of a type, such as "Number.int", is kept.
    record.messageAttributes = attributesOf(messages[index]!);
  });
  return event;
}

function attributesOf({ MessageAttributes = {} }: ReceivedMessage) {
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue, BinaryValue, DataType }]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );
}
