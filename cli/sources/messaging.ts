import type { Application, PlainQueue } from "../application/types.ts";
import { Clock } from "../aws/clock.ts";
import type { AsyncOptions } from "./async_invocations.ts";
import type { MessageAttributes } from "../aws/messages.ts";
import {
  type Delivery,
  envelopeOf,
  type Subscription,
  topicEventOf,
  Topics,
} from "../aws/sns/topics.ts";
import { Contents, type QueueAttributes } from "../aws/sqs/attributes.ts";
import type { SentMessage } from "../aws/sqs/queue.ts";
import { Queues } from "../aws/sqs/queues.ts";

/** Amazon SQS and Amazon SNS on this machine, with the queues and topics of an application. */
export class Messaging implements Disposable {
  readonly queues: Queues;
  readonly topics: Topics;
  /** The names of the queues that functions poll. */
  readonly #polled: readonly string[];
  readonly #stop = new AbortController();
  /** Ends the waiting for messages. */
  readonly signal: AbortSignal = this.#stop.signal;

  /**
   * @param folder The folder for messages that do not fit into the memory.
   * @param invoke Starts an asynchronous invocation of a function that listens to a topic.
   */
  constructor(
    { functions, queues, tables, topics }: Application,
    folder: string,
    invoke: (functionName: string, event: unknown, options: AsyncOptions) => void,
    clock: Clock = new Clock(),
  ) {
    this.queues = new Queues(new Contents(folder), clock);
    for (const queue of Object.values(queues)) {
      const { deadLetters, fifo, maxReceiveCount, visibility } = queue;
      this.#addQueue(deadLetters, fifo, {});
      const policy = { deadLetterTargetArn: deadLetters.arn, maxReceiveCount };
      this.#addQueue(queue, fifo, {
        RedrivePolicy: JSON.stringify(policy),
        VisibilityTimeout: String(visibility),
      });
    }
    for (const { listeners } of Object.values(tables)) {
      for (const { deadLetters } of listeners) this.#addQueue(deadLetters, false, {});
    }
    this.#polled = Object.values(queues).filter(({ listeners }) => listeners.length > 0)
      .map(({ name }) => name);
    const keys = new Map(Object.entries(topics).map(([key, { arn }]) => [arn, key]));
    const owners = new Map(Object.entries(functions).map(([key, { arn }]) => [arn, key]));
    this.topics = new Topics((subscription, delivery) => {
      const owner = owners.get(subscription.endpoint);
      if (subscription.protocol === "sqs") this.#deliver(subscription, delivery);
      else if (owner !== undefined) {
        const trigger = { type: "topic", name: keys.get(delivery.topicArn) ?? "" } as const;
        const options = { traceId: delivery.traceHeader, facts: { trigger } };
        invoke(owner, topicEventOf(subscription, delivery), options);
      }
    }, clock);
    for (const { name, listeners } of Object.values(topics)) {
      const arn = this.topics.create(name);
      for (const { function: owner, filter, scope } of listeners) {
        const subscriber = { protocol: "lambda", endpoint: functions[owner]!.arn } as const;
        const attributes = filter && {
          FilterPolicy: JSON.stringify(filter),
          FilterPolicyScope: scope,
        };
        this.topics.subscribe(arn, subscriber, attributes ?? {});
      }
    }
  }

  #addQueue(
    { name, messageSize, retention }: PlainQueue,
    isFifo: boolean,
    attributes: QueueAttributes,
  ): void {
    this.queues.create(name, {
      ...(isFifo && { ContentBasedDeduplication: "true" }),
      MaximumMessageSize: String(messageSize),
      MessageRetentionPeriod: String(retention),
      ...attributes,
    });
  }

  /** Puts a message of a topic into a queue. If the queue does not exist, the message is dropped, as on AWS. */
  #deliver(subscription: Subscription, delivery: Delivery): void {
    const queue = this.queues.byName.get(subscription.endpoint.split(":").at(-1)!);
    if (queue === undefined) return;
    const isRaw = subscription.attributes.RawMessageDelivery?.toLowerCase() === "true";
    const attributes: MessageAttributes = isRaw ? delivery.attributes : {};
    const body = isRaw ? delivery.text : envelopeOf(subscription, delivery);
    const delay = Number(queue.attributes.DelaySeconds);
    const { groupId, traceHeader } = delivery;
    queue.send({ body, attributes, delay, groupId, traceHeader, shownTrace: traceHeader });
  }

  /** Sends a message to a queue. Returns the identifier of the message. */
  send(queue: string, message: Omit<SentMessage, "attributes" | "delay">): string {
    return this.queues.find(queue).send({ ...message, attributes: {}, delay: 0 }).id;
  }

  /** Tells whether a queue that functions poll has a message. Dead letters do not count. */
  hasMessages(): boolean {
    return this.#polled.some((name) => {
      const counts = this.queues.byName.get(name)?.count();
      return counts !== undefined && counts.visible + counts.invisible + counts.delayed > 0;
    });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
