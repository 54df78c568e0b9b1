import { unknownQueue } from "./errors.ts";
import { type Input, queueNameOf } from "./input.ts";
import { redrivePolicyOf } from "./attributes.ts";
import type { Message, Queue, Received } from "./queue.ts";

export interface ReceiveOptions {
  /** The largest number of messages. */
  readonly count: number;
  /** The seconds for which the messages are invisible. By default, the queue says it. */
  readonly visibility?: number | undefined;
  /** The longest time to wait for a message, in seconds. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** All queues, by their names. */
export class Queues {
  readonly byName: Map<string, Queue> = new Map();

  /** Finds the queue of a request. */
  of(input: Input): Queue {
    const queue = this.byName.get(queueNameOf(input));
    if (queue === undefined) throw unknownQueue();
    return queue;
  }

  /** Receives messages. Messages that were received too often go to the dead-letter queue. */
  async receive(
    queue: Queue,
    { count, visibility, wait, signal }: ReceiveOptions,
  ): Promise<readonly Received[]> {
    const end = Date.now() + wait * 1_000;
    while (true) {
      const seconds = visibility ?? Number(queue.attributes.VisibilityTimeout);
      const messages = queue.receive(count, seconds, (message) => this.#giveUp(queue, message));
      if (messages.length > 0 || Date.now() >= end || signal.aborted) return messages;
      await queue.wait(end, signal);
      if (this.byName.get(queue.name) !== queue) throw unknownQueue();
    }
  }

  /** Moves a message to the dead-letter queue if it was received too often. */
  #giveUp(queue: Queue, message: Message): boolean {
    const policy = redrivePolicyOf(queue.attributes);
    if (policy === undefined || message.receiveCount < Number(policy.maxReceiveCount)) return false;
    const target = this.byName.get(policy.deadLetterTargetArn.split(":").at(-1)!);
    target?.accept({ ...message, source: queue.arn });
    return target !== undefined;
  }
}

/** What an operation knows of its request, besides the input. */
export interface Context {
  /** The URL of the service, as the client calls it. */
  readonly endpoint: string;
  /** The trace header of the request. It goes with a message that has no other. */
  readonly traceHeader?: string | undefined;
  /** Ends the waiting for messages. */
  readonly signal: AbortSignal;
}

export type Operation = (
  queues: Queues,
  input: Input,
  context: Context,
) => object | Promise<object>;
