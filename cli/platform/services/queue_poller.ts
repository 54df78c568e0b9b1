import {
  messageEvent,
  type MessageInit,
  type QueueEvent,
  queueEvent,
  type TopicEvent,
} from "@mate/core/testing";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Manifest } from "../../manifest/types.ts";
import { queueArn } from "../arn.ts";
import type { FunctionHost } from "../function_host.ts";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Log } from "../log.ts";
import { Messaging, queueName, type ReceivedMessage, subscriptionsOf } from "./messaging.ts";

/** How many invocations of a queue are under way at the same time if the manifest does not limit them. */
const POLLERS = 5;

const MAX_RECEIVED = 10;

export interface PollerOptions {
  readonly manifest: Manifest;
  readonly messaging: Messaging;
  readonly host: FunctionHost;
  readonly asyncInvocations: AsyncInvocations;
  /** Takes a line for each malformed result and for each message that is given up. */
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface QueueTrigger {
  readonly functionName: string;
  readonly queue: string;
  /** How many messages one invocation gets at most: 1 to 10,000, and 10 for a FIFO queue. */
  readonly batch: number;
  /** How many seconds to wait for a full batch: 0 to 300. */
  readonly window: number;
  /** How often a message is delivered again before it goes to the dead-letter queue. */
  readonly retries: number;
}

/** Invokes the functions with the messages of their queues and topics until the signal ends it. */
export async function pollQueues(options: PollerOptions): Promise<void> {
  const { manifest } = options;
  const queues = Object.entries(manifest.functions).flatMap(([functionName, { triggers }]) =>
    triggers.queues.flatMap(({ name, batch, window, concurrency = POLLERS }) => {
      const { retries } = manifest.queues[name]!;
      const trigger = { functionName, queue: queueName(name, manifest), batch, window, retries };
      return Array.from({ length: concurrency }, () => pollQueue(options, trigger));
    })
  );
  const topics = subscriptionsOf(manifest).map(({ functionName, queue }) =>
    pollTopic(options, functionName, queue)
  );
  await Promise.all([...queues, ...topics]);
}

/** Starts an invocation for each message of a topic, with the retries of asynchronous invocations. */
async function pollTopic(
  { messaging, asyncInvocations, signal }: PollerOptions,
  functionName: string,
  queue: string,
): Promise<void> {
  while (!signal.aborted) {
    const messages = await receive(messaging, queue, MAX_RECEIVED);
    for (const { Body } of messages) {
      const event = topicEventOf(JSON.parse(Body), functionName);
      asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
    }
    await deleteMessages(messaging, queue, messages);
  }
}

/**
 * Invokes a function with batches of messages. Messages that the function has processed are deleted. All other messages
 * become visible again after the visibility time-out of the queue.
 */
async function pollQueue(options: PollerOptions, trigger: QueueTrigger): Promise<void> {
  const { messaging, log, signal } = options;
  const { functionName, queue, retries } = trigger;
  while (!signal.aborted) {
    const messages = await receiveBatch(messaging, trigger, signal);
    if (messages.length === 0) continue;
    const result = await invoke(options, functionName, queueEventOf(queue, messages));
    const done = processed(messages, result);
    if (done === undefined) {
      const expected = '{ "batchItemFailures": [{ "itemIdentifier": MESSAGE_ID }] }';
      log.note(`Malformed result of "${functionName}": expected ${expected} with ids of the batch`);
    }
    for (const { MessageId, Attributes } of messages.filter((one) => !done?.includes(one))) {
      const count = Number(Attributes.ApproximateReceiveCount);
      if (count <= retries) continue;
      log.note(
        `Gave up the message ${MessageId} of "${queue}" after ${count} attempts: it goes to the dead-letter queue`,
      );
    }
    await deleteMessages(messaging, queue, done ?? []);
  }
}

/** Invokes a function. Returns its result, or `undefined` if the invocation failed. */
async function invoke(
  { host, log, signal }: PollerOptions,
  name: string,
  event: QueueEvent,
): Promise<unknown> {
  try {
    const { failure, payload } = await host.invoke(name, Buffer.from(JSON.stringify(event)));
    return failure === undefined ? JSON.parse(Buffer.from(payload).toString()) : undefined;
  } catch (error) {
    if (!signal.aborted) log.note(`Cannot invoke "${name}": ${(error as Error).message}`);
  }
}

async function receiveBatch(
  messaging: Messaging,
  { queue, batch, window }: QueueTrigger,
  signal: AbortSignal,
): Promise<readonly ReceivedMessage[]> {
  const messages: ReceivedMessage[] = [];
  const end = Date.now() + window * 1_000;
  do {
    messages.push(...await receive(messaging, queue, batch - messages.length));
  } while (messages.length > 0 && messages.length < batch && Date.now() < end && !signal.aborted);
  return messages;
}

async function receive(
  messaging: Messaging,
  queue: string,
  count: number,
): Promise<readonly ReceivedMessage[]> {
  const { Messages = [] } = await messaging.call<{ Messages?: ReceivedMessage[] }>(
    "ReceiveMessage",
    {
      QueueUrl: Messaging.queueUrl(queue),
      MaxNumberOfMessages: Math.min(MAX_RECEIVED, count),
      AttributeNames: ["All"],
      MessageAttributeNames: ["All"],
      WaitTimeSeconds: 1,
    },
  );
  return Messages;
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

function queueEventOf(queue: string, messages: readonly ReceivedMessage[]): QueueEvent {
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

interface Envelope {
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly MessageAttributes?: NonNullable<MessageInit["messageAttributes"]>;
}

function topicEventOf(envelope: Envelope, functionName: string): TopicEvent {
  const { MessageId, TopicArn, Subject = null, Message, Timestamp } = envelope;
  const event = messageEvent([{
    eventSubscriptionArn: `${TopicArn}:${uuidOf(`${TopicArn} ${functionName}`)}`,
    topicArn: TopicArn,
    messageId: MessageId,
    message: Message,
    timestamp: new Date(Timestamp),
    messageAttributes: envelope.MessageAttributes ?? {},
  }]);
  for (const { Sns } of event.Records) Object.assign(Sns, { Subject });
  return event;
}

/** A UUID. The same text always has the same one. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
}
