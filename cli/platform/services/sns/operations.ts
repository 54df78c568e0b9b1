import { functionArn, queueArn, topicArn } from "../../../application/arn.ts";
import { MAX_PUBLICATION } from "../../../application/limits.ts";
import { sizeOf } from "../message_attributes.ts";
import type { XmlElements } from "../responses.ts";
import { batchFault, runBatch } from "../batch.ts";
import { notEmulated, ServiceError } from "../service_call.ts";
import { invalidParameter } from "./errors.ts";
import {
  allowParameters,
  attributesOf,
  PUBLICATION_PARAMETERS,
  publicationOf,
} from "./publication.ts";
import { listOf, type Parameters, textOf, textsByName } from "./query.ts";
import type { Subscription, Topics } from "./topics.ts";

interface Operation {
  /** Reads the ARN of the topic that the request is about. */
  readonly topic: (parameters: Parameters) => string;
  /** The parameters that the operation has on this machine. */
  readonly parameters: readonly string[];
  readonly run: (topics: Topics, topic: string, parameters: Parameters) => XmlElements;
}

/** The operations of Amazon SNS that this machine has. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  Publish: {
    topic: (parameters) => {
      const names = ["TopicArn", "TargetArn"].filter((name) => parameters.has(name));
      if (parameters.has("PhoneNumber")) throw notEmulated("The parameter PhoneNumber of Publish");
      if (names.length !== 1) {
        throw invalidParameter("TopicArn or TargetArn Reason: expected one of the two parameters");
      }
      return arnIn(parameters, names[0]!);
    },
    parameters: [...PUBLICATION_PARAMETERS, "TargetArn", "TopicArn"],
    run(topics, topic, parameters) {
      const publication = publicationOf(parameters);
      return { MessageId: topics.publish(topic, publication) };
    },
  },
  PublishBatch: {
    topic: (parameters) => arnIn(parameters, "TopicArn"),
    parameters: ["PublishBatchRequestEntries", "TopicArn"],
    run: publishBatch,
  },
  CreateTopic: {
    topic: (parameters) => topicArn(textOf(parameters, "Name") ?? ""),
    parameters: ["Name"],
    run(topics, _topic, parameters) {
      const name = textOf(parameters, "Name") ?? "";
      if (!/^[\w-]{1,256}$/.test(name)) throw invalidParameter("Topic Name");
      return { TopicArn: topics.create(name) };
    },
  },
  DeleteTopic: {
    topic: (parameters) => arnIn(parameters, "TopicArn"),
    parameters: ["TopicArn"],
    run(topics, topic) {
      topics.byArn.delete(topic);
      return {};
    },
  },
  ListTopics: {
    topic: () => "*",
    parameters: [],
    run: (topics) => ({
      Topics: { member: [...topics.byArn.keys()].map((TopicArn) => ({ TopicArn })) },
    }),
  },
  Subscribe: {
    topic: (parameters) => arnIn(parameters, "TopicArn"),
    parameters: ["Attributes", "Endpoint", "Protocol", "ReturnSubscriptionArn", "TopicArn"],
    run: subscribe,
  },
  Unsubscribe: {
    topic: topicOfSubscription,
    parameters: ["SubscriptionArn"],
    run(topics, topic, parameters) {
      const { arn } = topics.subscription(arnIn(parameters, "SubscriptionArn"));
      topics.of(topic).delete(arn);
      return {};
    },
  },
  ListSubscriptionsByTopic: {
    topic: (parameters) => arnIn(parameters, "TopicArn"),
    parameters: ["TopicArn"],
    run: (topics, topic) => ({
      Subscriptions: { member: [...topics.of(topic).values()].map(summaryOf) },
    }),
  },
  GetSubscriptionAttributes: {
    topic: topicOfSubscription,
    parameters: ["SubscriptionArn"],
    run(topics, _topic, parameters) {
      const subscription = topics.subscription(arnIn(parameters, "SubscriptionArn"));
      const { Protocol: _, ...attributes } = summaryOf(subscription);
      const all = { RawMessageDelivery: "false", ...attributes, ...subscription.attributes };
      const entry = Object.entries(all).map(([key, value]) => ({ key, value }));
      return { Attributes: { entry } };
    },
  },
  SetSubscriptionAttributes: {
    topic: topicOfSubscription,
    parameters: ["AttributeName", "AttributeValue", "SubscriptionArn"],
    run(topics, _topic, parameters) {
      const subscription = topics.subscription(arnIn(parameters, "SubscriptionArn"));
      const [name = "", value = ""] = ["AttributeName", "AttributeValue"]
        .map((key) => textOf(parameters, key));
      topics.setAttribute(subscription, name, value);
      return {};
    },
  },
};

/** Reads an ARN. It has at least six parts. */
function arnIn(parameters: Parameters, name: string): string {
  const arn = textOf(parameters, name) ?? "";
  const parts = arn.split(":");
  if (parts.length >= 6) return arn;
  throw invalidParameter(
    `${name} Reason: An ARN must have at least 6 elements, not ${parts.length}`,
  );
}

function topicOfSubscription(parameters: Parameters): string {
  return arnIn(parameters, "SubscriptionArn").replace(/:[^:]*$/, "");
}

function summaryOf({ arn, topicArn, protocol, endpoint }: Subscription) {
  const Owner = topicArn.split(":")[4]!;
  return {
    SubscriptionArn: arn,
    Owner,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topicArn,
  };
}

function subscribe(topics: Topics, topic: string, parameters: Parameters): XmlElements {
  const protocol = textOf(parameters, "Protocol") ?? "";
  const endpoint = textOf(parameters, "Endpoint") ?? "";
  if (protocol !== "sqs" && protocol !== "lambda") throw notEmulated(`The protocol "${protocol}"`);
  const prefix = (protocol === "sqs" ? queueArn : functionArn)("");
  if (!endpoint.startsWith(prefix)) {
    throw invalidParameter(`${protocol === "sqs" ? "SQS" : "Lambda"} endpoint ARN`);
  }
  if (endpoint.endsWith(".fifo")) {
    throw invalidParameter(
      "Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics",
    );
  }
  const attributes = textsByName(parameters, "Attributes");
  return { SubscriptionArn: topics.subscribe(topic, { protocol, endpoint }, attributes).arn };
}

/** The messages of the errors about the entries of a batch. */
const FAULTS = {
  EmptyBatchRequest: "The batch request doesn't contain any entries.",
  TooManyEntriesInBatchRequest: "The batch request contains more entries than permissible.",
  InvalidBatchEntryId:
    "The Id of a batch entry in a batch request doesn't abide by the specification.",
  BatchEntryIdsNotDistinct: "Two or more batch entries in the request have the same Id.",
};

function publishBatch(topics: Topics, topic: string, parameters: Parameters): XmlElements {
  const entries = listOf(parameters, "PublishBatchRequestEntries", "member")
    .map((entry) => [textOf(entry, "Id") ?? "", entry] as const);
  const fault = batchFault(entries.map(([id]) => id));
  if (fault !== undefined) throw new ServiceError(fault, FAULTS[fault]);
  const size = entries.reduce(
    (sum, [, entry]) => sum + sizeOf(textOf(entry, "Message") ?? "", attributesOf(entry)),
    0,
  );
  if (size > MAX_PUBLICATION) {
    const message = "The length of all the batch messages put together is more than the limit.";
    throw new ServiceError("BatchRequestTooLong", message);
  }
  topics.of(topic);
  const { successful, failed } = runBatch(entries, (entry) => {
    allowParameters(entry, "PublishBatch", [...PUBLICATION_PARAMETERS, "Id"]);
    return { MessageId: topics.publish(topic, publicationOf(entry)) };
  });
  return { Successful: { member: successful }, Failed: { member: failed } };
}
