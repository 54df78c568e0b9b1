import type { Clock } from "../clock.ts";
import { messageEvent, type RawMessageEvent } from "@mate/core/testing";
import { createTraceId, topicArn } from "../../rules/arn.ts";
import {
  type Attribute,
  type FilteredMessage,
  type FilterScope,
  readFilterPolicy,
} from "../../rules/filter_policy.ts";
import { depthOf, parseJson } from "../../rules/json_object.ts";
import type { MessageAttributes } from "../messages.ts";
import { notEmulated } from "../service_call.ts";
import { invalidParameter, notFound, type Publication } from "./publication.ts";

/** A message as a subscriber gets it. */
export interface Delivery extends Omit<Publication, "texts"> {
  readonly id: string;
  readonly topicArn: string;
  readonly text: string;
  readonly time: Date;
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

/** The topics, and who has subscribed. */
export class Topics {
  readonly byArn: Map<string, Map<string, Subscription>> = new Map();

  /** `deliver` gives a message to the subscriber of a subscription. */
  constructor(
    private readonly deliver: (subscription: Subscription, delivery: Delivery) => void,
    private readonly clock: Clock,
  ) {}

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
    if (known !== undefined) {
      const own: SubscriptionAttributes = { ...DEFAULTS, ...known.attributes };
      if (Object.keys(attributes).every((name) => attributes[name] === own[name])) return known;
      throw invalidParameter(
        "Attributes Reason: Subscription already exists with different attributes",
      );
    }
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
    const time = this.clock.date();
    const { traceHeader = createTraceId() } = publication; // One trace for all subscribers.
    for (const subscription of this.of(topic).values()) {
      const own = texts[subscription.protocol];
      const text = typeof own === "string" ? own : texts.default;
      const attributes = typedValuesOf(publication.attributes);
      if (!subscription.matches({ body: text, attributes })) continue;
      this.deliver(subscription, { ...publication, traceHeader, id, topicArn: topic, text, time });
    }
    return id;
  }
}

/** The most levels of a filter policy. At 150 levels, one value has as many combinations as a policy may have. */
const MAX_DEPTH = 500;

/** The attributes of a subscription, with their values by default. */
const DEFAULTS = {
  FilterPolicy: "",
  FilterPolicyScope: "MessageAttributes",
  RawMessageDelivery: "false",
};

/** Checks the attributes of a subscription. Returns the test of its filter policy. */
function filterOf(attributes: SubscriptionAttributes): Subscription["matches"] {
  const other = Object.keys(attributes).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (other !== undefined) throw notEmulated(`The attribute ${other} of a subscription`);
  const { FilterPolicy, FilterPolicyScope, RawMessageDelivery } = { ...DEFAULTS, ...attributes };
  if (!/^(true|false)$/i.test(RawMessageDelivery)) {
    throw invalidParameter("RawMessageDelivery");
  }
  if (!["MessageAttributes", "MessageBody"].includes(FilterPolicyScope)) {
    throw invalidParameter(`FilterPolicyScope: Invalid value [${FilterPolicyScope}]`);
  }
  const scope = FilterPolicyScope as FilterScope;
  if (FilterPolicy === "" || FilterPolicy === "{}") return () => true;
  const policy = parseJson(FilterPolicy);
  if (policy === undefined) throw invalidParameter("FilterPolicy: failed to parse JSON");
  if (depthOf(FilterPolicy) > MAX_DEPTH) {
    throw invalidParameter(`FilterPolicy: it has over ${MAX_DEPTH} levels`);
  }
  const { problems, matches } = readFilterPolicy(policy, scope);
  for (const { path, message } of problems) {
    throw invalidParameter(`FilterPolicy: "${path.join(".")}" ${message}`);
  }
  return matches;
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
export function topicEventOf({ arn }: Subscription, delivery: Delivery): RawMessageEvent {
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
