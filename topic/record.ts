import { FnEvent, type JsonValue } from "../function/mod.ts";
import {
  isObject,
  type Path,
  read,
  readOptional,
  readString,
  specificationError,
  wrongType,
} from "../function/read.ts";
import { checkSource, pathOfRecord } from "../function/records.ts";
import { readTime } from "../function/rfc3339.ts";
import { type MessageAttributes, readAttributes } from "./attributes.ts";

/**
 * One record of a topic event: one message.
 *
 * Nothing is read before it is asked for, so a record that is not what the platform specifies takes no other
 * down with it. Every accessor raises a `CloudEventSpecificationError` where its key is absent or of the wrong
 * type, or where the record comes from another service.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 *
 * @example A message with an attribute
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnMessageEvent } from "@mate/core/topic";
 *
 * const event = new FnMessageEvent({
 *   Records: [{
 *     Sns: { Message: '{"item":"tea"}', MessageAttributes: { count: { Type: "Number", Value: "3" } } },
 *   }],
 * });
 * for (const record of event) {
 *   assertEquals(record.messagePayload(), { item: "tea" });
 *   assertEquals(record.messageAttributes().count?.Value, 3);
 * }
 * ```
 */
export class FnMessageRecord extends FnEvent {
  readonly #index: number | undefined;

  /**
   * Wraps one record of an event; reads nothing of it.
   *
   * @param eventObject The event that holds the record: a plain JSON object.
   * @param index Which record of it, counted from 0; omitted where there is but one.
   * @throws {TypeError} If the event is no plain object.
   */
  constructor(eventObject: unknown, index?: number) {
    super(eventObject);
    this.#index = index;
  }

  /** The record as it was sent, whatever it is: for a log or a queue of failures. */
  rawRecord(): JsonValue {
    return read(this.rawEvent, pathOfRecord(this.rawEvent, this.#index));
  }

  /** The ARN of the subscription that called the function (`EventSubscriptionArn`). */
  eventSubscriptionArn(): string {
    return readString(this.rawEvent, this.#path("EventSubscriptionArn"));
  }

  /** The ARN of the topic (`Sns.TopicArn`). */
  topicArn(): string {
    return this.#text("TopicArn");
  }

  /** The identifier of the message (`Sns.MessageId`); the same when it is delivered again. */
  messageId(): string {
    return this.#text("MessageId");
  }

  /** The kind of the message (`Sns.Type`): `Notification`. */
  messageType(): string {
    return this.#text("Type");
  }

  /** The subject (`Sns.Subject`); null where the publisher gave none. */
  subject(): string | null {
    const path = this.#path("Sns", "Subject");
    const subject = readOptional(this.rawEvent, path);
    if (subject === null || typeof subject === "string") return subject;
    throw wrongType(path, subject, "a string or null");
  }

  /** The message (`Sns.Message`), as it was published. */
  message(): string {
    return this.#text("Message");
  }

  /** The message parsed as JSON; one that is no JSON raises an error that does not show it. */
  messagePayload(): JsonValue {
    const path = this.#path("Sns", "Message");
    const message = readString(this.rawEvent, path);
    try {
      return JSON.parse(message);
    } catch { // its message would show the payload
      throw specificationError(path, path.length, "is not JSON (RFC 8259)");
    }
  }

  /** When the message was published (`Sns.Timestamp`, RFC 3339). */
  timestamp(): Date {
    return readTime(this.rawEvent, this.#path("Sns", "Timestamp"));
  }

  /** The signature of the message, in base64 (`Sns.Signature`). */
  signature(): string {
    return this.#text("Signature");
  }

  /** Where the certificate of the signature is (`Sns.SigningCertUrl`, or `SigningCertURL`). */
  signingCertUrl(): string {
    return this.#url("SigningCert");
  }

  /** Where the subscription can be ended (`Sns.UnsubscribeUrl`, or `UnsubscribeURL`). */
  unsubscribeUrl(): string {
    return this.#url("Unsubscribe");
  }

  /**
   * The attributes of the message (`Sns.MessageAttributes`), their values converted: `String` to a string,
   * `String.Array` to an array, `Number` to a number, `Binary` to a `Uint8Array`. Empty where it has none.
   *
   * A number of more digits than a `number` holds becomes the nearest one, as with `JSON.parse()`; `rawEvent`
   * has all of them. Base64 may lack its padding.
   *
   * @throws {CloudEventSpecificationError} If the type of an attribute is another, or its value is not of its
   *   type; `path` names the attribute.
   */
  messageAttributes(): MessageAttributes {
    const path = this.#path("Sns", "MessageAttributes");
    const attributes = readOptional(this.rawEvent, path);
    if (attributes === null) return {};
    if (isObject(attributes)) return readAttributes(this.rawEvent, path, attributes);
    throw wrongType(path, attributes, "an object");
  }

  #path(...keys: Path): Path {
    const record = pathOfRecord(this.rawEvent, this.#index);
    checkSource(this.rawEvent, record, "sns");
    return [...record, ...keys];
  }

  #text(key: string): string {
    return readString(this.rawEvent, this.#path("Sns", key));
  }

  /** A URL, whose name ends as the service writes it to functions or as it does elsewhere. */
  #url(name: string): string {
    const path = this.#path("Sns", `${name}URL`);
    const isUpperCase = readOptional(this.rawEvent, path) !== null;
    return this.#text(`${name}${isUpperCase ? "URL" : "Url"}`);
  }
}
