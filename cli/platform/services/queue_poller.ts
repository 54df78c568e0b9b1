import {
  messageEvent,
  type MessageInit,
  type QueueEvent,
  queueEvent,
  type TopicEvent,
} from "@mate/core/testing";
import { Buffer } from "node:buffer";
import type { Manifest } from "../../manifest/types.ts";
import { queueArn } from "../../application/arn.ts";
import type { FunctionHost } from "../../lambda/function_host.ts";
import type { AsyncInvocations } from "../invoke/async_invocations.ts";
import type { Log } from "../log.ts";
import { type Messaging, queueName, type ReceivedMessage, subscriptionsOf } from "./messaging.ts";

/** The number of concurrent invocations for a queue if the manifest sets none. */
const POLLERS = 5;

export interface PollerOptions {
  readonly manifest: Manifest;
  readonly messaging: Messaging;
  readonly host: FunctionHost;
  readonly asyncInvocations: AsyncInvocations;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface QueueTrigger {
  readonly functionName: string;
  readonly queue: string;
  /** The largest number of messages of one invocation. */
  readonly batch: number;
  /** The longest wait for a full batch, in seconds. */
  readonly window: number;
  /** The number of retries before a message goes to the dead-letter queue. */
  readonly retries: number;
}

/** Invokes the functions with the messages of their queues and topics, until the signal. */
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
  const subscription = crypto.randomUUID();
  while (!signal.aborted) {
    const messages = await messaging.receive(queue);
    for (const { Body } of messages) {
      const event = topicEventOf(JSON.parse(Body), subscription);
      asyncInvocations.start(functionName, Buffer.from(JSON.stringify(event)));
    }
    await messaging.delete(queue, messages);
  }
}

/**
 * Invokes a function with batches of messages. Deletes the messages that the function has processed. All other messages
 * become visible again after the visibility time-out of the queue.
 */
async function pollQueue(options: PollerOptions, trigger: QueueTrigger): Promise<void> {
  const { messaging, log, signal } = options;
  const { functionName, queue, retries } = trigger;
  while (!signal.aborted) {
    const messages = await receiveBatch(options, trigger);
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
    await messaging.delete(queue, done ?? []);
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
  { messaging, signal }: PollerOptions,
  { queue, batch, window }: QueueTrigger,
): Promise<readonly ReceivedMessage[]> {
  const messages: ReceivedMessage[] = [];
  const end = Date.now() + window * 1_000;
  do {
    messages.push(...await messaging.receive(queue, batch - messages.length));
  } while (messages.length > 0 && messages.length < batch && Date.now() < end && !signal.aborted);
  return messages;
}

/**
 * Selects the messages that the function has processed. The function reports all others as `batchItemFailures`. If the
 * report is malformed or names an unknown message, the whole batch has failed, as on AWS Lambda: the result is `undefined`.
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

function queueEventOf(queue: string, messages: readonly ReceivedMessage[]): QueueEvent {
  const timeOf = (milliseconds = "0") => new Date(Number(milliseconds));
  return queueEvent(
    messages.map(({ MessageId, ReceiptHandle, Body, Attributes, MessageAttributes = {} }) => ({
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
      messageAttributes: Object.fromEntries(
        Object.entries(MessageAttributes).map(([name, { StringValue, BinaryValue, DataType }]) => [
          name,
          {
            Type: DataType as "String", // The type may have a label, such as "Number.int".
            Value: StringValue ?? BinaryValue!,
          },
        ]),
      ),
    })),
  );
}

/** The JSON that Amazon SNS sends to a queue. */
interface Envelope {
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly MessageAttributes?: NonNullable<MessageInit["messageAttributes"]>;
}

function topicEventOf(envelope: Envelope, subscription: string): TopicEvent {
  const { MessageId, TopicArn, Subject = null, Message, Timestamp } = envelope;
  const event = messageEvent([{
    eventSubscriptionArn: `${TopicArn}:${subscription}`,
    topicArn: TopicArn,
    messageId: MessageId,
    message: Message,
    timestamp: new Date(Timestamp),
    messageAttributes: envelope.MessageAttributes ?? {},
  }]);
  for (const { Sns } of event.Records) Object.assign(Sns, { Subject });
  return event;
}
