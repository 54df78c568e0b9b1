import type { JsonValue, StandardSchema } from "../function/mod.ts";
import { parseJson, readOptionalString, readString, readTime } from "../function/read.ts";
import { FnRecord, recordsOf } from "../function/record.ts";
import { validateAt } from "../function/schema.ts";
import { type MessageAttributes, readAttributes } from "./attributes.ts";

/**
 * One record of an Amazon SNS event: one message.
 *
 * Every accessor throws a `CloudEventSpecificationError` if its key is absent or has the wrong type, or if the record
 * comes from another service. The other records of the event stay readable.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 *
 * @example A message with an attribute
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { messageEvent } from "@mate/core/testing";
 * import { FnMessageEvent } from "@mate/core/topic";
 *
 * const event = new FnMessageEvent(messageEvent([
 *   { messagePayload: { item: "tea" }, messageAttributes: { count: { Type: "Number", Value: 3 } } },
 * ]));
 * for (const record of event) {
 *   assertEquals(record.messagePayload(), { item: "tea" });
 *   assertEquals(record.messageAttributes().count?.Value, 3);
 * }
 * ```
 */
export class FnMessageRecord extends FnRecord {
  /** @ignore */
  protected override readonly service = "sns";

  /** The ARN of the subscription that called the function (`EventSubscriptionArn`). */
  eventSubscriptionArn(): string {
    return this.text("EventSubscriptionArn");
  }

  /** The ARN of the topic (`Sns.TopicArn`). */
  topicArn(): string {
    return this.text("Sns", "TopicArn");
  }

  /** The identifier of the message (`Sns.MessageId`). A repeated delivery has the same identifier. */
  messageId(): string {
    return this.text("Sns", "MessageId");
  }

  /** The kind of the message (`Sns.Type`): `Notification`. */
  messageType(): string {
    return this.text("Sns", "Type");
  }

  /** The subject (`Sns.Subject`). A message without a subject has null. */
  subject(): string | null {
    return readOptionalString(this.rawEvent, this.path("Sns", "Subject"));
  }

  /** The message (`Sns.Message`), as it was published. */
  message(): string {
    return this.text("Sns", "Message");
  }

  /** The message parsed as JSON. If the message is not JSON, the error does not show the message. */
  messagePayload(): JsonValue;
  /** The message parsed as JSON and validated. If the schema refuses the message, the accessor throws. */
  messagePayload<Output>(schema: StandardSchema<Output>): Output;
  messagePayload(schema?: StandardSchema): unknown {
    const path = this.path("Sns", "Message");
    const payload = parseJson(readString(this.rawEvent, path), path);
    return validateAt(schema, payload, path);
  }

  /** The time when the message was published (`Sns.Timestamp`, RFC 3339). */
  timestamp(): Date {
    return readTime(this.rawEvent, this.path("Sns", "Timestamp"));
  }

  /** The signature of the message, in base64 (`Sns.Signature`). */
  signature(): string {
    return this.text("Sns", "Signature");
  }

  /** The URL of the certificate for the signature (`Sns.SigningCertUrl` or `SigningCertURL`). */
  signingCertUrl(): string {
    return this.#url("SigningCert");
  }

  /** The URL that ends the subscription (`Sns.UnsubscribeUrl` or `UnsubscribeURL`). */
  unsubscribeUrl(): string {
    return this.#url("Unsubscribe");
  }

  /**
   * The attributes of the message (`Sns.MessageAttributes`) with converted values: `String` gives a string, `String.Array`
   * an array, `Number` a number, and `Binary` a `Uint8Array`. A message without attributes has `{}`.
   *
   * A number with too many digits for a `number` is rounded, as by `JSON.parse()`. `rawEvent` has all digits. Base64 may
   * have no padding.
   *
   * @throws {CloudEventSpecificationError} If an attribute has another type, or if its value does not match the type.
   *   `path` names the attribute.
   */
  messageAttributes(): MessageAttributes {
    const path = this.path("Sns", "MessageAttributes");
    return readAttributes(this.rawEvent, path, "Type", (type) => [type, "Value"]);
  }

  /** Reads a URL. The name ends in `Url` in an event to a function, and in `URL` in a message of a queue. */
  #url(name: string): string {
    const path = this.path("Sns", `${name}URL`);
    return readOptionalString(this.rawEvent, path) ?? this.text("Sns", `${name}Url`);
  }
}

/**
 * The event of messages to a topic of Amazon SNS. Today, Amazon SNS sends one message in each event.
 *
 * The accessors of {@linkcode FnMessageRecord} read the only record of the event. If the event has no record or several
 * records, these accessors throw a `CloudEventSpecificationError`. Then iterate over the event, or use
 * {@linkcode records}.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 *
 * @example The one message of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { messageEvent } from "@mate/core/testing";
 * import { FnMessageEvent } from "@mate/core/topic";
 *
 * const event = new FnMessageEvent(messageEvent([{ subject: "Order", message: "Tea, please" }]));
 * assertEquals(event.subject(), "Order");
 * assertEquals(event.message(), "Tea, please");
 * ```
 */
export class FnMessageEvent extends FnMessageRecord implements Iterable<FnMessageRecord> {
  /**
   * Wraps an event.
   *
   * @param eventObject The event: a plain JSON object.
   * @throws {TypeError} If the event is anything else: null, an array, a string, an instance of a class.
   */
  constructor(eventObject: unknown) {
    super(eventObject);
  }

  /**
   * The records of the event. A malformed record throws when one of its accessors is called.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
   */
  records(): readonly FnMessageRecord[] {
    return recordsOf(this.rawEvent).map((_, index) => new FnMessageRecord(this.rawEvent, index));
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnMessageRecord> {
    return this.records().values();
  }
}
