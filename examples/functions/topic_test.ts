import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { CloudEventSpecificationError } from "@mate/core/function";
import { FnMessageRecord } from "@mate/core/topic";
import { CONTEXT, recordLog } from "./testdata/fixture.ts";
import { handler } from "./topic.ts";

const SUBSCRIPTION = "arn:aws:sns:eu-central-1:123456789012:mate-example-messages:21be56ed";
const RECORD = {
  EventSource: "aws:sns",
  EventVersion: "1.0",
  EventSubscriptionArn: SUBSCRIPTION,
  Sns: {
    Type: "Notification",
    MessageId: "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
    TopicArn: "arn:aws:sns:eu-central-1:123456789012:mate-example-messages",
    Subject: "Order",
    Message: '{"order": 4711}',
    Timestamp: "2026-11-21T08:05:00.123Z",
    SignatureVersion: "1",
    Signature: "EXAMPLE",
    SigningCertUrl: "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService.pem",
    UnsubscribeUrl: "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe",
    MessageAttributes: {
      colour: { Type: "String", Value: "red" },
      count: { Type: "Number", Value: "3" },
    },
  },
};

Deno.test("topic logs the raw event, then every accessor of every message", async () => {
  const text = { ...RECORD, Sns: { ...RECORD.Sns, Subject: null, Message: "no JSON" } };
  const { log } = await recordLog(() => handler({ Records: [RECORD, text] }, CONTEXT));
  assertEquals(log.map(({ level }) => level), ["INFO", "INFO", "INFO"]);
  for (const { requestId } of log) assertEquals(requestId, CONTEXT.awsRequestId);
  const [event, first, second] = log.map(({ data }) => data as Record<string, unknown>);
  assertEquals(event, { rawEvent: { Records: [RECORD, text] } });
  assertEquals(first, {
    "eventSubscriptionArn()": { result: SUBSCRIPTION },
    "topicArn()": { result: RECORD.Sns.TopicArn },
    "messageId()": { result: RECORD.Sns.MessageId },
    "messageType()": { result: "Notification" },
    "subject()": { result: "Order" },
    "message()": { result: '{"order": 4711}' },
    "messagePayload()": { result: { order: 4711 } },
    "timestamp()": { result: "2026-11-21T08:05:00.123Z" },
    "signature()": { result: "EXAMPLE" },
    "signingCertUrl()": { result: RECORD.Sns.SigningCertUrl },
    "unsubscribeUrl()": { result: RECORD.Sns.UnsubscribeUrl },
    "messageAttributes()": {
      result: {
        colour: { Type: "String", Value: "red" },
        count: { Type: "Number", Value: 3 },
      },
    },
  });
  assertEquals(second!["subject()"], { result: null });
  assertEquals(second!["message()"], { result: "no JSON" });
  const { error } = second!["messagePayload()"] as { error: string };
  assertStringIncludes(error, "CloudEventSpecificationError");
});

Deno.test("topic leaves out no accessor", async () => {
  const { log } = await recordLog(() => handler({ Records: [RECORD] }, CONTEXT));
  const methods = Object.getOwnPropertyNames(FnMessageRecord.prototype);
  assertEquals(
    Object.keys(log[1]!.data as object).sort(),
    methods.filter((name) => name !== "constructor" && name !== "rawRecord")
      .map((name) => `${name}()`).sort(),
  );
});

Deno.test("topic shows the bytes of a binary attribute", async () => {
  const attributes = { photo: { Type: "Binary", Value: "AQID" } };
  const record = { ...RECORD, Sns: { ...RECORD.Sns, MessageAttributes: attributes } };
  const { log } = await recordLog(() => handler({ Records: [record] }, CONTEXT));
  const shown = JSON.stringify((log[1]!.data as Record<string, unknown>)["messageAttributes()"]);
  assertStringIncludes(shown.replace(/\D+/g, " "), "1 2 3");
});

Deno.test("topic fails at another event, once it is logged", async () => {
  const { thrown, log } = await recordLog(() => handler({ order: 4711 }, CONTEXT));
  assertInstanceOf(thrown, CloudEventSpecificationError);
  assertEquals(log.map(({ data }) => data), [{ rawEvent: { order: 4711 } }]);
});
