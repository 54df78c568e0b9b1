import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import { queueArn, REGION } from "../../application/arn.ts";
import type { Application } from "../../application/types.ts";
import type { FunctionHost } from "../../lambda/function_host.ts";
import { type Batch, batchesOf, reportedFailures } from "../invoke/batches.ts";
import type { Log } from "../log.ts";
import { attributesMd5, md5 } from "./message_attributes.ts";
import type { Messaging } from "./messaging.ts";
import { MAX_MESSAGES } from "./sqs/message_operations.ts";
import { type Received, systemAttributesOf } from "./sqs/queue.ts";

/** The number of concurrent invocations for a queue if the manifest sets none. */
const POLLERS = 5;

/** The seconds for which one request waits for messages. */
const WAIT = 20;

/** The delay after a queue could not be read, in milliseconds. */
const RETRY_DELAY = 1_000;

export interface PollerOptions {
  readonly application: Application;
  readonly messaging: Messaging;
  readonly host: FunctionHost;
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
  /** How often a message is delivered before it goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

/** Invokes the functions with the messages of their queues, until the signal. */
export async function pollQueues(options: PollerOptions): Promise<void> {
  const { queues } = options.application;
  const pollers = Object.values(queues).flatMap(({ name: queue, maxReceiveCount, listeners }) =>
    listeners.flatMap(({ function: functionName, batch, window, concurrency = POLLERS }) => {
      const trigger = { functionName, queue, batch, window, maxReceiveCount };
      return Array.from({ length: concurrency }, () => pollQueue(options, trigger));
    })
  );
  await Promise.all(pollers);
}

/** Polls a queue. It continues after an error, because other messages may be valid. */
async function pollQueue(options: PollerOptions, trigger: QueueTrigger): Promise<void> {
  const { log, signal } = options;
  while (!signal.aborted) {
    try {
      await pollOnce(options, trigger);
    } catch (error) {
      if (signal.aborted) return;
      log.note(`Cannot read the queue "${trigger.queue}": ${(error as Error).message}`);
      await setTimeout(RETRY_DELAY, undefined, { signal }).catch(() => {}); // The platform ends.
    }
  }
}

/**
 * Invokes a function with a batch of messages. Deletes the messages that the function has processed. All other messages
 * become visible again after the visibility time-out of the queue.
 */
async function pollOnce(options: PollerOptions, trigger: QueueTrigger): Promise<void> {
  const messages = await receiveBatch(options, trigger);
  if (messages.length === 0) return;
  for (const batch of batchesOf(messages, (message) => recordOf(trigger.queue, message))) {
    await process(options, trigger, batch);
  }
}

/** Invokes a function with messages, and deletes those that it has processed. */
async function process(
  options: PollerOptions,
  { functionName, queue, maxReceiveCount }: QueueTrigger,
  { items: messages, event }: Batch<Received>,
): Promise<void> {
  const { messaging, log } = options;
  const ids = messages.map(({ id }) => id);
  const result = await invoke(options, functionName, event);
  const reported = result === undefined ? ids : reportedFailures(result, ids);
  if (reported === undefined) {
    const expected = '{ "batchItemFailures": [{ "itemIdentifier": MESSAGE_ID }] }';
    log.note(`Malformed result of "${functionName}": expected ${expected} with ids of the batch`);
  }
  const failed = new Set(reported ?? ids);
  for (const { id, receiveCount } of messages) {
    if (!failed.has(id) || receiveCount < maxReceiveCount) continue;
    log.note(
      `Gave up the message ${id} of "${queue}" after ${receiveCount} attempts: it goes to the dead-letter queue`,
    );
  }
  for (const { handle } of messages.filter(({ id }) => !failed.has(id))) {
    try {
      messaging.delete(queue, handle);
    } catch (error) {
      log.note(`Cannot delete a message of "${queue}": ${(error as Error).message}`);
    }
  }
}

/** Invokes a function. Returns its result, or `undefined` if the invocation failed. */
async function invoke(
  { host, log, signal }: PollerOptions,
  name: string,
  event: object,
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
): Promise<readonly Received[]> {
  const messages: Received[] = [];
  const end = Date.now() + window * 1_000;
  do {
    const count = Math.min(MAX_MESSAGES, batch - messages.length);
    const wait = messages.length === 0 ? WAIT : Math.max(0, (end - Date.now()) / 1_000);
    messages.push(...await messaging.receive(queue, count, wait));
  } while (messages.length > 0 && messages.length < batch && Date.now() < end && !signal.aborted);
  return messages;
}

/**
 * Makes the record of a message for a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
function recordOf(queue: string, message: Received): object {
  const md5OfMessageAttributes = attributesMd5(message.attributes);
  const attributes = Object.entries(message.attributes);
  return {
    messageId: message.id,
    receiptHandle: message.handle,
    body: message.body,
    attributes: systemAttributesOf(message),
    messageAttributes: Object.fromEntries(
      attributes.map(([name, { StringValue, BinaryValue, DataType }]) => [name, {
        ...(StringValue === undefined
          ? { binaryValue: BinaryValue }
          : { stringValue: StringValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      }]),
    ),
    ...(md5OfMessageAttributes && { md5OfMessageAttributes }),
    md5OfBody: md5(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn(queue),
    awsRegion: REGION,
  };
}
