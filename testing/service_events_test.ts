import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { FnBridgePutEvent } from "../scheduler/mod.ts";
import { FnQueueEvent } from "../queue/mod.ts";
import { FnNotificationEvent } from "../storage/mod.ts";
import { FnMessageEvent } from "../topic/mod.ts";
import { messageEvent, notificationEvent, queueEvent, scheduledEvent } from "./mod.ts";

const TIME = new Date("2026-03-01T09:05:07.000Z");

/** The values that the accessors of an event or a record return, for the names of an object. */
function readAll(source: object, init: object): Record<string, unknown> {
  const accessors = source as Record<string, () => unknown>;
  return Object.fromEntries(Object.keys(init).map((name) => [name, accessors[name]!()]));
}

Deno.test("scheduledEvent() takes the values of the accessors", () => {
  const init = {
    source: "shop",
    detailType: "Order",
    detail: { id: [1, null] },
    id: "id-1",
    account: "000000000000",
    region: "us-east-1",
    resources: ["arn:aws:events:us-east-1:000000000000:rule/x"],
    time: TIME,
    version: "1",
  };
  assertEquals(readAll(new FnBridgePutEvent(scheduledEvent(init)), init), init);
  const event = new FnBridgePutEvent(scheduledEvent());
  assertEquals([event.source(), event.detailType()], ["aws.events", "Scheduled Event"]);
  assertEquals(event.detail(), {});
});

Deno.test("notificationEvent() takes the values of the accessors", () => {
  const init = {
    eventName: "ObjectCreated:Copy",
    eventTime: TIME,
    region: "us-east-1",
    bucketName: "uploads",
    bucketArn: "arn:aws:s3:::uploads",
    objectKey: "pictures/red flower + café (1)!*'~.jpg",
    objectSize: 0,
    objectEtag: "abc",
    objectVersionId: "v1",
    objectSequencer: "00A1",
    principalId: "AWS:me",
    sourceIp: "s3.amazonaws.com",
  };
  const event = new FnNotificationEvent(notificationEvent([init, {}]));
  const [first, second] = event.records();
  assertEquals(readAll(first!, init), init);
  assertEquals(second!.objectVersionId(), null);
  assertEquals(new FnNotificationEvent(notificationEvent()).objectSize(), 1_024);
  const ids = notificationEvent([{ requestId: "R", hostId: "H" }]).Records[0]!.responseElements;
  assertEquals(ids, { "x-amz-request-id": "R", "x-amz-id-2": "H" });
});

Deno.test("notificationEvent() leaves the size and the tag of removed objects out", () => {
  const [removed, given, none] = new FnNotificationEvent(notificationEvent([
    { eventName: "ObjectRemoved:Delete" },
    { eventName: "ObjectRemoved:Delete", objectSize: 5 },
    { objectSize: null, objectEtag: null, objectSequencer: null },
  ])).records();
  assertEquals([removed!.objectSize(), removed!.objectEtag()], [null, null]);
  assertEquals(given!.objectSize(), 5);
  const absent = [none!.objectSize(), none!.objectEtag(), none!.objectSequencer()];
  assertEquals(absent, [null, null, null]);
});

Deno.test("messageEvent() takes the values of the accessors", () => {
  const init = {
    eventSubscriptionArn: "arn:aws:sns:us-east-1:0:t:1",
    topicArn: "arn:aws:sns:us-east-1:0:t",
    messageId: "id-1",
    messageType: "Notification",
    subject: "Order",
    message: "text",
    timestamp: TIME,
    signature: "AAAA",
    signingCertUrl: "https://a.example",
    unsubscribeUrl: "https://b.example",
    messageAttributes: {
      kind: { Type: "String", Value: "order" },
      tags: { Type: "String.Array", Value: ["new", 7, true, null] },
      weight: { Type: "Number", Value: -12.5 },
      digest: { Type: "Binary", Value: new Uint8Array([0, 255]) },
    },
  } as const;
  const [record] = new FnMessageEvent(messageEvent([init])).records();
  assertEquals(readAll(record!, init), init);
  const payload = new FnMessageEvent(messageEvent([{ messagePayload: { item: "tea" } }]));
  assertEquals(payload.messagePayload(), { item: "tea" });
  const plain = new FnMessageEvent(messageEvent());
  assertEquals([plain.subject(), plain.messageAttributes()], [null, {}]);
  assertNotEquals(messageEvent().Records[0]!.Sns.MessageId, plain.messageId());
});

Deno.test("queueEvent() makes the messages of a standard queue", () => {
  const init = {
    messageId: "id-1",
    body: "text",
    sentTime: TIME,
    firstReceivedTime: new Date(TIME.getTime() + 5),
    receiveCount: 3,
    groupId: "fair",
    queueName: "jobs",
    region: "us-east-1",
    receiptHandle: "handle",
    messageAttributes: {
      kind: { Type: "String", Value: "order" },
      weight: { Type: "Number", Value: 5 },
      digest: { Type: "Binary", Value: new Uint8Array([0, 255]) },
    },
  } as const;
  const event = queueEvent([init, {
    payload: { a: 1 },
    queueArn: "arn:aws:sqs:us-east-2:0:other",
  }]);
  const [record] = new FnQueueEvent(event).records();
  assertEquals(readAll(record!, init), init);
  assertEquals(record!.queueArn(), "arn:aws:sqs:us-east-1:123456789012:jobs");
  const [first, second] = event.Records;
  assertEquals(first!.md5OfBody, "1cb251ec0d568de6a929b520c4aed8d1");
  assertEquals([second!.body, second!.awsRegion], ['{"a":1}', "us-east-2"]);
  assertEquals(Object.keys(second!.attributes).length, 4, "it has no facts of a FIFO queue");
});

Deno.test("queueEvent() makes the messages of a FIFO queue, with rising sequence numbers", () => {
  const [first, second, third] = queueEvent([{}, { groupId: "g" }, { deduplicationId: null }], {
    fifo: true,
  }).Records.map(({ attributes }) => attributes);
  assertEquals([first!.MessageGroupId, second!.MessageGroupId], ["group", "g"]);
  assert(BigInt(first!.SequenceNumber!) < BigInt(second!.SequenceNumber!));
  assertEquals([first!.SequenceNumber!.length, "MessageDeduplicationId" in third!], [20, false]);
  const [arn] = queueEvent([{ queueArn: "arn:aws:sqs:us-east-2:0:x.fifo" }]).Records;
  assertEquals(arn!.attributes.MessageGroupId, "group");
});

Deno.test("queueEvent() puts the events of other services into messages", () => {
  const [message, notification, bridge] = queueEvent([
    { message: { subject: "s", message: "m", messageAttributes: {} } },
    { notification: [{ objectKey: "a b" }] },
    { bridgeEvent: { detail: { id: 1 } } },
  ]).Records.map(({ body }) => JSON.parse(body));
  const envelope = new FnMessageEvent({
    Records: [{ EventSource: "aws:sns", EventSubscriptionArn: "x", Sns: message }],
  });
  assertEquals([envelope.subject(), envelope.message()], ["s", "m"]);
  assert("SigningCertURL" in message && "UnsubscribeURL" in message);
  assertEquals("SigningCertUrl" in message || "MessageAttributes" in message, false);
  assertEquals(new FnNotificationEvent(notification).objectKey(), "a b");
  assertEquals(new FnBridgePutEvent(bridge).detail(), { id: 1 });
});
