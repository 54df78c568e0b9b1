/**
 * The operations of Amazon DynamoDB, EventBridge, SNS and SQS that work on this machine, each with its parameters. Anything
 * else is refused. Amazon S3 has a table of its own, because its parameters are in URLs and header fields.
 *
 * @module
 */
import { notEmulated } from "./service_call.ts";

/**
 * The parameters of an operation: those that mean something on this machine, and those inside of them. `*` stands for every
 * member of a map or a list.
 */
export interface Parameters {
  readonly [name: string]: true | Parameters;
}

/** Parameters by their names, divided by spaces. */
const of = (names: string): Parameters =>
  Object.fromEntries(names.split(" ").map((name) => [name, true]));

const CONSUMED = "ReturnConsumedCapacity";
const METRICS = `${CONSUMED} ReturnItemCollectionMetrics`;
const PROJECTION = "ProjectionExpression ExpressionAttributeNames";
const READ = `ConsistentRead ${CONSUMED} ${PROJECTION}`;
const CONDITION = "ConditionExpression ExpressionAttributeNames ExpressionAttributeValues " +
  "ReturnValuesOnConditionCheckFailure";
const WRITE = `ReturnValues ${METRICS} ${CONDITION}`;
const LIST = "TableName IndexName Select Limit ExclusiveStartKey FilterExpression " +
  `ExpressionAttributeValues ${READ}`;

const DYNAMODB: Readonly<Record<string, Parameters>> = {
  GetItem: of(`TableName Key ${READ}`),
  BatchGetItem: {
    RequestItems: { "*": of(`Keys ConsistentRead ${PROJECTION}`) },
    ...of(CONSUMED),
  },
  Query: of(`KeyConditionExpression ScanIndexForward ${LIST}`),
  Scan: of(`Segment TotalSegments ${LIST}`),
  PutItem: of(`TableName Item ${WRITE}`),
  UpdateItem: of(`TableName Key UpdateExpression ${WRITE}`),
  DeleteItem: of(`TableName Key ${WRITE}`),
  BatchWriteItem: {
    RequestItems: { "*": { "*": { PutRequest: of("Item"), DeleteRequest: of("Key") } } },
    ...of(METRICS),
  },
  TransactGetItems: {
    TransactItems: { "*": { Get: of(`TableName Key ${PROJECTION}`) } },
    ...of(CONSUMED),
  },
  TransactWriteItems: {
    TransactItems: {
      "*": {
        Put: of(`TableName Item ${CONDITION}`),
        Update: of(`TableName Key UpdateExpression ${CONDITION}`),
        Delete: of(`TableName Key ${CONDITION}`),
        ConditionCheck: of(`TableName Key ${CONDITION}`),
      },
    },
    ...of(`ClientRequestToken ${METRICS}`),
  },
  DescribeTable: of("TableName"),
  DescribeTimeToLive: of("TableName"),
  ListTables: of("ExclusiveStartTableName Limit"),
};

const PUBLICATION =
  "Message MessageAttributes MessageDeduplicationId MessageGroupId MessageStructure Subject";

const SNS: Readonly<Record<string, Parameters>> = {
  Publish: of(`TopicArn TargetArn ${PUBLICATION}`),
  PublishBatch: {
    ...of("TopicArn"),
    PublishBatchRequestEntries: { "*": of(`Id ${PUBLICATION}`) },
  },
  CreateTopic: of("Name"),
  DeleteTopic: of("TopicArn"),
  ListTopics: {},
  Subscribe: of("TopicArn Attributes Endpoint Protocol ReturnSubscriptionArn"),
  Unsubscribe: of("SubscriptionArn"),
  ListSubscriptionsByTopic: of("TopicArn"),
  GetSubscriptionAttributes: of("SubscriptionArn"),
  SetSubscriptionAttributes: of("SubscriptionArn AttributeName AttributeValue"),
};

const MESSAGE =
  "DelaySeconds MessageAttributes MessageBody MessageDeduplicationId MessageGroupId " +
  "MessageSystemAttributes";
const VISIBILITY = "ReceiptHandle VisibilityTimeout";
const batchOf = (names: string): Parameters => ({
  ...of("QueueUrl"),
  Entries: { "*": of(`Id ${names}`) },
});

const SQS: Readonly<Record<string, Parameters>> = {
  CreateQueue: of("Attributes QueueName"),
  DeleteQueue: of("QueueUrl"),
  GetQueueUrl: of("QueueName QueueOwnerAWSAccountId"),
  ListQueues: of("MaxResults NextToken QueueNamePrefix"),
  GetQueueAttributes: of("QueueUrl AttributeNames"),
  SetQueueAttributes: of("QueueUrl Attributes"),
  PurgeQueue: of("QueueUrl"),
  SendMessage: of(`QueueUrl ${MESSAGE}`),
  SendMessageBatch: batchOf(MESSAGE),
  ReceiveMessage: of(
    "QueueUrl AttributeNames MaxNumberOfMessages MessageAttributeNames MessageSystemAttributeNames " +
      "VisibilityTimeout WaitTimeSeconds",
  ),
  DeleteMessage: of("QueueUrl ReceiptHandle"),
  DeleteMessageBatch: batchOf("ReceiptHandle"),
  ChangeMessageVisibility: of(`QueueUrl ${VISIBILITY}`),
  ChangeMessageVisibilityBatch: batchOf(VISIBILITY),
};

const EVENTS: Readonly<Record<string, Parameters>> = {
  PutEvents: {
    Entries: {
      "*": of("Detail DetailType EventBusName Resources Source Time TraceHeader"),
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
  expected: Parameters,
  input: unknown,
  membersOf: MembersOf,
): string | undefined {
  for (const [name, value] of membersOf(input)) {
    if (value === undefined || value === null) continue;
    const inner = Object.hasOwn(expected, name) ? expected[name] : expected["*"];
    if (inner === undefined) return name;
    const found = inner === true ? undefined : findParameter(inner, value, membersOf);
    if (found) return found;
  }
}
