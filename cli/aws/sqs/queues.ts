import { unknownQueue } from "./errors.ts";
import { type Input, queueNameOf } from "./input.ts";
import { type Contents, type QueueAttributes, redrivePolicyOf } from "./attributes.ts";
import { Clock } from "../clock.ts";
import { Queue, type Received, type TakeOptions } from "./queue.ts";

export interface ReceiveOptions extends TakeOptions {
  /** The longest time to wait for a message, in seconds. */
  readonly wait: number;
  /** Ends the wait. Then no message is received. */
  readonly signal: AbortSignal;
}

/** All queues, by their names. */
export class Queues {
  readonly byName: Map<string, Queue> = new Map();

  constructor(private readonly contents: Contents, readonly clock: Clock = new Clock()) {}

  create(name: string, attributes: QueueAttributes): Queue {
    const queue = new Queue(name, attributes, this.contents, this.clock);
    this.byName.set(name, queue);
    return queue;
  }

  /** Finds the queue of a request. */
  of(input: Input): Queue {
    return this.find(queueNameOf(input));
  }

  find(name: string): Queue {
    const queue = this.byName.get(name);
    if (queue === undefined) throw unknownQueue();
    return queue;
  }

  /** Waits for messages, and receives them. There are none if the signal aborts, or if the queue is deleted. */
  async receive(queue: Queue, options: ReceiveOptions): Promise<readonly Received[]> {
    const { wait, signal } = options;
    const end = this.clock.now() + wait * 1_000;
    while (!signal.aborted && this.byName.get(queue.name) === queue) {
      const messages = this.take(queue, options);
      if (messages.length > 0 || this.clock.now() >= end) return messages;
      await queue.wait(end, undefined, signal);
    }
    return [];
  }

  /** Receives the messages that are visible. Messages that were received too often go to the dead-letter queue. */
  take(queue: Queue, options: TakeOptions): readonly Received[] {
    const policy = redrivePolicyOf(queue.attributes);
    if (policy === undefined) return queue.take(options);
    const target = this.byName.get(policy.deadLetterTargetArn.split(":").at(-1)!);
    const redrive = (count: number) => count < Number(policy.maxReceiveCount) ? undefined : target;
    return queue.take({ ...options, redrive });
  }
}

/** What an operation knows of its request, besides the input. */
export interface Context {
  /** The URL of the service, as the client calls it. */
  readonly endpoint: string;
  /** The trace header of the request. It goes with a message that has no other. */
  readonly traceHeader?: string | undefined;
  /** The same, as the client has sent it. */
  readonly shownTrace?: string | undefined;
  /** Ends the waiting for messages. */
  readonly signal: AbortSignal;
}

/** An answer that comes later. The signal says that nobody waits for it any more. */
export type LateAnswer = (signal: AbortSignal) => Promise<object>;

export type Operation = (queues: Queues, input: Input, context: Context) => object | LateAnswer;
