import { queueArn, REGION } from "../rules/arn.ts";
import type { Application } from "../application/types.ts";
import { isLoop, LoopError, roundsOf } from "../lambda/loops.ts";
import { attemptsOf, Batch, type Consumer, invokeWith, poll, type PollOptions } from "./poller.ts";
import { attributesMd5, md5 } from "../aws/messages.ts";
import { type Received, systemAttributesOf } from "../aws/sqs/queue.ts";
import type { Queues } from "../aws/sqs/queues.ts";

/** The number of concurrent invocations for a queue if the manifest sets none. */
const POLLERS = 5;

/** Invokes the functions with the messages of their queues, until the signal. */
export async function pollQueues(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { application, messaging: { queues }, host, log, clock } = options;
  const note = (text: string) => log.note(text);
  await Promise.all(
    Object.entries(application.queues).flatMap(([key, queue]) =>
      queue.listeners.map(({ function: functionName, batch, window, concurrency = POLLERS }) => {
        const trigger = { type: "queue", name: key } as const;
        const consumer = { functionName, trigger, identifier: "MESSAGE_ID", host, note, signal };
        return poll({
          name: `the queue "${queue.name}"`,
          options: { batch, window, signal, clock, note },
          pending: () => queues.find(queue.name).pending(batch),
          wait: (end, due) => queues.find(queue.name).wait(end, due, signal),
          send: () => send(queues, queue, consumer, batch),
        }, concurrency);
      })
    ),
  );
}

/**
 * Invokes a function with a batch of messages, which are received when a sandbox is free: their visibility time-out must
 * not run out before. Deletes the messages that the function has processed. All others become visible again later.
 */
async function send(
  queues: Queues,
  { name, maxReceiveCount }: Application["queues"][string],
  consumer: Consumer,
  count: number,
): Promise<void> {
  const { functionName, note } = consumer;
  let messages: readonly Received[] = [];
  /** The identifiers of the messages that would go on with a loop. */
  const stopped = new Set<string>();
  const result = await invokeWith(consumer, () => {
    const batch = new Batch();
    let trace: string | undefined;
    const fits = (message: Received) => {
      const { traceHeader } = message;
      if (isLoop(traceHeader, functionName)) return stopped.add(message.id).size > 0;
      const isAdded = batch.add(recordOf(name, message));
      if (isAdded && roundsOf(traceHeader, functionName) >= roundsOf(trace, functionName)) {
        trace = traceHeader;
      }
      return isAdded;
    };
    messages = queues.take(queues.find(name), { count, fits });
    const taken = messages.filter(({ id }) => !stopped.has(id));
    const isLast = ({ receiveCount }: Received) => receiveCount >= maxReceiveCount;
    return {
      ids: taken.map(({ id }) => id),
      records: batch.records,
      trace,
      causes: taken.flatMap(({ traceHeader }) => traceHeader ?? []),
      attempt: {
        number: Math.max(...taken.map(({ receiveCount }) => receiveCount)),
        last: maxReceiveCount,
      },
      restOf(failed) {
        const left = taken.filter(({ id }) => failed.includes(id));
        const deadLetters = left.filter(isLast).length;
        return { retried: left.length - deadLetters, deadLetters };
      },
    };
  });
  if (stopped.size > 0) note(new LoopError(functionName).message);
  const failed = new Set([...result?.failed ?? [], ...stopped]);
  for (const { id, handle, receiveCount } of messages) {
    if (failed.has(id)) {
      if (receiveCount < maxReceiveCount) continue;
      note(
        `Gave up the message ${id} of "${name}" after ${
          attemptsOf(receiveCount)
        }: it goes to the dead-letter queue`,
      );
      continue;
    }
    try {
      queues.find(name).delete(handle);
    } catch (error) {
      note(`Cannot delete a message of "${name}": ${(error as Error).message}`);
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
