/** What is allowed, against the schemas of the AWS SDK. */
import { assertEquals } from "@std/assert";
import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as events from "@aws-sdk/client-eventbridge";
import * as s3 from "@aws-sdk/client-s3";
import * as sns from "@aws-sdk/client-sns";
import * as sqs from "@aws-sdk/client-sqs";
import { Lambda } from "@aws-sdk/client-lambda";
import { checkAnswers, type OperationSchema, placesOf } from "../testdata/contract.ts";
import { FILES, manifestWith, startTestPlatform } from "../testdata/platform.ts";
import { COMMON_HEADERS, namesIn, OPERATIONS } from "./s3/operations.ts";
import { type Parameters, SUPPORTED } from "./supported.ts";

const CLIENTS = { dynamodb, events, s3, sns, sqs };

/** The snapshot. `deno test … supported_test.ts -- --update` writes it. */
const SNAPSHOT = new URL("testdata/not_emulated.json", import.meta.url);

/** Names in the lists that no input of the operation has, and why they are there. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "GetObject if-range": "HTTP has it: RFC 9110, section 13.1.5",
  "HeadObject if-range": "HTTP has it: RFC 9110, section 13.1.5",
  "DeleteObjects x-amz-checksum-*": "the SDK sends the checksum of the document",
  "GetObject x-amz-sdk-checksum-algorithm": "the SDK sends the checksum of the empty body",
};

const operationOf = (service: keyof typeof CLIENTS, name: string) =>
  (CLIENTS[service] as object as Record<string, OperationSchema>)[`${name}$`]!;

/** Compares the parameters that are allowed with the members of a structure. */
function compare(
  allowed: Parameters,
  structure: unknown,
  path: string,
): { unknown: string[]; refused: string[] } {
  const places = placesOf(structure);
  const names = places.map(({ member }) => member);
  const found = {
    unknown: Object.keys(allowed).filter((name) => !names.includes(name))
      .map((name) => `${path}.${name}`),
    refused: names.filter((name) => !Object.hasOwn(allowed, name)).map((name) => `${path}.${name}`),
  };
  for (const { member, schema } of places) {
    let inner = allowed[member];
    let value = schema;
    while (typeof inner === "object" && inner["*"] !== undefined) {
      inner = inner["*"];
      value = value.getValueSchema();
    }
    if (typeof inner !== "object") continue;
    const { unknown, refused } = compare(inner, value, `${path}.${member}`);
    found.unknown.push(...unknown);
    found.refused.push(...refused);
  }
  return found;
}

/** Compares the parameters and the header fields of an operation of Amazon S3 with its input. */
function compareS3(name: keyof typeof OPERATIONS): { unknown: string[]; refused: string[] } {
  const { names, header, query, headers } = OPERATIONS[name] as {
    [key in "names" | "header" | "query" | "headers"]?: string;
  };
  const [, , , traits, input] = operationOf("s3", name);
  const [, uri] = (traits as { http: readonly [method: string, uri: string] }).http;
  const fixed = [...new URL(uri, "http://localhost").searchParams.keys()];
  const places = placesOf(input).map(({ member, traits }) => ({
    member,
    name: String(traits.httpQuery ?? traits.httpHeader ?? traits.httpPrefixHeaders ?? ""),
  }));
  const inUrlOrHead = places.filter(({ name }) => name !== "")
    .map((place) => ({ ...place, name: place.name.toLowerCase() }));
  const fits = (allowed: string, name: string) =>
    allowed.endsWith("*") ? name.startsWith(allowed.slice(0, -1)) : allowed.toLowerCase() === name;
  const allowed = [names, query, headers, header].flatMap(namesIn);
  const isPlain = (field: string) => !/^(x-amz-|if-)/.test(field);
  return {
    unknown: allowed.filter((one) =>
      !fixed.includes(one) && !inUrlOrHead.some((place) => fits(one, place.name))
    ).map((one) => `${name} ${one}`),
    refused: inUrlOrHead.filter((place) => {
      const isField = headersOf(input).includes(place.member);
      return !allowed.some((one) => fits(one, place.name)) && !COMMON_HEADERS.test(place.name) &&
        !(isField && isPlain(place.name));
    }).map((place) => `${name}.${place.member}`),
  };
}

const headersOf = (input: unknown) =>
  placesOf(input).filter(({ traits }) => traits.httpQuery === undefined).map(({ member }) =>
    member
  );

const found = [
  ...Object.entries(SUPPORTED).flatMap(([service, operations]) =>
    Object.entries(operations).map(([name, allowed]) => {
      const [, , , , input] = operationOf(service as keyof typeof CLIENTS, name);
      return compare(allowed, input, name);
    })
  ),
  ...Object.keys(OPERATIONS).map((name) => compareS3(name as keyof typeof OPERATIONS)),
];

Deno.test("the input of each operation has every name that is allowed", () => {
  const unknown = new Set(found.flatMap(({ unknown }) => unknown));
  assertEquals([...unknown].sort(), Object.keys(EXCEPTIONS).sort());
});

// An update of the SDK that brings a member shows here that its requests get 501.
Deno.test("the members that get 501 are those of the snapshot", async () => {
  const refused = found.flatMap(({ refused }) => refused).sort();
  const text = JSON.stringify(refused, null, 2) + "\n";
  if (Deno.args.includes("--update")) await Deno.writeTextFile(SNAPSHOT, text);
  assertEquals(text.split("\n"), (await Deno.readTextFile(SNAPSHOT)).split("\n"));
});

Deno.test("each operation that is allowed succeeds, and answers as its schema says", async () => {
  const triggers = {
    buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
    topics: [{ name: "news" }],
    events: [{ pattern: { source: ["shop"] } }],
  };
  const manifest = manifestWith(
    { worker: { module: "worker.ts", triggers } },
    { jobs: {} },
    { orders: { key: { id: "string" }, expires: "expiresAt" } },
  );
  await using test = await startTestPlatform(() => "{}", { manifest });
  using clients = new DisposableStack();
  const called = new Set<string>();
  const own = <Client extends { destroy(): void }>(client: Client): Client =>
    clients.adopt(checkAnswers(client, called), () => client.destroy());
  const config = test.clientConfig();

  const queues = own(new sqs.SQS(config));
  const { QueueUrl } = await queues.createQueue({ QueueName: "other" });
  await queues.getQueueUrl({ QueueName: "other" });
  await queues.listQueues({ MaxResults: 1 });
  await queues.setQueueAttributes({ QueueUrl, Attributes: { VisibilityTimeout: "1" } });
  await queues.getQueueAttributes({ QueueUrl, AttributeNames: ["All"] });
  const attributes = {
    text: { DataType: "String", StringValue: "a" },
    bytes: { DataType: "Binary", BinaryValue: Uint8Array.of(255) },
  };
  await queues.sendMessage({ QueueUrl, MessageBody: "m", MessageAttributes: attributes });
  const Entries = ["a", "b"].map((Id) => ({ Id, MessageBody: Id, DelaySeconds: 0 }));
  await queues.sendMessageBatch({ QueueUrl, Entries: [...Entries, { Id: "c", MessageBody: "" }] });
  const { Messages } = await queues.receiveMessage({
    QueueUrl,
    MaxNumberOfMessages: 3,
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: ["All"],
  });
  const [first, second, third] = Messages!.map(({ ReceiptHandle }) => ReceiptHandle);
  const change = { ReceiptHandle: first, VisibilityTimeout: 5 };
  await queues.changeMessageVisibility({ QueueUrl, ...change });
  await queues.changeMessageVisibilityBatch({ QueueUrl, Entries: [{ Id: "a", ...change }] });
  await queues.deleteMessage({ QueueUrl, ReceiptHandle: second });
  await queues.deleteMessageBatch({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle: third }] });
  await queues.receiveMessage({ QueueUrl, WaitTimeSeconds: 1 });

  const topics = own(new sns.SNS(config));
  const { TopicArn } = await topics.createTopic({ Name: "other" });
  const Endpoint = "arn:aws:sqs:us-east-1:000000000000:other";
  const { SubscriptionArn } = await topics.subscribe({ TopicArn, Protocol: "sqs", Endpoint });
  const AttributeName = "RawMessageDelivery";
  await topics.setSubscriptionAttributes({
    SubscriptionArn,
    AttributeName,
    AttributeValue: "true",
  });
  await topics.getSubscriptionAttributes({ SubscriptionArn });
  await topics.listTopics({});
  await topics.listSubscriptionsByTopic({ TopicArn });
  await topics.publish({ TopicArn, Message: "m" });
  await topics.publishBatch({
    TopicArn,
    PublishBatchRequestEntries: ["m", ""].map((Message, index) => ({ Id: `${index}`, Message })),
  });
  await topics.unsubscribe({ SubscriptionArn });
  await topics.deleteTopic({ TopicArn });
  await queues.purgeQueue({ QueueUrl });
  await queues.deleteQueue({ QueueUrl });

  const bus = own(new events.EventBridge(config));
  const event = { Source: "shop", DetailType: "t", Detail: "{}" };
  await bus.putEvents({ Entries: [event, { Source: "shop" }] });

  const functions = own(new Lambda(config));
  await functions.invoke({ FunctionName: "app-worker", LogType: "Tail" });
  await functions.invokeWithResponseStream({ FunctionName: "app-worker" });

  const database = own(new dynamodb.DynamoDB(config));
  const TableName = "app-orders";
  const Key = { id: { S: "1" } };
  const costs = { ReturnConsumedCapacity: "INDEXES", ReturnItemCollectionMetrics: "SIZE" } as const;
  await database.listTables({});
  await database.describeTable({ TableName });
  await database.describeTimeToLive({ TableName });
  await database.putItem({ TableName, Item: Key, ...costs });
  await database.updateItem({
    TableName,
    Key,
    UpdateExpression: "SET n = :n",
    ExpressionAttributeValues: { ":n": { N: "1" } },
    ReturnValues: "ALL_NEW",
    ...costs,
  });
  await database.getItem({ TableName, Key, ReturnConsumedCapacity: "TOTAL" });
  await database.scan({ TableName });
  await database.query({
    TableName,
    KeyConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":id": { S: "1" } },
  });
  await database.batchWriteItem({
    RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] },
    ...costs,
  });
  await database.batchGetItem({ RequestItems: { [TableName]: { Keys: [Key] } } });
  await database.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: Key } }] });
  await database.transactGetItems({ TransactItems: [{ Get: { TableName, Key } }] });
  await database.deleteItem({ TableName, Key, ReturnValues: "ALL_OLD", ...costs });

  const objects = own(new s3.S3({ ...config, forcePathStyle: true }));
  const Bucket = FILES;
  await objects.listBuckets({});
  await objects.headBucket({ Bucket });
  await objects.getBucketLocation({ Bucket });
  const object = { Bucket, Key: "a/b" };
  await objects.putObject({ ...object, Body: "abc", Metadata: { a: "b" }, ContentType: "a/b" });
  const { Body } = await objects.getObject({ ...object, ChecksumMode: "ENABLED" });
  assertEquals(await Body!.transformToString(), "abc");
  await objects.headObject({ ...object, ChecksumMode: "ENABLED" });
  const CopySource = `${Bucket}/a/b`;
  await objects.copyObject({ Bucket, Key: "copy", CopySource });
  await objects.listObjects({ Bucket, Delimiter: "/" });
  await objects.listObjectsV2({ Bucket, Delimiter: "/", MaxKeys: 1, FetchOwner: true });
  const upload = { Bucket, Key: "parts" };
  const { UploadId } = await objects.createMultipartUpload(upload);
  const { ETag } = await objects.uploadPart({ ...upload, UploadId, PartNumber: 1, Body: "abc" });
  await objects.uploadPartCopy({ ...upload, UploadId, PartNumber: 2, CopySource });
  const Parts = [{ PartNumber: 1, ETag }];
  await objects.completeMultipartUpload({ ...upload, UploadId, MultipartUpload: { Parts } });
  const { UploadId: gone } = await objects.createMultipartUpload(upload);
  await objects.abortMultipartUpload({ ...upload, UploadId: gone });
  await objects.deleteObject(object);
  await objects.deleteObjects({ Bucket, Delete: { Objects: [{ Key: "copy" }] } });

  const listed = [...Object.values(SUPPORTED), OPERATIONS].flatMap(Object.keys);
  assertEquals([...called].sort(), [...listed, "Invoke", "InvokeWithResponseStream"].sort());
});
