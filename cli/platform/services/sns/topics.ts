import { messageEvent, type TopicEvent } from "@mate/core/testing";
import { topicArn } from "../../../application/arn.ts";
import { type FilterScope, wrongFilterParts } from "../../../manifest/filter_policy.ts";
import { type Attribute, compileFilterPolicy, type FilteredMessage } from "../filter_policy.ts";
import type { MessageAttributes } from "../message_attributes.ts";
import { notEmulated } from "../service_call.ts";
import { invalidParameter, notFound } from "./errors.ts";
import type { Publication } from "./publication.ts";

/** A message as a subscriber gets it. */
export interface Delivery {
  readonly id: string;
  readonly topicArn: string;
  readonly text: string;
  readonly subject?: string | undefined;
  readonly time: Date;
  readonly attributes: MessageAttributes;
  readonly groupId?: string | undefined;
}

/** The attributes of a subscription, as texts. */
export type SubscriptionAttributes = Readonly<Record<string, string>>;

export interface Subscription {
  readonly arn: string;
  readonly topicArn: string;
  readonly protocol: "lambda" | "sqs";
  readonly endpoint: string;
  attributes: SubscriptionAttributes;
  /** Tells whether the subscriber wants a message. */
  matches: (message: FilteredMessage) => boolean;
}

/** Gives a message to the subscriber of a subscription. */
export type Deliver = (subscription: Subscription, delivery: Delivery) => void;

/** The topics, and who has subscribed. */
export class Topics {
  readonly byArn: Map<string, Map<string, Subscription>> = new Map();
  readonly #deliver: Deliver;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  create(name: string): string {
    const arn = topicArn(name);
    if (!this.byArn.has(arn)) this.byArn.set(arn, new Map());
    return arn;
  }

  /** Returns the subscriptions of a topic. */
  of(arn: string): Map<string, Subscription> {
    const subscriptions = this.byArn.get(arn);
    if (subscriptions === undefined) throw notFound("Topic");
    return subscriptions;
  }

  /** Finds a subscription. Its ARN begins with that of its topic. */
  subscription(arn: string): Subscription {
    const subscription = this.byArn.get(arn.replace(/:[^:]*$/, ""))?.get(arn);
    if (subscription === undefined) throw notFound("Subscription");
    return subscription;
  }

  subscribe(
    topic: string,
    { protocol, endpoint }: Pick<Subscription, "protocol" | "endpoint">,
    attributes: SubscriptionAttributes,
  ): Subscription {
    const subscriptions = this.of(topic);
    const matches = filterOf(attributes);
    const known = [...subscriptions.values()].find((one) => one.endpoint === endpoint);
    if (known !== undefined) return known;
    const arn = `${topic}:${crypto.randomUUID()}`;
    const subscription = { arn, topicArn: topic, protocol, endpoint, attributes, matches };
    subscriptions.set(arn, subscription);
    return subscription;
  }

  setAttribute(subscription: Subscription, name: string, value: string): void {
    const attributes = { ...subscription.attributes, [name]: value };
    subscription.matches = filterOf(attributes);
    subscription.attributes = attributes;
  }

  /** Gives a message to all subscribers that want it. Returns the identifier of the message. */
  publish(topic: string, { texts, ...publication }: Publication): string {
    const id = crypto.randomUUID();
    const time = new Date();
    for (const subscription of this.of(topic).values()) {
      const own = texts[subscription.protocol];
      const text = typeof own === "string" ? own : texts.default;
      const attributes = typedValuesOf(publication.attributes);
      if (!subscription.matches({ body: text, attributes })) continue;
      this.#deliver(subscription, { ...publication, id, topicArn: topic, text, time });
    }
    return id;
  }
}

const ATTRIBUTES = ["FilterPolicy", "FilterPolicyScope", "RawMessageDelivery"];

/** Checks the attributes of a subscription. Returns the test of its filter policy. */
function filterOf(attributes: SubscriptionAttributes): Subscription["matches"] {
  const other = Object.keys(attributes).find((name) => !ATTRIBUTES.includes(name));
  if (other !== undefined) throw notEmulated(`The attribute ${other} of a subscription`);
  const { FilterPolicy = "", FilterPolicyScope = "MessageAttributes", RawMessageDelivery } =
    attributes;
  if (RawMessageDelivery !== undefined && !/^(true|false)$/i.test(RawMessageDelivery)) {
    throw invalidParameter("RawMessageDelivery");
  }
  if (!["MessageAttributes", "MessageBody"].includes(FilterPolicyScope)) {
    throw invalidParameter(`FilterPolicyScope: Invalid value [${FilterPolicyScope}]`);
  }
  const scope = FilterPolicyScope as FilterScope;
  if (FilterPolicy === "" || FilterPolicy === "{}") return () => true;
  let policy;
  try {
    policy = JSON.parse(FilterPolicy);
  } catch {
    throw invalidParameter("FilterPolicy: failed to parse JSON");
  }
  for (const { path, message } of wrongFilterParts(policy, [], scope)) {
    throw invalidParameter(`FilterPolicy: "${path.join(".")}" ${message}`);
  }
  return compileFilterPolicy(policy, scope);
}

/** Returns attributes as subscribers get them in JSON. */
function typedValuesOf(attributes: MessageAttributes): Record<string, Attribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { Type: DataType, Value: StringValue ?? BinaryValue! },
    ]),
  );
}

/** Makes the event for a function. */
export function topicEventOf({ arn }: Subscription, delivery: Delivery): TopicEvent {
  return messageEvent([{
    eventSubscriptionArn: arn,
    topicArn: delivery.topicArn,
    messageId: delivery.id,
    subject: delivery.subject ?? null,
    message: delivery.text,
    timestamp: delivery.time,
    messageAttributes: typedValuesOf(delivery.attributes) as Record<
      string,
      { Type: "String"; Value: string }
    >,
  }]);
}

/** Makes the JSON for a queue. */
export function envelopeOf(subscription: Subscription, delivery: Delivery): string {
  const { Sns } = topicEventOf(subscription, delivery).Records[0]!;
  const { SigningCertUrl, UnsubscribeUrl, MessageAttributes, Subject, ...others } = Sns;
  return JSON.stringify({
    ...others,
    ...(Subject !== null && { Subject }),
    SigningCertURL: SigningCertUrl,
    UnsubscribeURL: UnsubscribeUrl,
    ...(Object.keys(MessageAttributes).length > 0 && { MessageAttributes }),
  });
}
