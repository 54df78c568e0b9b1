/**
 * The operations of Amazon DynamoDB, EventBridge, SNS and SQS that work on this machine, each with its parameters. Anything
 * else is refused. Amazon S3 has a table of its own, because its parameters are in URLs and header fields.
 *
 * @module
 */
import { notEmulated } from "./service_call.ts";

/** The parameters of an operation: those that mean something on this machine, and those inside of them. */
export interface Parameters {
  readonly [name: string]: true | Parameters | Inside;
}

/** Every member of a map or a list has these parameters. */
export interface Inside {
  readonly each: Parameters | Inside;
}

const NAMES = { ExpressionAttributeNames: true } as const;
const PROJECTION = { ProjectionExpression: true, ...NAMES } as const;
const READ = { ConsistentRead: true, ReturnConsumedCapacity: true, ...PROJECTION } as const;
const CONDITION = {
  ConditionExpression: true,
  ExpressionAttributeValues: true,
  ReturnValuesOnConditionCheckFailure: true,
  ...NAMES,
} as const;
const WRITE = {
  ReturnValues: true,
  ReturnConsumedCapacity: true,
  ReturnItemCollectionMetrics: true,
  ...CONDITION,
} as const;
const LIST = {
  TableName: true,
  IndexName: true,
  Select: true,
  Limit: true,
  ExclusiveStartKey: true,
  FilterExpression: true,
  ExpressionAttributeValues: true,
  ...READ,
} as const;
const IN_TABLE = { TableName: true } as const;
const ONE = { TableName: true, Key: true } as const;

const DYNAMODB: Readonly<Record<string, Parameters>> = {
  GetItem: { ...ONE, ...READ },
  BatchGetItem: {
    RequestItems: { each: { Keys: true, ConsistentRead: true, ...PROJECTION } },
    ReturnConsumedCapacity: true,
  },
  Query: { KeyConditionExpression: true, ScanIndexForward: true, ...LIST },
  Scan: { Segment: true, TotalSegments: true, ...LIST },
  PutItem: { ...IN_TABLE, Item: true, ...WRITE },
  UpdateItem: { ...ONE, UpdateExpression: true, ...WRITE },
  DeleteItem: { ...ONE, ...WRITE },
  BatchWriteItem: {
    RequestItems: { each: { each: { PutRequest: { Item: true }, DeleteRequest: { Key: true } } } },
    ReturnConsumedCapacity: true,
    ReturnItemCollectionMetrics: true,
  },
  TransactGetItems: {
    TransactItems: { each: { Get: { ...ONE, ...PROJECTION } } },
    ReturnConsumedCapacity: true,
  },
  TransactWriteItems: {
    TransactItems: {
      each: {
        Put: { ...IN_TABLE, Item: true, ...CONDITION },
        Update: { ...ONE, UpdateExpression: true, ...CONDITION },
        Delete: { ...ONE, ...CONDITION },
        ConditionCheck: { ...ONE, ...CONDITION },
      },
    },
    ClientRequestToken: true,
    ReturnConsumedCapacity: true,
    ReturnItemCollectionMetrics: true,
  },
  DescribeTable: IN_TABLE,
  DescribeTimeToLive: IN_TABLE,
  ListTables: { ExclusiveStartTableName: true, Limit: true },
};

const TO_TOPIC = { TopicArn: true } as const;
const PUBLICATION = {
  Message: true,
  MessageAttributes: true,
  MessageDeduplicationId: true,
  MessageGroupId: true,
  MessageStructure: true,
  Subject: true,
} as const;
const SUBSCRIPTION = { SubscriptionArn: true } as const;

const SNS: Readonly<Record<string, Parameters>> = {
  Publish: { ...TO_TOPIC, TargetArn: true, ...PUBLICATION },
  PublishBatch: { ...TO_TOPIC, PublishBatchRequestEntries: { each: { Id: true, ...PUBLICATION } } },
  CreateTopic: { Name: true },
  DeleteTopic: TO_TOPIC,
  ListTopics: {},
  Subscribe: {
    ...TO_TOPIC,
    Attributes: true,
    Endpoint: true,
    Protocol: true,
    ReturnSubscriptionArn: true,
  },
  Unsubscribe: SUBSCRIPTION,
  ListSubscriptionsByTopic: TO_TOPIC,
  GetSubscriptionAttributes: SUBSCRIPTION,
  SetSubscriptionAttributes: { ...SUBSCRIPTION, AttributeName: true, AttributeValue: true },
};

const IN_QUEUE = { QueueUrl: true } as const;
const MESSAGE = {
  DelaySeconds: true,
  MessageAttributes: true,
  MessageBody: true,
  MessageDeduplicationId: true,
  MessageGroupId: true,
  MessageSystemAttributes: true,
} as const;
const RECEIPT = { ReceiptHandle: true } as const;
const VISIBILITY = { ...RECEIPT, VisibilityTimeout: true } as const;
const batchOf = (entry: Parameters): Parameters => ({
  ...IN_QUEUE,
  Entries: { each: { Id: true, ...entry } },
});

const SQS: Readonly<Record<string, Parameters>> = {
  CreateQueue: { Attributes: true, QueueName: true },
  DeleteQueue: IN_QUEUE,
  GetQueueUrl: { QueueName: true, QueueOwnerAWSAccountId: true },
  ListQueues: { MaxResults: true, NextToken: true, QueueNamePrefix: true },
  GetQueueAttributes: { ...IN_QUEUE, AttributeNames: true },
  SetQueueAttributes: { ...IN_QUEUE, Attributes: true },
  PurgeQueue: IN_QUEUE,
  SendMessage: { ...IN_QUEUE, ...MESSAGE },
  SendMessageBatch: batchOf(MESSAGE),
  ReceiveMessage: {
    ...IN_QUEUE,
    AttributeNames: true,
    MaxNumberOfMessages: true,
    MessageAttributeNames: true,
    MessageSystemAttributeNames: true,
    VisibilityTimeout: true,
    WaitTimeSeconds: true,
  },
  DeleteMessage: { ...IN_QUEUE, ...RECEIPT },
  DeleteMessageBatch: batchOf(RECEIPT),
  ChangeMessageVisibility: { ...IN_QUEUE, ...VISIBILITY },
  ChangeMessageVisibilityBatch: batchOf(VISIBILITY),
};

const EVENTS: Readonly<Record<string, Parameters>> = {
  PutEvents: {
    Entries: {
      each: {
        Detail: true,
        DetailType: true,
        EventBusName: true,
        Resources: true,
        Source: true,
        Time: true,
        TraceHeader: true,
      },
    },
  },
};

export const SUPPORTED = { dynamodb: DYNAMODB, events: EVENTS, sns: SNS, sqs: SQS } as const;

/**
 * Checks that a request works on this machine. Without an input, it checks only the operation, because a function without
 * rights is refused before its parameters are.
 *
 * @throws {ServiceError} If the operation or a parameter does not work.
 */
export function checkSupport(
  service: keyof typeof SUPPORTED,
  operation: string,
  input?: unknown,
  membersOf = membersOfObject,
): void {
  const operations = SUPPORTED[service];
  const parameters = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (parameters === undefined) {
    throw notEmulated(
      operation === ""
        ? `This request to the service "${service}"`
        : `The operation "${operation}"`,
    );
  }
  const name = findParameter(parameters, input, membersOf);
  if (name) throw notEmulated(`The parameter "${name}" of "${operation}"`);
}

/** Lists the members of a value. A value without members passes: the service refuses it. */
type MembersOf = (value: unknown) => Iterable<readonly [string, unknown]>;

const membersOfObject: MembersOf = (value) =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];

function findParameter(
  expected: Parameters | Inside,
  input: unknown,
  membersOf: MembersOf,
): string | undefined {
  for (const [name, value] of membersOf(input)) {
    if (value === undefined || value === null) continue;
    const isInside = "each" in expected;
    if (!isInside && !Object.hasOwn(expected, name)) return name;
    const inner = isInside ? expected.each : (expected as Parameters)[name]!;
    const found = inner === true ? undefined : findParameter(inner as Parameters, value, membersOf);
    if (found) return found;
  }
}
