import { Messaging } from "./services/messaging.ts";

/** The numbers of messages in a queue of Amazon SQS. */
export interface QueueCounts {
  /** Messages that wait for a receiver. */
  readonly visible: number;
  /** Messages that a receiver has, or that became invisible after a failure. */
  readonly invisible: number;
  /** Messages that are sent with a delay. */
  readonly delayed: number;
}

/** Counts the messages of a queue. */
export async function countMessages(messaging: Messaging, queue: string): Promise<QueueCounts> {
  const { Attributes } = await messaging.call<{ Attributes: Record<string, string> }>(
    "GetQueueAttributes",
    { QueueUrl: Messaging.queueUrl(queue), AttributeNames: ["All"] },
  );
  const count = (suffix: string) => Number(Attributes[`ApproximateNumberOfMessages${suffix}`]);
  return { visible: count(""), invisible: count("NotVisible"), delayed: count("Delayed") };
}

/** Whether no message is in any of the queues. */
export async function areEmpty(messaging: Messaging, queues: readonly string[]): Promise<boolean> {
  const counts = await Promise.all(queues.map((queue) => countMessages(messaging, queue)));
  return counts.every(({ visible, invisible, delayed }) => visible + invisible + delayed === 0);
}
