import { FnEvent, type JsonObject, type JsonValue, type StandardSchema } from "../function/mod.ts";
import {
  isObject,
  own,
  parseJson,
  readOptionalString,
  readString,
  specificationError,
} from "../function/read.ts";
import { FnRecord, recordsOf } from "../function/record.ts";
import { validateAt } from "../function/schema.ts";
import { FnBridgePutEvent } from "../scheduler/mod.ts";
import { FnNotificationEvent } from "../storage/mod.ts";
import { readAttributes } from "../topic/attributes.ts";
import { FnMessageRecord, type MessageAttributes } from "../topic/mod.ts";

/**
 * One record of an Amazon SQS event: one message.
 *
 * Every accessor throws a `CloudEventSpecificationError` if its key is absent or has the wrong type, or if the record
 * comes from another service. The other records of the event stay readable.
 *
 * @typeParam Payload The type of the result of {@linkcode payload}.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 *
 * @example A message that Amazon SNS put into the queue
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnQueueEvent } from "@mate/core/queue";
 * import { queueEvent } from "@mate/core/testing";
 *
 * const event = new FnQueueEvent(queueEvent([{ message: { messagePayload: { item: "tea" } } }]));
 * for (const record of event) assertEquals(record.message().messagePayload(), { item: "tea" });
 * ```
 */
export class FnQueueRecord<Payload = JsonValue> extends FnRecord {
  /** @ignore */
  protected override readonly service = "sqs";

  readonly #schema: StandardSchema<Payload> | undefined;
  #payload: { readonly value: unknown } | undefined;

  /**
   * Wraps one record of an event.
   *
   * @param eventObject The event that holds the record: a plain JSON object.
   * @param index The place of the record, counted from 0. Omit it if the event has one record.
   * @param schema The schema of {@linkcode payload}.
   * @throws {TypeError} If the event is not a plain object.
   */
  constructor(eventObject: unknown, index?: number, schema?: StandardSchema<Payload>) {
    super(eventObject, index);
    this.#schema = schema;
  }

  /** The identifier of the message (`messageId`). A repeated delivery has the same identifier. */
  messageId(): string {
    return this.text("messageId");
  }

  /** The text of the message (`body`). */
  body(): string {
    return this.text("body");
  }

  /**
   * The message parsed as JSON, or the output of the schema of this record. If the message is not JSON, or if the schema
   * refuses the message, the error does not show the message.
   */
  payload(): Payload;
  /** The message parsed as JSON and validated with another schema. */
  payload<Output>(schema: StandardSchema<Output>): Output;
  payload(schema?: StandardSchema): unknown {
    if (schema !== undefined) return this.#parse(schema);
    this.#payload ??= { value: this.#parse(this.#schema) };
    return this.#payload.value;
  }

  /** The time when the message was sent (`attributes.SentTimestamp`, in milliseconds since 1970). */
  sentTime(): Date {
    return this.#time("SentTimestamp");
  }

  /** The time when the message was first received (`attributes.ApproximateFirstReceiveTimestamp`). */
  firstReceivedTime(): Date {
    return this.#time("ApproximateFirstReceiveTimestamp");
  }

  /** The number of times that the message was received, this time included (`attributes.ApproximateReceiveCount`). */
  receiveCount(): number {
    return this.#count("ApproximateReceiveCount");
  }

  /** The message group (`attributes.MessageGroupId`), or null if the message has no group. */
  groupId(): string | null {
    return readOptionalString(this.rawEvent, this.path("attributes", "MessageGroupId"));
  }

  /** The deduplication id (`attributes.MessageDeduplicationId`), or null in a standard queue. */
  deduplicationId(): string | null {
    return readOptionalString(this.rawEvent, this.path("attributes", "MessageDeduplicationId"));
  }

  /** The sequence number (`attributes.SequenceNumber`), or null in a standard queue. */
  sequenceNumber(): string | null {
    return readOptionalString(this.rawEvent, this.path("attributes", "SequenceNumber"));
  }

  /**
   * The attributes of the message (`messageAttributes`) with converted values: `String` gives a string, `Number` a number,
   * and `Binary` a `Uint8Array`. The label of a type is left out, so `Number.int` becomes `Number`.
   *
   * @throws {CloudEventSpecificationError} If an attribute has another type, or if its value does not match the type.
   */
  messageAttributes(): MessageAttributes {
    return readAttributes(this.rawEvent, this.path("messageAttributes"), "dataType", (label) => {
      const type = label === "String.Array" ? label : label.split(".")[0]!;
      return [type, type === "Binary" ? "binaryValue" : "stringValue"];
    });
  }

  /** The name of the queue, which is the end of the ARN. */
  queueName(): string {
    return this.queueArn().split(":").at(-1)!;
  }

  /** The ARN of the queue (`eventSourceARN`). The ARN of a FIFO queue ends in `.fifo`. */
  queueArn(): string {
    return this.text("eventSourceARN");
  }

  /** The region of the queue (`awsRegion`). */
  region(): string {
    return this.text("awsRegion");
  }

  /** The handle with which the message can be deleted (`receiptHandle`). */
  receiptHandle(): string {
    return this.text("receiptHandle");
  }

  /** The Amazon SNS message in this message, if a topic sends to the queue without raw delivery. */
  message(): FnMessageRecord {
    const body = this.#parse() as JsonValue;
    const keys = ["Type", "TopicArn", "Message"];
    if (isObject(body) && keys.every((key) => typeof own(body, key) === "string")) {
      return new FnMessageRecord({ Records: [{ EventSource: "aws:sns", Sns: body }] });
    }
    throw this.#noEnvelope("a message of Amazon SNS");
  }

  /** The Amazon S3 event in this message, also if it came through a topic of Amazon SNS. */
  notification(): FnNotificationEvent {
    const content = this.#content();
    const records = own(content, "Records");
    const [record] = Array.isArray(records) ? records : [];
    const isFromS3 = isObject(record) && own(record, "s3") !== undefined;
    if (isFromS3 || own(content, "Event") === "s3:TestEvent") {
      return new FnNotificationEvent(content);
    }
    throw this.#noEnvelope("an event of Amazon S3");
  }

  /** The Amazon EventBridge event in this message, also if it came through a topic of Amazon SNS. */
  bridgeEvent(): FnBridgePutEvent {
    const content = this.#content();
    const keys = ["source", "detail-type", "detail"];
    if (keys.every((key) => own(content, key) !== undefined)) return new FnBridgePutEvent(content);
    throw this.#noEnvelope("an event of Amazon EventBridge");
  }

  #parse(schema?: StandardSchema): unknown {
    const path = this.path("body");
    const payload = parseJson(readString(this.rawEvent, path), path);
    return validateAt(schema, payload, path);
  }

  /** The body as a JSON object, or the message of the Amazon SNS envelope in the body. */
  #content(): JsonObject {
    const body = this.#parse() as JsonValue;
    const isEnvelope = isObject(body) && own(body, "TopicArn") !== undefined;
    const content = isEnvelope ? this.message().messagePayload() : body;
    if (isObject(content)) return content;
    throw this.#noEnvelope("a JSON object");
  }

  #noEnvelope(expected: string): Error {
    return specificationError(this.path("body"), `is not ${expected}`);
  }

  #time(name: string): Date {
    return new Date(this.#count(name));
  }

  #count(name: string): number {
    const path = this.path("attributes", name);
    const text = readString(this.rawEvent, path);
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw specificationError(path, `is ${JSON.stringify(text)}, not a whole number`);
  }
}

/**
 * The event of messages from a queue of Amazon SQS. Iterate over the event, or use {@linkcode records}. A function that
 * processes each message by itself is easier to write with `queueHandler()`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 *
 * @example Every message of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnQueueEvent } from "@mate/core/queue";
 * import { queueEvent } from "@mate/core/testing";
 *
 * const event = new FnQueueEvent(queueEvent([{ payload: { item: "tea" } }, { payload: { item: "jam" } }]));
 * assertEquals([...event].map((record) => record.payload()), [{ item: "tea" }, { item: "jam" }]);
 * ```
 */
export class FnQueueEvent extends FnEvent implements Iterable<FnQueueRecord> {
  /**
   * The records of the event. A malformed record throws when one of its accessors is called.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
   */
  records(): readonly FnQueueRecord[] {
    return recordsOf(this.rawEvent).map((_, index) => new FnQueueRecord(this.rawEvent, index));
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnQueueRecord> {
    return this.records().values();
  }
}
