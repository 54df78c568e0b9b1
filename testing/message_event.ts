import { ACCOUNT_ID, encodeValue, randomBase64, randomDigits, REGION } from "./identifiers.ts";

/** An attribute of a message, in the form of the result of `messageAttributes()`. */
export interface MessageAttributeInit {
  /** The type of the attribute. */
  readonly Type: "String" | "String.Array" | "Number" | "Binary";
  /** The value: a string, an array, a number or bytes. A string is sent as it is. */
  readonly Value: string | number | readonly unknown[] | Uint8Array;
}

/** The values of the accessors of a record of `FnMessageEvent`. By default, a message has no subject and no attributes. */
export type MessageInit = {
  readonly eventSubscriptionArn?: string;
  readonly topicArn?: string;
  readonly messageId?: string;
  readonly messageType?: string;
  readonly subject?: string | null;
  readonly message?: string;
  /** The message as a value, which is sent as JSON. */
  readonly messagePayload?: unknown;
  readonly timestamp?: Date;
  readonly signature?: string;
  readonly signingCertUrl?: string;
  readonly unsubscribeUrl?: string;
  readonly messageAttributes?: Readonly<Record<string, MessageAttributeInit>>;
};

/** An event of Amazon SNS, with one record for each message. */
export type TopicEvent = { Records: TopicEventRecord[] };

/** A record of an event of Amazon SNS. */
export type TopicEventRecord = {
  EventVersion: string;
  EventSubscriptionArn: string;
  EventSource: string;
  Sns: {
    Type: string;
    MessageId: string;
    TopicArn: string;
    Subject?: string;
    Message: string;
    Timestamp: string;
    SignatureVersion: string;
    Signature: string;
    SigningCertUrl: string;
    UnsubscribeUrl: string;
    MessageAttributes: Record<string, { Type: string; Value: string }>;
  };
};

/**
 * Makes an event of Amazon SNS.
 *
 * @param messages The values that the test cares about. AWS Lambda sends one message in each event.
 * @returns The event.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 *
 * @example Test a function that reads messages
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnMessageEvent } from "@mate/core/topic";
 * import { messageEvent } from "@mate/core/testing";
 *
 * const event = new FnMessageEvent(messageEvent([{ messagePayload: { item: "tea" } }]));
 * assertEquals(event.messagePayload(), { item: "tea" });
 * ```
 */
export function messageEvent(messages: readonly MessageInit[] = [{}]): TopicEvent {
  return { Records: messages.map(createRecord) };
}

function createRecord(init: MessageInit): TopicEventRecord {
  const topicArn = init.topicArn ?? `arn:aws:sns:${REGION}:${ACCOUNT_ID}:topic`;
  const subscription = init.eventSubscriptionArn ?? `${topicArn}:${crypto.randomUUID()}`;
  const host = `https://sns.${topicArn.split(":")[3]}.amazonaws.com`;
  return {
    EventVersion: "1.0",
    EventSubscriptionArn: subscription,
    EventSource: "aws:sns",
    Sns: {
      Type: init.messageType ?? "Notification",
      MessageId: init.messageId ?? crypto.randomUUID(),
      TopicArn: topicArn,
      ...(init.subject && { Subject: init.subject }),
      Message: init.message ??
        (init.messagePayload === undefined ? "message" : JSON.stringify(init.messagePayload)),
      Timestamp: (init.timestamp ?? new Date()).toISOString(),
      SignatureVersion: "1",
      Signature: init.signature ?? randomBase64(256),
      SigningCertUrl: init.signingCertUrl ??
        `${host}/SimpleNotificationService-${randomDigits(32)}.pem`,
      UnsubscribeUrl: init.unsubscribeUrl ??
        `${host}/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
      MessageAttributes: Object.fromEntries(
        Object.entries(init.messageAttributes ?? {}).map(([name, { Type, Value }]) => [
          name,
          { Type, Value: encodeValue(Value) },
        ]),
      ),
    },
  };
}
