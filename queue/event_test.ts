import { assert, assertEquals } from "@std/assert";
import { type } from "arktype";
import * as z from "zod";
import { fifo, put, rule, standard, testEvent, topic } from "../testdata/service_events.ts";
import { checkAccessors, checkRecords, refuse, withKey } from "../testdata/accessors.ts";
import { FnQueueEvent, FnQueueRecord } from "./mod.ts";

const ACCESSORS = [
  ["messageId", "messageId", "059f36b4-87a3-44ab-83d2-661975830a7d"],
  ["receiptHandle", "receiptHandle", "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a"],
  ["body", "body", '{"item":"tea","count":3}'],
  ["payload", "body", { item: "tea", count: 3 }],
  ["sentTime", "attributes.SentTimestamp", new Date("2026-03-01T09:05:07.123Z")],
  [
    "firstReceivedTime",
    "attributes.ApproximateFirstReceiveTimestamp",
    new Date("2026-03-01T09:05:07.200Z"),
  ],
  ["receiveCount", "attributes.ApproximateReceiveCount", 2],
  ["queueArn", "eventSourceARN", "arn:aws:sqs:eu-central-1:123456789012:jobs"],
  ["queueName", "eventSourceARN", "jobs"],
  ["region", "awsRegion", "eu-central-1"],
] as const;

const change = (key: string, value: unknown, raw: object = standard) =>
  new FnQueueEvent(withKey(raw, `Records.0.${key}`, value)).records()[0]!;

const holding = (content: unknown) => change("body", JSON.stringify(content));

Deno.test("every accessor reads its key, and names the key if it is malformed", () => {
  checkAccessors(FnQueueEvent, standard, ACCESSORS);
  for (const value of ["", "-1", "1.5", "1e3", "now", "9".repeat(16)]) {
    const error = refuse(() => change("attributes.SentTimestamp", value).sentTime());
    assertEquals(error.path, "Records[0].attributes.SentTimestamp");
  }
});

Deno.test("groupId(), deduplicationId() and sequenceNumber() are null in a standard queue", () => {
  const cases = [
    [fifo, ["customer-7", "order-12", "18849496460467696128"]],
    [standard, [null, null, null]],
  ] as const;
  for (const [event, expected] of cases) {
    const record = new FnQueueRecord(event);
    const facts = [record.groupId(), record.deduplicationId(), record.sequenceNumber()];
    assertEquals(facts, [...expected]);
  }
  const { path } = refuse(() => change("attributes.MessageGroupId", 5).groupId());
  assertEquals(path, "Records[0].attributes.MessageGroupId");
});

Deno.test("payload() never shows the message, whether it is malformed or refused by a schema", () => {
  const schema = type({ item: "number" }); // the message of this schema quotes the value
  const cases = [
    [() => change("body", "{secret: 1}").payload(), 'body" is not JSON (RFC 8259)'],
    [() => holding({ item: "secret" }).payload(schema), 'body.item" is refused by the schema'],
  ] as const;
  for (const [read, problem] of cases) {
    const { message, cause } = refuse(read);
    assertEquals([message, cause], [`Cannot read the event: "Records[0].${problem}`, undefined]);
  }
});

Deno.test("payload() returns the output of the schema of the record, and validates once", () => {
  let count = 0;
  const schema = z.object({ item: z.string() }).transform(({ item }) => {
    count++;
    return item.length;
  });
  const record = new FnQueueRecord(standard, 0, schema);
  const length: number = record.payload();
  assertEquals([length, record.payload(), count], [3, 3, 1]);
  assertEquals(record.payload(z.object({ count: z.number() })).count, 3);
});

Deno.test("messageAttributes() converts the values and leaves out labels", () => {
  const [record] = new FnQueueEvent(standard).records();
  assertEquals(record!.messageAttributes(), {
    kind: { Type: "String", Value: "order" },
    weight: { Type: "Number", Value: -125 },
    digest: { Type: "Binary", Value: new Uint8Array([0, 255, 128]) },
  });
  const tags = { dataType: "String.Array", stringValue: '["a",1]' };
  assertEquals(change("messageAttributes", { tags }).messageAttributes(), {
    tags: { Type: "String.Array", Value: ["a", 1] },
  });
  const cases = [
    [null, ""],
    [{ stringValue: "x" }, ".dataType"],
    [{ dataType: "Blob", stringValue: "x" }, ".dataType"],
    [{ dataType: "Number.int", stringValue: "x" }, ".stringValue"],
    [{ dataType: "Binary", stringValue: "AA==" }, ".binaryValue"],
  ] as const;
  for (const [attribute, path] of cases) {
    const error = refuse(() => change("messageAttributes", { a: attribute }).messageAttributes());
    assertEquals(error.path, `Records[0].messageAttributes.a${path}`);
  }
});

/** The envelope that Amazon SNS sends to a queue. */
const wrap = (content: unknown) => {
  const { SigningCertUrl, UnsubscribeUrl, ...sns } = topic.Records[0]!.Sns;
  return {
    ...sns,
    SigningCertURL: SigningCertUrl,
    UnsubscribeURL: UnsubscribeUrl,
    Message: JSON.stringify(content),
  };
};

Deno.test("message() reads the envelope of Amazon SNS", () => {
  const message = holding(wrap({ item: "tea" })).message();
  assertEquals(message.messagePayload(), { item: "tea" });
  assertEquals(message.subject(), "A new order");
  assertEquals(message.signingCertUrl(), topic.Records[0]!.Sns.SigningCertUrl);
  const { Signature: _, ...fifoEnvelope } = wrap("text");
  assertEquals(holding(fifoEnvelope).message().message(), '"text"');
});

Deno.test("notification() and bridgeEvent() read the message, also if it came through Amazon SNS", () => {
  for (const record of [holding(put), holding(wrap(put))]) {
    assertEquals(record.notification().bucketName(), "shop-uploads");
  }
  assert(holding(wrap(testEvent)).notification().isTestEvent());
  for (const record of [holding(rule), holding(wrap(rule))]) {
    assertEquals(record.bridgeEvent().detailType(), "Scheduled Event");
  }
});

Deno.test("message(), notification() and bridgeEvent() refuse another kind of message", () => {
  const contents = [
    null,
    [],
    { Type: "Notification", Message: "x" },
    { Type: "Notification", TopicArn: "arn:aws:sns:eu-west-1:1:t", Message: 5 },
    { TopicArn: "arn:aws:sns:eu-west-1:1:t", Message: JSON.stringify(put) },
    { source: "aws.events", detail: {} },
    { Records: [{ eventSource: "aws:sqs" }] },
  ];
  for (const content of contents) {
    for (const accessor of ["message", "notification", "bridgeEvent"] as const) {
      const error = refuse(() => holding(content)[accessor]());
      assertEquals(error.path, "Records[0].body");
    }
  }
  for (
    const read of [
      () => holding(put).message(),
      () => holding(put).bridgeEvent(),
      () => holding(rule).notification(),
      () => change("body", "text").message(),
    ]
  ) assertEquals(refuse(read).path, "Records[0].body");
});

Deno.test("a malformed record fails alone, and other events are refused", () => {
  checkRecords(FnQueueEvent, FnQueueRecord, standard, "receiveCount");
});
