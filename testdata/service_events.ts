/**
 * Events as the services send them.
 *
 * @module
 */

/** A rule of Amazon EventBridge with a schedule. */
export const rule = {
  version: "0",
  id: "53c1d2a0-7b7e-4b0f-9a55-0d5c6a3f8e21",
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "123456789012",
  time: "2026-03-01T09:05:00Z",
  region: "eu-central-1",
  resources: ["arn:aws:events:eu-central-1:123456789012:rule/every-five-minutes"],
  detail: {},
};

/** A schedule of EventBridge Scheduler, whose detail is a string. */
export const schedule = {
  ...rule,
  id: "9f0b7c3e-1f5b-4d52-8a3c-6f3d0c1b2a49",
  source: "aws.scheduler",
  resources: ["arn:aws:scheduler:eu-central-1:123456789012:schedule/default/every-five-minutes"],
  detail: "{}",
};

/** A new object in a bucket of Amazon S3. */
export const put = {
  Records: [{
    eventVersion: "2.1",
    eventSource: "aws:s3",
    awsRegion: "eu-central-1",
    eventTime: "2026-03-01T09:05:07.123Z",
    eventName: "ObjectCreated:Put",
    userIdentity: { principalId: "AWS:AIDAEXAMPLEUPLOADER" },
    requestParameters: { sourceIPAddress: "192.0.2.17" },
    responseElements: { "x-amz-request-id": "Q7Z1EXAMPLE", "x-amz-id-2": "k3FqExAmPlE=" },
    s3: {
      s3SchemaVersion: "1.0",
      configurationId: "uploads",
      bucket: {
        name: "shop-uploads",
        ownerIdentity: { principalId: "A2EXAMPLEOWNER" },
        arn: "arn:aws:s3:::shop-uploads",
      },
      object: {
        key: "pictures/red+flower+%2B+caf%C3%A9.jpg",
        size: 20480,
        eTag: "9b2cf535f27731c974343645a3985328",
        versionId: "8Yk1ExAmPlE.version",
        sequencer: "0065E1A2B3C4D5E6F7",
      },
    },
  }],
};

const { s3 } = put.Records[0]!;

/** A deletion has no size. The transition of a lifecycle rule has no sequencer. */
export const removed = {
  Records: [
    {
      ...put.Records[0]!,
      eventTime: "2026-03-01T09:06:00.000Z",
      eventName: "ObjectRemoved:Delete",
      s3: { ...s3, object: { key: "pictures/old.jpg", sequencer: "0065E1A2B3C4D5E701" } },
    },
    {
      ...put.Records[0]!,
      eventVersion: "2.3",
      eventTime: "2026-03-01T09:06:01.000Z",
      eventName: "LifecycleTransition",
      userIdentity: { principalId: "s3.amazonaws.com" },
      requestParameters: { sourceIPAddress: "s3.amazonaws.com" },
      s3: {
        ...s3,
        object: { key: "archive/a.zip", size: 1048576, eTag: "0cc175b9c0f1b6a831c399e269772661" },
      },
      lifecycleEventData: { transitionEventData: { destinationStorageClass: "GLACIER" } },
    },
  ],
};

/** The event that Amazon S3 sends when notifications are set up. */
export const testEvent = {
  Service: "Amazon S3",
  Event: "s3:TestEvent",
  Time: "2026-03-01T09:00:00.000Z",
  Bucket: "shop-uploads",
  RequestId: "Q7Z0EXAMPLE",
  HostId: "a1BcExAmPlE=",
};

/** A message to a topic of Amazon SNS. */
export const topic = {
  Records: [{
    EventVersion: "1.0",
    EventSubscriptionArn:
      "arn:aws:sns:eu-central-1:123456789012:orders:0f7f2c7e-5b1d-4f53-9a6e-8e2b6f0c9d11",
    EventSource: "aws:sns",
    Sns: {
      Type: "Notification",
      MessageId: "c1d6d5f0-3a6c-5f2b-8a0e-9b8d7c6e5f40",
      TopicArn: "arn:aws:sns:eu-central-1:123456789012:orders",
      Subject: "A new order",
      Message: '{"item":"tea","count":3}',
      Timestamp: "2026-03-01T09:05:07.123Z",
      SignatureVersion: "1",
      Signature: "RXhhbXBsZSBzaWduYXR1cmU=",
      SigningCertUrl:
        "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-example.pem",
      UnsubscribeUrl:
        "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=example",
      MessageAttributes: {
        kind: { Type: "String", Value: "order" },
        tags: { Type: "String.Array", Value: '["new", 7, true, null]' },
        weight: { Type: "Number", Value: "-12.5e1" },
        digest: { Type: "Binary", Value: "AP+A" },
      },
    },
  }],
};

const NO_LISTS = { stringListValues: [], binaryListValues: [] };

/** A message of a standard queue of Amazon SQS. */
export const standard = {
  Records: [{
    messageId: "059f36b4-87a3-44ab-83d2-661975830a7d",
    receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
    body: '{"item":"tea","count":3}',
    attributes: {
      ApproximateReceiveCount: "2",
      SentTimestamp: "1772355907123",
      SenderId: "AIDAEXAMPLESENDER",
      ApproximateFirstReceiveTimestamp: "1772355907200",
    },
    messageAttributes: {
      kind: { stringValue: "order", ...NO_LISTS, dataType: "String" },
      weight: { stringValue: "-125", ...NO_LISTS, dataType: "Number.int" },
      digest: { binaryValue: "AP+A", ...NO_LISTS, dataType: "Binary.sha" },
    },
    md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:jobs",
    awsRegion: "eu-central-1",
  }],
};

/** A message of a FIFO queue. */
export const fifo = {
  Records: [{
    ...standard.Records[0]!,
    body: '{"item":"jam"}',
    attributes: {
      ...standard.Records[0]!.attributes,
      SequenceNumber: "18849496460467696128",
      MessageGroupId: "customer-7",
      MessageDeduplicationId: "order-12",
    },
    messageAttributes: {},
    eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:jobs.fifo",
  }],
};

/** A change of an item in a table of Amazon DynamoDB. */
export const change = {
  Records: [{
    eventID: "7de3041dd709b024af6f29e4fa13d34c",
    eventName: "MODIFY",
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: "eu-central-1",
    dynamodb: {
      ApproximateCreationDateTime: 1772355907.123,
      Keys: { customer: { S: "ada" }, id: { N: "101" } },
      NewImage: {
        customer: { S: "ada" },
        id: { N: "101" },
        tags: { SS: ["new", "gift"] },
        price: { N: "12.5" },
        lines: { L: [{ M: { item: { S: "tea" }, count: { N: "3" } } }, { NULL: true }] },
        paid: { BOOL: false },
        digest: { B: "AP+A" },
        sizes: { NS: ["1", "90071992547409931"] },
        parts: { BS: ["AA==", "/w=="] },
        note: { S: "" },
      },
      OldImage: { customer: { S: "ada" }, id: { N: "101" } },
      SequenceNumber: "4421584500000000017450439092",
      SizeBytes: 175,
      StreamViewType: "NEW_AND_OLD_IMAGES",
    },
    eventSourceARN:
      "arn:aws:dynamodb:eu-central-1:123456789012:table/orders/stream/2026-03-01T08:00:00.000",
  }],
};

/** A removal by the time to live of the table. */
export const expiry = {
  Records: [{
    ...change.Records[0]!,
    eventName: "REMOVE",
    userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" },
    dynamodb: {
      ApproximateCreationDateTime: 1772355907,
      Keys: change.Records[0]!.dynamodb.Keys,
      SequenceNumber: "4421584500000000017450439093",
      SizeBytes: 20,
      StreamViewType: "KEYS_ONLY",
    },
  }],
};
