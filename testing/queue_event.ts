import { decodeBase64 } from "../function/base64.ts";
import { invalid } from "../function/read.ts";
import { ACCOUNT_ID, encodeValue, present, randomBase64, REGION } from "./identifiers.ts";
import { type MessageAttributeInit, messageEvent, type MessageInit } from "./message_event.ts";
import { notificationEvent, type NotificationInit } from "./notification_event.ts";
import { scheduledEvent, type ScheduledEventInit } from "./scheduled_event.ts";

/**
 * The values of the accessors of a record of `FnQueueEvent`. Give at most one of `body`, `payload`, `message`,
 * `notification` and `bridgeEvent`.
 */
export type QueueMessageInit = {
  readonly messageId?: string;
  readonly body?: string;
  /** The body as a value, which is sent as JSON. */
  readonly payload?: unknown;
  /** The body is a message of Amazon SNS. */
  readonly message?: MessageInit;
  /** The body is an event of Amazon S3. */
  readonly notification?: readonly NotificationInit[];
  /** The body is an event of Amazon EventBridge. */
  readonly bridgeEvent?: ScheduledEventInit;
  readonly sentTime?: Date;
  readonly firstReceivedTime?: Date;
  readonly receiveCount?: number;
  /** The message group; by default `group` in a FIFO queue, and none otherwise. */
  readonly groupId?: string | null;
  /** The deduplication identifier; by default random in a FIFO queue, and none otherwise. */
  readonly deduplicationId?: string | null;
  /** The sequence number; by default a rising number in a FIFO queue, and none otherwise. */
  readonly sequenceNumber?: string | null;
  readonly messageAttributes?: Readonly<Record<string, MessageAttributeInit>>;
  readonly queueName?: string;
  readonly queueArn?: string;
  readonly region?: string;
  readonly receiptHandle?: string;
};

/** Options of {@linkcode queueEvent}. */
export interface QueueEventOptions {
  /** Whether the queue is a FIFO queue. */
  readonly fifo?: boolean;
}

/** An event of Amazon SQS, with one record for each message. */
export type QueueEvent = { Records: QueueEventRecord[] };

/** A record of an event of Amazon SQS. */
export type QueueEventRecord = {
  messageId: string;
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    SenderId: string;
    ApproximateFirstReceiveTimestamp: string;
    SequenceNumber?: string;
    MessageGroupId?: string;
    MessageDeduplicationId?: string;
  };
  messageAttributes: Record<string, QueueMessageAttribute>;
  /** Present if the message has attributes. */
  md5OfMessageAttributes?: string;
  md5OfBody: string;
  eventSource: string;
  eventSourceARN: string;
  awsRegion: string;
};

/** An attribute in a record of an event of Amazon SQS. Both lists are always empty. */
export type QueueMessageAttribute = {
  stringValue?: string;
  /** The value in base64. */
  binaryValue?: string;
  stringListValues: never[];
  binaryListValues: never[];
  /** The type, such as `Number` or `Number.int`. */
  dataType: "String" | "Number" | "Binary" | string;
};

/**
 * Makes an event of Amazon SQS.
 *
 * @param messages The values that the test cares about, one item for each message.
 * @param options Whether the queue is a FIFO queue.
 * @returns The event.
 * @throws {TypeError} If an attribute of the type `Binary` is a text that is not base64.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 *
 * @example A batch of two messages
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { queueEvent } from "@mate/core/testing";
 *
 * const { Records } = queueEvent([{ payload: { item: "tea" } }, { body: "no JSON" }]);
 * assertEquals(Records.map(({ body }) => body), ['{"item":"tea"}', "no JSON"]);
 * ```
 */
export function queueEvent(
  messages: readonly QueueMessageInit[] = [{}],
  options: QueueEventOptions = {},
): QueueEvent {
  return { Records: messages.map((init, index) => createRecord(init, index, options)) };
}

function createRecord(
  init: QueueMessageInit,
  index: number,
  { fifo = false }: QueueEventOptions,
): QueueEventRecord {
  const { region = init.queueArn?.split(":")[3] ?? REGION } = init;
  const queueName = init.queueName ?? (fifo ? "queue.fifo" : "queue");
  const queueArn = init.queueArn ?? `arn:aws:sqs:${region}:${ACCOUNT_ID}:${queueName}`;
  const isFifo = queueArn.endsWith(".fifo");
  const { sentTime = new Date(), firstReceivedTime = sentTime } = init;
  const {
    sequenceNumber = isFifo ? risingNumber(index) : null,
    groupId = isFifo ? "group" : null,
    deduplicationId = isFifo ? crypto.randomUUID() : null,
  } = init;
  const body = bodyOf(init);
  const messageAttributes = Object.fromEntries(
    Object.entries(init.messageAttributes ?? {}).map(([name, attribute]) => [
      name,
      encodeAttribute(attribute),
    ]),
  );
  return {
    messageId: init.messageId ?? crypto.randomUUID(),
    receiptHandle: init.receiptHandle ?? randomBase64(120),
    body,
    attributes: {
      ApproximateReceiveCount: String(init.receiveCount ?? 1),
      SentTimestamp: String(sentTime.getTime()),
      SenderId: "AIDAEXAMPLE",
      ApproximateFirstReceiveTimestamp: String(firstReceivedTime.getTime()),
      ...present({
        SequenceNumber: sequenceNumber,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
      }),
    },
    messageAttributes,
    ...present({ md5OfMessageAttributes: attributesMd5(messageAttributes) }),
    md5OfBody: md5().update(body).digest("hex"),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

/** A number of 20 digits that is greater than the numbers of earlier messages. */
function risingNumber(index: number): string {
  return String(18_870_000_000_000_000_000n + BigInt(Date.now()) * 1_000n + BigInt(index));
}

function bodyOf(init: QueueMessageInit): string {
  if (init.body !== undefined) return init.body;
  if (init.payload !== undefined) return JSON.stringify(init.payload);
  if (init.message) return JSON.stringify(envelopeOf(init.message));
  if (init.notification) return JSON.stringify(notificationEvent(init.notification));
  return init.bridgeEvent ? JSON.stringify(scheduledEvent(init.bridgeEvent)) : "message";
}

/** A message of Amazon SNS as Amazon SQS gets it. Some keys have other names than in an event to a function. */
function envelopeOf(init: MessageInit): object {
  const { SigningCertUrl, UnsubscribeUrl, MessageAttributes, Subject, ...rest } =
    messageEvent([init]).Records[0]!.Sns;
  return {
    ...rest,
    ...(Subject !== null && { Subject }),
    SigningCertURL: SigningCertUrl,
    UnsubscribeURL: UnsubscribeUrl,
    ...(Object.keys(MessageAttributes).length > 0 && { MessageAttributes }),
  };
}

function encodeAttribute({ Type, Value }: MessageAttributeInit): QueueMessageAttribute {
  const key = Type.startsWith("Binary") ? "binaryValue" : "stringValue";
  const value = { [key]: encodeValue(Value) };
  return { ...value, stringListValues: [], binaryListValues: [], dataType: Type };
}

/**
 * The digest of attributes; null if there are none.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation
 */
function attributesMd5(attributes: Record<string, QueueMessageAttribute>): string | null {
  const names = Object.keys(attributes).sort();
  const hash = md5();
  const add = (data: string | Uint8Array) => {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const { dataType, stringValue, binaryValue } = attributes[name]!;
    add(name);
    add(dataType);
    hash.update(Uint8Array.of(binaryValue === undefined ? 1 : 2));
    const value = stringValue ?? decodeBase64(binaryValue!);
    if (value === undefined) throw invalid(`value of the attribute "${name}"`, "base64 or bytes");
    add(value);
  }
  return names.length > 0 ? hash.digest("hex") : null;
}

function md5() {
  return globalThis.process.getBuiltinModule("node:crypto").createHash("md5");
}
