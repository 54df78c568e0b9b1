import { functionArn, queueArn, topicArn } from "../../rules/arn.ts";
import { MAX_PUBLICATION } from "../../rules/limits.ts";
import { batchFault, runBatch, sizeOf } from "../messages.ts";
import {
  notEmulated,
  type ServiceCall,
  ServiceError,
  type XmlElements,
  xmlResponse,
} from "../service_call.ts";
import {
  attributesOf,
  invalidParameter,
  listOf,
  membersOf,
  type Parameters,
  publicationOf,
  readForm,
  textOf,
  textsByName,
} from "./publication.ts";
import type { Subscription, Topics } from "./topics.ts";
import { checkSupport } from "../supported.ts";

interface Operation {
  /** Reads the ARN of the topic that the request is about. By default, it is the parameter `TopicArn`. */
  readonly topic?: (parameters: Parameters) => string;
  readonly run: (
    topics: Topics,
    topic: string,
    parameters: Parameters,
    traceHeader: string | undefined,
  ) => XmlElements;
}

/** The operations of Amazon SNS that this machine has. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  Publish: {
    topic: (parameters) => {
      if (parameters.has("PhoneNumber")) {
        throw notEmulated('The parameter "PhoneNumber" of "Publish"');
      }
      const names = ["TopicArn", "TargetArn"].filter((name) => parameters.has(name));
      if (names.length !== 1) {
        throw invalidParameter("TopicArn or TargetArn Reason: expected one of the two parameters");
      }
      return arnIn(parameters, names[0]!);
    },
    run(topics, topic, parameters, traceHeader) {
      const publication = publicationOf(parameters);
      return { MessageId: topics.publish(topic, { ...publication, traceHeader }) };
    },
  },
  PublishBatch: { run: publishBatch },
  CreateTopic: {
    topic: (parameters) => topicArn(textOf(parameters, "Name") ?? ""),
    run(topics, _topic, parameters) {
      const name = textOf(parameters, "Name") ?? "";
      if (!/^[\w-]{1,256}$/.test(name)) throw invalidParameter("Topic Name");
      return { TopicArn: topics.create(name) };
    },
  },
  DeleteTopic: {
    run(topics, topic) {
      topics.byArn.delete(topic);
      return {};
    },
  },
  ListTopics: {
    topic: () => "*",
    run: (topics) => ({
      Topics: { member: [...topics.byArn.keys()].map((TopicArn) => ({ TopicArn })) },
    }),
  },
  Subscribe: { run: subscribe },
  Unsubscribe: {
    topic: topicOfSubscription,
    run(topics, topic, parameters) {
      const { arn } = topics.subscription(arnIn(parameters, "SubscriptionArn"));
      topics.of(topic).delete(arn);
      return {};
    },
  },
  ListSubscriptionsByTopic: {
    run: (topics, topic) => ({
      Subscriptions: { member: [...topics.of(topic).values()].map(summaryOf) },
    }),
  },
  GetSubscriptionAttributes: {
    topic: topicOfSubscription,
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
    run(topics, _topic, parameters) {
      const subscription = topics.subscription(arnIn(parameters, "SubscriptionArn"));
      const name = textOf(parameters, "AttributeName") ?? "";
      topics.setAttribute(subscription, name, textOf(parameters, "AttributeValue") ?? "");
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

function publishBatch(
  topics: Topics,
  topic: string,
  parameters: Parameters,
  traceHeader: string | undefined,
): XmlElements {
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
  const { Successful, Failed } = runBatch(entries, (entry) => ({
    MessageId: topics.publish(topic, { ...publicationOf(entry), traceHeader }),
  }));
  return { Successful: { member: Successful }, Failed: { member: Failed } };
}

/** Parses a request to Amazon SNS. Its parameters are read once, so what is checked is what runs. */
export function parseSns(topics: Topics, headers: Headers, body: string): ServiceCall {
  const traceHeader = headers.get("x-amzn-trace-id") ?? undefined;
  const form = readForm(body);
  const name = textOf(form, "Action") ?? "";
  const parameters = new Map([...form].filter(([key]) => key !== "Action" && key !== "Version"));
  checkSupport("sns", name);
  const operation = OPERATIONS[name]!;
  const topic = operation.topic?.(parameters) ?? arnIn(parameters, "TopicArn");
  return {
    accesses: [{ action: `sns:${name.replace(/Batch$/, "")}`, resource: topic }],
    run() {
      checkSupport("sns", name, parameters, membersOf);
      const result = operation.run(topics, topic, parameters, traceHeader);
      const ResponseMetadata = { RequestId: crypto.randomUUID() };
      return xmlResponse({
        [`${name}Response`]: { [`${name}Result`]: result, ResponseMetadata },
      });
    },
  };
}
