import { queueArn, REGION } from "../rules/arn.ts";
import type { Application } from "../application/types.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { isLoop, LoopError, roundsOf } from "../lambda/loops.ts";
import { Batch, invokeWith, poll, type Source } from "./poller.ts";
import type { Log } from "../lambda/log.ts";
import { attributesMd5, md5 } from "../aws/message_attributes.ts";
import type { Messaging } from "./messaging.ts";
import { type Received, systemAttributesOf } from "../aws/sqs/queue.ts";
import type { Clock } from "../aws/clock.ts";

/** The number of concurrent invocations for a queue if the manifest sets none. */
const POLLERS = 5;

export interface PollerOptions {
  readonly application: Pick<Application, "queues">;
  readonly messaging: Messaging;
  readonly host: FunctionHost;
  readonly log: Log;
  readonly clock: Clock;
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
  await Promise.all(
    Object.values(queues).flatMap(({ name: queue, maxReceiveCount, listeners }) =>
      listeners.map(({ function: functionName, batch, window, concurrency = POLLERS }) => {
        const trigger = { functionName, queue, batch, window, maxReceiveCount };
        return poll(sourceOf(options, trigger), concurrency);
      })
    ),
  );
}

function sourceOf(options: PollerOptions, trigger: QueueTrigger): Source {
  const { messaging, log, clock, signal } = options;
  const { queue, batch, window } = trigger;
  return {
    name: `the queue "${queue}"`,
    batch,
    window,
    signal,
    clock,
    note: (text) => log.note(text),
    pending: () => messaging.pending(queue, batch),
    wait: (end, due) => messaging.wait(queue, end, due, signal),
    send: () => send(options, trigger),
  };
}

/**
 * Invokes a function with a batch of messages, which are received when a sandbox is free: their visibility time-out must
 * not run out before. Deletes the messages that the function has processed. All others become visible again later.
 */
async function send(options: PollerOptions, trigger: QueueTrigger): Promise<void> {
  const { messaging, log, host, signal } = options;
  const { functionName, queue, batch: count, maxReceiveCount } = trigger;
  const note = (text: string) => log.note(text);
  const consumer = { functionName, identifier: "MESSAGE_ID", host, note, signal };
  let messages: readonly Received[] = [];
  /** The identifiers of the messages that would go on with a loop. */
  const stopped = new Set<string>();
  const result = await invokeWith(consumer, () => {
    const batch = new Batch();
    let trace: string | undefined;
    const fits = (message: Received) => {
      const { traceHeader } = message;
      if (isLoop(traceHeader, functionName)) return stopped.add(message.id).size > 0;
      const isAdded = batch.add(recordOf(queue, message));
      if (isAdded && roundsOf(traceHeader, functionName) >= roundsOf(trace, functionName)) {
        trace = traceHeader;
      }
      return isAdded;
    };
    messages = messaging.take(queue, { count, fits });
    const ids = messages.map(({ id }) => id).filter((id) => !stopped.has(id));
    return { ids, records: batch.records, trace };
  });
  if (stopped.size > 0) note(new LoopError(functionName).message);
  const failed = new Set([...result?.failed ?? [], ...stopped]);
  for (const { id, handle, receiveCount } of messages) {
    if (failed.has(id)) {
      if (receiveCount < maxReceiveCount) continue;
      note(
        `Gave up the message ${id} of "${queue}" after ${receiveCount} attempts: it goes to the dead-letter queue`,
      );
      continue;
    }
    try {
      messaging.delete(queue, handle);
    } catch (error) {
      note(`Cannot delete a message of "${queue}": ${(error as Error).message}`);
    }
  }
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
