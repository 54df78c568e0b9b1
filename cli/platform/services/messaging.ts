import type { Application, PlainQueue } from "../../application/types.ts";
import type { MessageAttributes } from "./message_attributes.ts";
import type { ServiceCall } from "./service_call.ts";
import type { Publication } from "./sns/publication.ts";
import { parseSns } from "./sns/sns.ts";
import {
  type Delivery,
  envelopeOf,
  type Subscription,
  topicEventOf,
  Topics,
} from "./sns/topics.ts";
import { defaultAttributes, type QueueAttributes } from "./sqs/attributes.ts";
import { unknownQueue } from "./sqs/errors.ts";
import { Queue, type Received, type SentMessage } from "./sqs/queue.ts";
import { Queues } from "./sqs/queues.ts";
import { parseSqs } from "./sqs/sqs.ts";

/** Amazon SQS and Amazon SNS on this machine, with the queues and topics of an application. */
export class Messaging implements Disposable {
  readonly #queues = new Queues();
  readonly #topics: Topics;
  /** The names of the queues that functions poll. */
  readonly #polled: readonly string[];
  readonly #stop = new AbortController();

  /** `invoke` starts an asynchronous invocation of a function that listens to a topic. */
  constructor(
    { functions, queues, tables, topics }: Application,
    invoke: (functionName: string, event: unknown) => void,
  ) {
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
    const owners = new Map(Object.entries(functions).map(([key, { arn }]) => [arn, key]));
    this.#topics = new Topics((subscription, delivery) => {
      const owner = owners.get(subscription.endpoint);
      if (subscription.protocol === "sqs") this.#deliver(subscription, delivery);
      else if (owner !== undefined) invoke(owner, topicEventOf(subscription, delivery));
    });
    for (const { name, listeners } of Object.values(topics)) {
      const arn = this.#topics.create(name);
      for (const { function: owner, filter, scope } of listeners) {
        const subscriber = { protocol: "lambda", endpoint: functions[owner]!.arn } as const;
        const attributes = filter && {
          FilterPolicy: JSON.stringify(filter),
          FilterPolicyScope: scope,
        };
        this.#topics.subscribe(arn, subscriber, attributes ?? {});
      }
    }
  }

  #addQueue(
    { name, messageSize, retention }: PlainQueue,
    isFifo: boolean,
    attributes: QueueAttributes,
  ): void {
    const queue = new Queue(name, {
      ...defaultAttributes(isFifo),
      ...(isFifo && { ContentBasedDeduplication: "true" }),
      MaximumMessageSize: String(messageSize),
      MessageRetentionPeriod: String(retention),
      ...attributes,
    });
    this.#queues.byName.set(name, queue);
  }

  /** Puts a message of a topic into a queue. If the queue does not exist, the message is dropped, as on AWS. */
  #deliver(subscription: Subscription, delivery: Delivery): void {
    const queue = this.#queues.byName.get(subscription.endpoint.split(":").at(-1)!);
    if (queue === undefined) return;
    const isRaw = subscription.attributes.RawMessageDelivery?.toLowerCase() === "true";
    const attributes: MessageAttributes = isRaw ? delivery.attributes : {};
    const body = isRaw ? delivery.text : envelopeOf(subscription, delivery);
    const delay = Number(queue.attributes.DelaySeconds);
    queue.send({ body, attributes, delay, groupId: delivery.groupId });
  }

  /**
   * Parses a request to one service.
   *
   * @throws {ServiceError} If the request is malformed, or if it asks for something that this machine does not have.
   */
  parse(service: "sns" | "sqs", headers: Headers, body: string, endpoint: string): ServiceCall {
    return service === "sns"
      ? parseSns(this.#topics, body)
      : parseSqs(this.#queues, headers, body, { endpoint, signal: this.#stop.signal });
  }

  /** Publishes a message to a topic, by its ARN. Returns the identifier of the message. */
  publish(topic: string, publication: Publication): string {
    return this.#topics.publish(topic, publication);
  }

  /** Sends a message to a queue. Returns the identifier of the message. */
  send(queue: string, message: Omit<SentMessage, "attributes" | "delay">): string {
    return this.#find(queue).send({ ...message, attributes: {}, delay: 0 }).id;
  }

  /** Waits for messages of a queue, for some seconds at most. */
  receive(queue: string, count: number, wait: number): Promise<readonly Received[]> {
    const { signal } = this.#stop;
    return this.#queues.receive(this.#find(queue), { count, wait, signal });
  }

  delete(queue: string, handle: string): void {
    this.#find(queue).delete(handle);
  }

  /** Counts the messages of a queue. */
  count(queue: string): ReturnType<Queue["count"]> {
    return this.#find(queue).count();
  }

  /** Tells whether a queue that functions poll has a message. Dead letters do not count. */
  hasMessages(): boolean {
    return this.#polled.some((name) => {
      const counts = this.#queues.byName.get(name)?.count();
      return counts !== undefined && counts.visible + counts.invisible + counts.delayed > 0;
    });
  }

  #find(name: string): Queue {
    const queue = this.#queues.byName.get(name);
    if (queue === undefined) throw unknownQueue();
    return queue;
  }

  /** Ends the waiting for messages. */
  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
