import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { ACCOUNT_ID, queueArn } from "../../rules/arn.ts";
import { Bell, Clock } from "../clock.ts";
import {
  type Content,
  type Contents,
  defaultAttributes,
  type Kept,
  type QueueAttributes,
} from "./attributes.ts";
import { invalidHandle, invalidParameter, invalidValue } from "./errors.ts";

/** The time in which a FIFO queue ignores a second message with the same deduplication identifier, in milliseconds. */
const DEDUPLICATION_TIME = 300_000;

/** What the sender of a message says about it. */
interface Facts {
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  /** The trace header that those get who receive the message. */
  readonly shownTrace?: string | undefined;
  /** The same, with the span of the call that sent the message. */
  readonly traceHeader?: string | undefined;
}

/** A message that somebody sends. */
export interface SentMessage extends Content, Facts {
  /** The seconds after which the message is visible. */
  readonly delay: number;
}

/** A message in a queue. */
interface Message extends Facts {
  readonly id: string;
  readonly content: Kept;
  readonly sequenceNumber: string | undefined;
  readonly sentTime: number;
  /** The time from which a receiver can get the message. */
  visibleTime: number;
  receiveCount: number;
  firstReceiveTime?: number;
  /** The ARN of the queue from which the message went to this dead-letter queue. */
  readonly source?: string;
  /** How often the message was received in other queues. */
  readonly formerCount?: number;
}

/** A message as a receiver gets it. */
export type Received = Readonly<Message> & Content & { readonly handle: string };

export interface TakeOptions {
  /** The largest number of messages. */
  readonly count: number;
  /** The seconds for which the messages are invisible. By default, the queue says it. */
  readonly visibility?: number | undefined;
  /** Tells whether the receiver takes one more message. The default is that it does. */
  readonly fits?: (message: Received) => boolean;
  /** Finds the dead-letter queue for a message that was received a number of times. */
  readonly redrive?: (receiveCount: number) => Queue | undefined;
}

/** A queue of Amazon SQS. */
export class Queue {
  readonly arn: string;
  readonly created: number;
  attributes: QueueAttributes;
  modified: number;
  purged?: number;
  /** The messages by their identifiers, in the order of their arrival. */
  readonly #messages = new Map<string, Message>();
  /** What a FIFO queue answered to the messages of the last minutes, by deduplication identifier. */
  readonly #recent = new Map<string, Pick<Message, "id" | "sequenceNumber"> & { end: number }>();
  readonly #bell: Bell;
  #sequence = 0n;

  /** `attributes` has what differs from the defaults. */
  constructor(
    readonly name: string,
    attributes: QueueAttributes,
    private readonly contents: Contents,
    private readonly clock: Clock = new Clock(),
  ) {
    this.#bell = new Bell(clock);
    this.created = this.modified = clock.now();
    this.arn = queueArn(name);
    this.attributes = { ...defaultAttributes(this.isFifo), ...attributes };
  }

  get isFifo(): boolean {
    return this.name.endsWith(".fifo");
  }

  /** Adds a message. A FIFO queue returns the first message if it got the message before. */
  send(sent: SentMessage, now = this.clock.now()): Pick<Message, "id" | "sequenceNumber"> {
    if (!this.isFifo) return this.#add(sent, undefined, now);
    const isByContent = this.attributes.ContentBasedDeduplication === "true";
    const deduplicationId = sent.deduplicationId ??
      (isByContent ? createHash("sha256").update(sent.body).digest("hex") : undefined);
    if (deduplicationId === undefined) {
      throw invalidValue(
        "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
      );
    }
    const isByGroup = this.attributes.DeduplicationScope === "messageGroup";
    const key = JSON.stringify([deduplicationId, isByGroup && sent.groupId]);
    for (const [old, { end }] of this.#recent) {
      if (end > now) break;
      this.#recent.delete(old);
    }
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const sequenceNumber = String(18_870_000_000_000_000_000n + ++this.#sequence);
    const { id } = this.#add({ ...sent, deduplicationId }, sequenceNumber, now);
    this.#recent.set(key, { id, sequenceNumber, end: now + DEDUPLICATION_TIME });
    return { id, sequenceNumber };
  }

  #add(
    { body, attributes, delay, ...facts }: SentMessage,
    sequenceNumber: string | undefined,
    now: number,
  ): Message {
    const message = {
      ...facts,
      id: randomUUID(),
      content: this.contents.keep({ body, attributes }),
      sequenceNumber,
      sentTime: now,
      visibleTime: now + delay * 1_000,
      receiveCount: 0,
    };
    this.#accept(message);
    return message;
  }

  #accept(message: Message): void {
    this.#messages.set(message.id, message);
    this.#bell.ring();
  }

  #remove({ id, content }: Message): void {
    this.#messages.delete(id);
    content.drop();
  }

  /** Lists the messages that a receiver can get, and removes those that are too old. */
  *#visible(now: number): Generator<Message> {
    const blocked = new Set<string | undefined>();
    for (const message of this.#messages.values()) {
      if (message.sentTime + Number(this.attributes.MessageRetentionPeriod) * 1_000 < now) {
        this.#remove(message);
      } else if (this.isFifo && blocked.has(message.groupId)) {
        continue; // An earlier message of the group comes first.
      } else if (message.visibleTime > now) {
        blocked.add(message.groupId);
      } else {
        yield message;
      }
    }
  }

  /** Counts the messages that a receiver can get, and their bytes, up to a number of messages. */
  pending(most: number): { count: number; size: number } {
    const found = { count: 0, size: 0 };
    for (const { content } of this.#visible(this.clock.now())) {
      found.size += content.size;
      if (++found.count === most) break;
    }
    return found;
  }

  /** Receives messages. Each becomes invisible for some seconds, or goes to the dead-letter queue. */
  take(
    { count, visibility, fits = () => true, redrive = () => undefined }: TakeOptions,
    now: number = this.clock.now(),
  ): Received[] {
    const seconds = visibility ?? Number(this.attributes.VisibilityTimeout);
    const received: Received[] = [];
    for (const message of this.#visible(now)) {
      const { content, formerCount = 0 } = message;
      const target = redrive(message.receiveCount - formerCount);
      if (target !== undefined) {
        this.#messages.delete(message.id); // First, because the target may be this queue.
        target.#accept({ ...message, source: this.arn, formerCount: message.receiveCount });
        continue;
      }
      const receiveCount = message.receiveCount + 1;
      const firstReceiveTime = message.firstReceiveTime ?? now;
      const handle = Buffer.from([this.name, message.id, receiveCount].join(" "))
        .toString("base64");
      const next = { ...message, ...content.read(), receiveCount, firstReceiveTime, handle };
      if (!fits(next)) break;
      Object.assign(message, { receiveCount, firstReceiveTime });
      message.visibleTime = now + seconds * 1_000;
      received.push(next);
      if (received.length === count) break;
    }
    return received;
  }

  /**
   * Waits until messages may have become visible, until a time, or until the signal. The clock may jump to the time at which
   * a message becomes visible, and to `due`.
   */
  wait(end: number, due: number | undefined, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    let next = due ?? Infinity;
    for (const { visibleTime } of this.#messages.values()) {
      if (visibleTime > now && visibleTime < next) next = visibleTime;
    }
    return this.#bell.wait(end, next, signal);
  }

  /** Deletes a message. An old receipt handle of a standard queue succeeds and deletes nothing, as on AWS. */
  delete(handle: string): void {
    const message = this.#find(handle);
    if (message === undefined) return;
    if (!this.#isValid(message, handle)) {
      if (!this.isFifo) return;
      throw invalidParameter("ReceiptHandle", handle, "The receipt handle has expired.");
    }
    this.#remove(message);
    this.#bell.ring(); // The next message of a group may be visible now.
  }

  /** Sets how many seconds from now a message stays invisible. */
  changeVisibility(handle: string, seconds: number): void {
    const message = this.#find(handle);
    if (message === undefined || !this.#isValid(message, handle)) {
      throw invalidParameter(
        "ReceiptHandle",
        handle,
        "Message does not exist or is not available for visibility timeout change.",
      );
    }
    message.visibleTime = this.clock.now() + seconds * 1_000;
    this.#bell.ring();
  }

  /** Tells whether a handle is the latest one. In a FIFO queue, the receiver must still hold the message. */
  #isValid({ receiveCount, visibleTime }: Message, handle: string): boolean {
    const [, , count] = partsOf(handle);
    return count === String(receiveCount) && (!this.isFifo || visibleTime > this.clock.now());
  }

  #find(handle: string): Message | undefined {
    const [name, id = ""] = partsOf(handle);
    if (name !== this.name) throw invalidHandle(handle);
    return this.#messages.get(id);
  }

  /** Lists the first messages, whether a receiver can get them or not. Nobody receives them. */
  list(most: number): readonly Received[] {
    for (const _ of this.#visible(this.clock.now())); // This removes those that are too old.
    return [...this.#messages.values().take(most)].map((message) => this.#read(message));
  }

  /** Removes a message. Returns it, or `undefined` if there is none. */
  remove(id: string): Received | undefined {
    const message = this.#messages.get(id);
    if (message === undefined) return undefined;
    const found = this.#read(message);
    this.#remove(message);
    this.#bell.ring(); // The next message of a group may be visible now.
    return found;
  }

  #read(message: Message): Received {
    return { ...message, ...message.content.read(), handle: "" };
  }

  /** Removes all messages. */
  purge(): void {
    for (const message of this.#messages.values()) this.#remove(message);
    this.purged = this.clock.now();
    this.#bell.ring();
  }

  /** Counts the messages. A message is invisible while a receiver has it and until it is retried. */
  count(): { visible: number; invisible: number; delayed: number } {
    const counts = { visible: 0, invisible: 0, delayed: 0 };
    const now = this.clock.now();
    for (const { visibleTime, receiveCount } of this.#messages.values()) {
      counts[visibleTime <= now ? "visible" : receiveCount === 0 ? "delayed" : "invisible"]++;
    }
    return counts;
  }
}

const partsOf = (handle: string) => Buffer.from(handle, "base64").toString().split(" ");

/** The attributes of a received message that the service sets. */
export const SYSTEM_ATTRIBUTES: Readonly<Record<string, (message: Received) => unknown>> = {
  SenderId: () => ACCOUNT_ID,
  ApproximateReceiveCount: ({ receiveCount }) => String(receiveCount),
  ApproximateFirstReceiveTimestamp: ({ firstReceiveTime }) => String(firstReceiveTime),
  SentTimestamp: ({ sentTime }) => String(sentTime),
  SequenceNumber: ({ sequenceNumber }) => sequenceNumber,
  MessageDeduplicationId: ({ deduplicationId }) => deduplicationId,
  MessageGroupId: ({ groupId }) => groupId,
  AWSTraceHeader: ({ shownTrace }) => shownTrace,
  DeadLetterQueueSourceArn: ({ source }) => source,
};

export function systemAttributesOf(message: Received): Readonly<Record<string, string>> {
  const all = Object.entries(SYSTEM_ATTRIBUTES).map(([name, read]) => [name, read(message)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(all))); // Without the attributes that are undefined.
}
