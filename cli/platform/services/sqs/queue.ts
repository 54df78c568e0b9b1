import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { ACCOUNT_ID, queueArn } from "../../../application/arn.ts";
import type { MessageAttributes } from "../message_attributes.ts";
import type { QueueAttributes } from "./attributes.ts";
import { invalidHandle, invalidParameter, invalidValue } from "./errors.ts";

/** The time in which a FIFO queue ignores a second message with the same deduplication identifier, in milliseconds. */
const DEDUPLICATION_TIME = 300_000;

/** A message that somebody sends. */
export interface SentMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  readonly traceHeader?: string | undefined;
  /** The seconds after which the message is visible. */
  readonly delay: number;
}

/** A message in a queue. */
export interface Message extends SentMessage {
  readonly id: string;
  readonly sequenceNumber?: string | undefined;
  readonly sentTime: number;
  /** The time from which a receiver can get the message. */
  visibleTime: number;
  receiveCount: number;
  firstReceiveTime?: number;
  /** The ARN of the queue from which the message went to this dead-letter queue. */
  source?: string;
}

/** A message as a receiver gets it. */
export type Received = Readonly<Message> & { readonly handle: string };

/** A queue of Amazon SQS. It keeps its messages in memory. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly created: number = Date.now();
  attributes: QueueAttributes;
  modified: number = this.created;
  purged?: number;
  /** The messages by their identifiers, in the order of their arrival. */
  readonly #messages = new Map<string, Message>();
  /** What a FIFO queue answered to the messages of the last minutes, by deduplication identifier. */
  readonly #recent = new Map<string, { readonly message: Message; readonly end: number }>();
  #waiting: (() => void)[] = [];
  #sequence = 0n;

  constructor(name: string, attributes: QueueAttributes) {
    this.name = name;
    this.arn = queueArn(name);
    this.attributes = attributes;
  }

  get isFifo(): boolean {
    return this.name.endsWith(".fifo");
  }

  /** Adds a message. A FIFO queue returns the first message if it got the message before. */
  send(sent: SentMessage, now = Date.now()): Message {
    if (!this.isFifo) return this.#add({ ...sent, sequenceNumber: undefined }, now);
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
    if (known !== undefined) return known.message;
    const sequenceNumber = String(18_870_000_000_000_000_000n + ++this.#sequence);
    const message = this.#add({ ...sent, deduplicationId, sequenceNumber }, now);
    this.#recent.set(key, { message, end: now + DEDUPLICATION_TIME });
    return message;
  }

  #add(sent: SentMessage & Pick<Message, "sequenceNumber">, now: number): Message {
    const visibleTime = now + sent.delay * 1_000;
    const message = { ...sent, id: randomUUID(), sentTime: now, visibleTime, receiveCount: 0 };
    this.accept(message);
    return message;
  }

  /** Takes a message of another queue, unchanged. */
  accept(message: Message): void {
    this.#messages.set(message.id, message);
    this.wake();
  }

  /**
   * Receives messages. Each message becomes invisible for some seconds.
   *
   * @param giveUp Takes a message that was received too often. If it returns false, the message stays.
   */
  receive(
    count: number,
    visibility: number,
    giveUp: (message: Message) => boolean,
    now: number = Date.now(),
  ): Received[] {
    const received: Received[] = [];
    const blocked = new Set<string | undefined>();
    for (const message of this.#messages.values()) {
      if (received.length === count) break;
      if (message.sentTime + Number(this.attributes.MessageRetentionPeriod) * 1_000 < now) {
        this.#messages.delete(message.id);
      } else if (this.isFifo && blocked.has(message.groupId)) {
        continue; // An earlier message of the group comes first.
      } else if (message.visibleTime > now) {
        blocked.add(message.groupId);
      } else if (giveUp(message)) {
        this.#messages.delete(message.id);
      } else {
        message.receiveCount++;
        message.firstReceiveTime ??= now;
        message.visibleTime = now + visibility * 1_000;
        const handle = [this.name, message.id, message.receiveCount].join(" ");
        received.push({ ...message, handle: Buffer.from(handle).toString("base64") });
      }
    }
    return received;
  }

  /** Waits until messages may have become visible, until a time, or until the signal. */
  async wait(end: number, signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const times = [...this.#messages.values()].map((message) => message.visibleTime)
      .filter((time) => time > now);
    const next = times.reduce((least, time) => Math.min(least, time), end);
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    const timer = setTimeout(stop, Math.max(0, next - now));
    signal.addEventListener("abort", stop, { once: true });
    this.#waiting.push(stop);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    this.#waiting = this.#waiting.filter((one) => one !== stop);
  }

  /** Ends the waiting of all receivers. They look again, and wait again. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Deletes a message. Nothing happens if it was deleted before. */
  delete(handle: string): void {
    const message = this.#find(handle);
    if (message === undefined) return;
    if (this.isFifo && !this.#isHeld(message, handle)) {
      throw invalidParameter("ReceiptHandle", handle, "The receipt handle has expired.");
    }
    this.#messages.delete(message.id);
    this.wake(); // The next message of a group may be visible now.
  }

  /** Sets how many seconds from now a message stays invisible. */
  changeVisibility(handle: string, seconds: number): void {
    const message = this.#find(handle);
    if (message === undefined || this.isFifo && !this.#isHeld(message, handle)) {
      throw invalidParameter(
        "ReceiptHandle",
        handle,
        "Message does not exist or is not available for visibility timeout change.",
      );
    }
    message.visibleTime = Date.now() + seconds * 1_000;
    this.wake();
  }

  /** Tells whether the receiver that has a handle still holds the message. */
  #isHeld(message: Message, handle: string): boolean {
    const [, , count] = partsOf(handle);
    return message.visibleTime > Date.now() && count === String(message.receiveCount);
  }

  #find(handle: string): Message | undefined {
    const [name, id = ""] = partsOf(handle);
    if (name !== this.name) throw invalidHandle(handle);
    return this.#messages.get(id);
  }

  purge(): void {
    this.#messages.clear();
    this.purged = Date.now();
  }

  /** Counts the messages. A message is invisible while a receiver has it and until it is retried. */
  count(): { visible: number; invisible: number; delayed: number } {
    const counts = { visible: 0, invisible: 0, delayed: 0 };
    const now = Date.now();
    for (const { visibleTime, receiveCount } of this.#messages.values()) {
      counts[visibleTime <= now ? "visible" : receiveCount === 0 ? "delayed" : "invisible"]++;
    }
    return counts;
  }
}

const partsOf = (handle: string) => Buffer.from(handle, "base64").toString().split(" ");

/** Returns the attributes of a received message that the service sets. */
export function systemAttributesOf(message: Received): Readonly<Record<string, string>> {
  const attributes = {
    SenderId: ACCOUNT_ID,
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceiveTime),
    SentTimestamp: String(message.sentTime),
    SequenceNumber: message.sequenceNumber,
    MessageDeduplicationId: message.deduplicationId,
    MessageGroupId: message.groupId,
    AWSTraceHeader: message.traceHeader,
    DeadLetterQueueSourceArn: message.source,
  };
  return JSON.parse(JSON.stringify(attributes)); // Without the attributes that are undefined.
}
