import { FILTER_SCOPES } from "../../manifest/filter_policy.ts";
import type { Manifest } from "../../manifest/types.ts";
import { functionArn, queueArn, topicArn } from "../../application/arn.ts";
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

/** Returns the physical name of a queue of the manifest. */
export function queueName(name: string, { queues }: Pick<Manifest, "queues">): string {
  return queues[name]?.fifo ? `${name}.fifo` : name;
}

/** Returns the physical name of the dead-letter queue of a queue of the manifest. */
export function deadLetterQueueName(name: string, manifest: Pick<Manifest, "queues">): string {
  return queueName(name, manifest).replace(/(\.fifo)?$/, "-dead-letters$1");
}

/** Returns the physical name of the queue for changes of a table that failed too often in a function. */
export function tableDeadLetterQueueName(functionName: string, table: string): string {
  return `${functionName}-${table}-dead-letters`;
}

/** Amazon SQS and Amazon SNS on this machine, with the queues and topics of an application. */
export class Messaging implements Disposable {
  readonly #queues = new Queues();
  readonly #topics: Topics;
  /** The names of the queues that functions poll. */
  readonly #polled: readonly string[];
  readonly #stop = new AbortController();

  /** `invoke` starts an asynchronous invocation of a function that listens to a topic. */
  constructor(
    manifest: Manifest,
    { queues, tables }: Application,
    invoke: (functionName: string, event: unknown) => void,
  ) {
    const functions = Object.entries(manifest.functions);
    for (const [key, queue] of Object.entries(queues)) {
      const { deadLetters, fifo, maxReceiveCount, visibility } = queue;
      const target = deadLetterQueueName(key, manifest);
      this.#addQueue(target, deadLetters, fifo, {});
      const policy = { deadLetterTargetArn: queueArn(target), maxReceiveCount };
      this.#addQueue(queueName(key, manifest), queue, fifo, {
        RedrivePolicy: JSON.stringify(policy),
        VisibilityTimeout: String(visibility),
      });
    }
    for (const [key, { listeners }] of Object.entries(tables)) {
      for (const { function: owner, deadLetters } of listeners) {
        this.#addQueue(tableDeadLetterQueueName(owner, key), deadLetters, false, {});
      }
    }
    this.#polled = functions.flatMap(([, { triggers }]) => triggers.queues)
      .map(({ name }) => queueName(name, manifest));
    const owners = new Map(functions.map(([name]) => [functionArn(name), name]));
    this.#topics = new Topics((subscription, delivery) => {
      const owner = owners.get(subscription.endpoint);
      if (subscription.protocol === "sqs") this.#deliver(subscription, delivery);
      else if (owner !== undefined) invoke(owner, topicEventOf(subscription, delivery));
    });
    for (const [owner, { uses, triggers }] of functions) {
      for (const name of Object.keys(uses.topics)) this.#topics.create(name);
      for (const { name, filter, filterScope } of triggers.topics) {
        const subscriber = { protocol: "lambda", endpoint: functionArn(owner) } as const;
        const attributes = filter && {
          FilterPolicy: JSON.stringify(filter),
          FilterPolicyScope: FILTER_SCOPES[filterScope],
        };
        this.#topics.subscribe(this.#topics.create(name), subscriber, attributes ?? {});
      }
    }
  }

  #addQueue(
    name: string,
    { messageSize, retention }: PlainQueue,
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

  /** Publishes a message to a topic of the manifest. Returns the identifier of the message. */
  publish(topic: string, publication: Publication): string {
    return this.#topics.publish(topicArn(topic), publication);
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
