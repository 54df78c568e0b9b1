import { assertEquals, assertRejects } from "@std/assert";
import type { SNS } from "@aws-sdk/client-sns";
import { topicArn } from "../../rules/arn.ts";
import { manifestWith, startTestPlatform } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";

// The expectations are those of the API reference of Amazon SNS and of recordings of the service.

/** Makes a queue that has subscribed to the topic `news`. Returns a function that empties the queue. */
async function subscribeQueue(
  { developer: { sns, sqs } }: Awaited<ReturnType<typeof startServices>>,
  Attributes: Record<string, string> = {},
) {
  const name = `q${crypto.randomUUID()}`;
  const { QueueUrl } = await sqs.createQueue({ QueueName: name });
  const Endpoint = `arn:aws:sqs:us-east-1:000000000000:${name}`;
  const input = { TopicArn: topicArn("app-news"), Protocol: "sqs", Endpoint, Attributes };
  const { SubscriptionArn } = await sns.subscribe(input);
  return {
    SubscriptionArn: SubscriptionArn!,
    async messages() {
      const { Messages = [] } = await sqs.receiveMessage({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ["All"],
        MessageSystemAttributeNames: ["All"],
      });
      return Messages;
    },
  };
}

Deno.test("Amazon SNS refuses wrong values by their codes", async () => {
  await using test = await startServices();
  const { sns } = test.developer;
  const TopicArn = topicArn("app-news");
  const publish = (input: object) =>
    sns.publish({ TopicArn, Message: "m", ...input } as Parameters<SNS["publish"]>[0]);
  const attribute = (name: string, value: object) => ({ MessageAttributes: { [name]: value } });
  const batch = (...Ids: string[]) =>
    sns.publishBatch({
      TopicArn,
      PublishBatchRequestEntries: Ids.map((Id) => ({ Id, Message: "m" })),
    });
  const subscribe = (input: object) =>
    sns.subscribe({
      TopicArn,
      Protocol: "sqs",
      Endpoint: "arn:aws:sqs:us-east-1:000000000000:app-jobs",
      ...input,
    });
  const filter = (FilterPolicy: string, others = {}) =>
    subscribe({ Attributes: { FilterPolicy, ...others } });
  const value = "InvalidParameterValueException";
  const invalid = "InvalidParameterException";
  const table: [rule: string, error: string, call: () => Promise<unknown>][] = [
    ["empty message", invalid, () => publish({ Message: "" })],
    ["empty subject", invalid, () => publish({ Subject: "" })],
    ["long subject", invalid, () => publish({ Subject: "a".repeat(101) })],
    ["subject of two lines", invalid, () => publish({ Subject: "a\nb" })],
    ["long message", invalid, () => publish({ Message: "a".repeat(262_145) })],
    ["no ARN", invalid, () => publish({ TopicArn: "news" })],
    ["unknown topic", "NotFoundException", () => publish({ TopicArn: topicArn("no") })],
    ["two targets", invalid, () => publish({ TargetArn: TopicArn })],
    ["deduplication", invalid, () => publish({ MessageDeduplicationId: "a" })],
    ["structure", invalid, () => publish({ MessageStructure: "xml" })],
    ["no JSON", invalid, () => publish({ MessageStructure: "json" })],
    ["no default", invalid, () => publish({ MessageStructure: "json", Message: '{"sqs":"m"}' })],
    ["type", value, () => publish(attribute("a", { DataType: "Text", StringValue: "x" }))],
    ["no value", value, () => publish(attribute("a", { DataType: "String" }))],
    ["empty type", value, () => publish(attribute("a", { DataType: "", StringValue: "x" }))],
    // Members that the model requires are checked before all others: "Value null at … Member must not be null".
    ["no type", "ValidationError", () => publish(attribute("a", { StringValue: "x" }))],
    [
      "no type in a batch",
      "ValidationError",
      () =>
        sns.publishBatch({
          TopicArn,
          PublishBatchRequestEntries: [
            { Id: "a", Message: "m", MessageAttributes: { a: { DataType: undefined } } },
          ],
        }),
    ],
    [
      "value of another type",
      value,
      () => publish(attribute("a", { DataType: "String", BinaryValue: Uint8Array.of(1) })),
    ],
    ["phone", "NotImplemented", () => publish({ TopicArn: undefined, PhoneNumber: "+1" })],
    ["empty batch", "EmptyBatchRequestException", () => batch()],
    [
      "11 entries",
      "TooManyEntriesInBatchRequestException",
      () => batch(...Array.from({ length: 11 }, (_, index) => `${index}`)),
    ],
    ["id", "InvalidBatchEntryIdException", () => batch("a.b")],
    ["one id twice", "BatchEntryIdsNotDistinctException", () => batch("a", "a")],
    ["protocol", "NotImplemented", () => subscribe({ Protocol: "email" })],
    ["endpoint", invalid, () => subscribe({ Endpoint: "jobs" })],
    [
      "FIFO queue",
      invalid,
      () => subscribe({ Endpoint: "arn:aws:sqs:us-east-1:000000000000:app-ordered.fifo" }),
    ],
    ["filter without JSON", invalid, () => filter("{")],
    ["wrong filter", invalid, () => filter('{"a":"b"}')],
    ["nested filter", invalid, () => filter('{"a":{"b":[1]}}')],
    ["scope", invalid, () => filter("{}", { FilterPolicyScope: "Body" })],
    ["attribute", "NotImplemented", () => subscribe({ Attributes: { DeliveryPolicy: "{}" } })],
    [
      "FIFO topic",
      "NotImplemented",
      () => sns.createTopic({ Name: "t", Attributes: { FifoTopic: "true" } }),
    ],
    ["name of a topic", invalid, () => sns.createTopic({ Name: "a b" })],
    ["operation", "NotImplemented", () => sns.listPlatformApplications()],
  ];
  for (const [rule, name, call] of table) {
    const error = await assertRejects(call, Error, "", rule);
    assertEquals(error.name, name, `${rule}: ${error.message}`);
  }
});

Deno.test("Amazon SNS gives each protocol its own text, and functions their event", async () => {
  await using test = await startServices();
  const queue = await subscribeQueue(test);
  const raw = await subscribeQueue(test, { RawMessageDelivery: "true" });
  await test.developer.sns.publish({
    TopicArn: topicArn("app-news"),
    Message: '{"default":"d","sqs":"for queues","lambda":"for functions"}',
    MessageStructure: "json",
    Subject: "Grüße",
    MessageAttributes: {
      kind: { DataType: "String", StringValue: "order" },
      image: { DataType: "Binary", BinaryValue: Uint8Array.of(255) },
    },
  });
  const attributes = {
    kind: { Type: "String", Value: "order" },
    image: { Type: "Binary", Value: "/w==" },
  };
  const [message] = await queue.messages();
  const { Message, Subject, MessageAttributes, Type } = JSON.parse(message!.Body!);
  assertEquals([Message, Subject, MessageAttributes, Type], [
    "for queues",
    "Grüße",
    attributes,
    "Notification",
  ]);
  assertEquals(message!.MessageAttributes, undefined);
  const [plain] = await raw.messages();
  assertEquals(plain!.Body, "for queues");
  assertEquals(Object.keys(plain!.MessageAttributes!).sort(), ["image", "kind"]);
  await test.settled();
  const [{ Sns }] = test.calls[0]!.event.Records;
  assertEquals([Sns.Message, Sns.Subject], ["for functions", "Grüße"]);
  assertEquals(Sns.MessageAttributes, attributes);
});

Deno.test("Amazon SNS applies filter policies to attributes and to bodies, and changes them", async () => {
  await using test = await startServices();
  const { sns } = test.developer;
  const TopicArn = topicArn("app-news");
  const byAttribute = await subscribeQueue(test, { FilterPolicy: '{"kind":["order"]}' });
  const byBody = await subscribeQueue(test, {
    FilterPolicy: '{"order":{"price":[{"numeric":[">",5]}]}}',
    FilterPolicyScope: "MessageBody",
  });
  const kind = (StringValue: string) => ({ kind: { DataType: "String.Array", StringValue } });
  await sns.publish({ TopicArn, Message: "a", MessageAttributes: kind('["order","new"]') });
  await sns.publish({ TopicArn, Message: "b", MessageAttributes: kind('["offer"]') });
  await sns.publish({ TopicArn, Message: '{"order":{"price":6}}' });
  assertEquals((await byAttribute.messages()).length, 1);
  assertEquals((await byBody.messages()).length, 1);
  const { SubscriptionArn } = byAttribute;
  const change = { SubscriptionArn, AttributeName: "FilterPolicy" };
  await sns.setSubscriptionAttributes({ ...change, AttributeValue: '{"kind":["offer"]}' });
  await assertRejects(() => sns.setSubscriptionAttributes({ ...change, AttributeValue: "[]" }));
  await sns.publish({ TopicArn, Message: "b", MessageAttributes: kind('["offer"]') });
  assertEquals((await byAttribute.messages()).length, 1);
  await sns.unsubscribe({ SubscriptionArn });
  await sns.publish({ TopicArn, Message: "b", MessageAttributes: kind('["offer"]') });
  assertEquals(await byAttribute.messages(), []);
});

Deno.test("Amazon SNS answers each message of a batch", async () => {
  await using test = await startServices();
  const raw = await subscribeQueue(test, { RawMessageDelivery: "true" });
  const answer = await test.developer.sns.publishBatch({
    TopicArn: topicArn("app-news"),
    PublishBatchRequestEntries: [
      { Id: "a", Message: "m", MessageGroupId: "g" },
      { Id: "b", Message: "m", Subject: "a\nb" },
      { Id: "c", Message: '{"default":"d"}', MessageStructure: "json" },
    ],
  });
  assertEquals(answer.Successful?.map(({ Id }) => Id), ["a", "c"]);
  const failed = answer.Failed?.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]);
  assertEquals(failed, [["b", "InvalidParameter", true]]);
  const received = await raw.messages();
  assertEquals(received.map(({ Body }) => Body), ["m", "d"]);
  assertEquals(received.map(({ Attributes }) => Attributes?.MessageGroupId), ["g", undefined]);
  const Message = "m".repeat(140_000);
  const error = await assertRejects(() =>
    test.developer.sns.publishBatch({
      TopicArn: topicArn("app-news"),
      PublishBatchRequestEntries: ["a", "b"].map((Id) => ({ Id, Message })),
    }), Error);
  assertEquals(error.name, "BatchRequestTooLongException");
});

Deno.test("a function gets the messages that the filter of its manifest wants", async () => {
  const filter = { order: { price: [{ numeric: [">", 5] }] } };
  const topics = [{ name: "news", filter, filterScope: "body" }];
  const manifest = manifestWith({ worker: { module: "w.ts", triggers: { topics } } });
  await using test = await startTestPlatform(() => "{}", { manifest });
  for (const price of [5, 6]) {
    const body = JSON.stringify({ order: { price } });
    const headers = [["content-type", "text/plain"]] as const;
    await test.send({ method: "POST", path: "/topics/news", headers, body });
  }
  await test.platform.settled();
  const messages = test.host.calls.map(({ event }) => event.Records[0].Sns.Message);
  assertEquals(messages, ['{"order":{"price":6}}']);
});

Deno.test("Amazon SNS makes, lists and deletes topics and subscriptions", async () => {
  await using test = await startServices();
  const { sns } = test.developer;
  const { TopicArn } = await sns.createTopic({ Name: "more" });
  assertEquals((await sns.createTopic({ Name: "more" })).TopicArn, TopicArn);
  const { Topics } = await sns.listTopics();
  assertEquals(Topics?.map((topic) => topic.TopicArn), [topicArn("app-news"), TopicArn]);
  const Endpoint = "arn:aws:sqs:us-east-1:000000000000:app-jobs";
  const Attributes = { FilterPolicy: '{"a":["b"]}' };
  const input = { TopicArn, Protocol: "sqs", Endpoint, Attributes };
  const { SubscriptionArn } = await sns.subscribe(input);
  assertEquals((await sns.subscribe(input)).SubscriptionArn, SubscriptionArn);
  // Without attributes the subscription stays, and with others the service refuses the request.
  assertEquals(
    (await sns.subscribe({ ...input, Attributes: {} })).SubscriptionArn,
    SubscriptionArn,
  );
  const defaults = { RawMessageDelivery: "false", FilterPolicyScope: "MessageAttributes" };
  assertEquals(
    (await sns.subscribe({ ...input, Attributes: defaults })).SubscriptionArn,
    SubscriptionArn,
  );
  for (const others of [{ RawMessageDelivery: "true" }, { FilterPolicy: '{"a":["c"]}' }]) {
    const error = await assertRejects(() => sns.subscribe({ ...input, Attributes: others }), Error);
    assertEquals([error.name, error.message], [
      "InvalidParameterException",
      "Invalid parameter: Attributes Reason: Subscription already exists with different attributes",
    ]);
  }
  const { Subscriptions } = await sns.listSubscriptionsByTopic({ TopicArn });
  assertEquals(Subscriptions?.map((one) => [one.Endpoint, one.Protocol]), [[Endpoint, "sqs"]]);
  const read = () => sns.getSubscriptionAttributes({ SubscriptionArn });
  const { Attributes: own } = await read();
  assertEquals([own?.FilterPolicy, own?.RawMessageDelivery], ['{"a":["b"]}', "false"]);
  await sns.deleteTopic({ TopicArn });
  const error = await assertRejects(read, Error);
  assertEquals(error.name, "NotFoundException");
});

Deno.test("Amazon SNS answers malformed requests with its own errors", async () => {
  await using test = await startServices();
  const publish = `Action=Publish&TopicArn=${topicArn("app-news")}`;
  const table = [
    ["", "NotImplemented", 501],
    ["Action=DeleteEverything", "NotImplemented", 501],
    ["Action=__proto__", "NotImplemented", 501],
    [`${publish}&Message=a&Message=b`, "InvalidParameter", 400],
    [`${publish}&Action=DeleteTopic`, "InvalidParameter", 400],
    [`${publish}&Message=m&Other=1`, "NotImplemented", 501],
    [`${publish}&Message.a=m`, "InvalidParameter", 400],
    [`${publish}&Message=m&MessageAttributes.entry.x.Name=a`, "InvalidParameter", 400],
    [`${publish}&Message=m&MessageAttributes.entry=a`, "InvalidParameter", 400],
    [`${publish}&Message=m&MessageAttributes.entry.1.Name=a`, "ValidationError", 400],
    [`${publish}&Message=m&MessageAttributes.entry.1=a`, "InvalidParameter", 400],
    ["Action=Publish&Message=m", "InvalidParameter", 400],
    [
      `Action=PublishBatch&TopicArn=${
        topicArn("app-news")
      }&PublishBatchRequestEntries.member.1.Id=a` +
      "&PublishBatchRequestEntries.member.1.Other=1",
      "NotImplemented",
      501,
    ],
  ] as const;
  for (const [body, code, status] of table) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await fetch(test.url, { method: "POST", headers, body });
    const [, found] = /<Code>(.*)<\/Code>/.exec(await response.text()) ?? [];
    assertEquals([found, response.status], [code, status], body);
  }
  assertEquals(test.log.after(0), []);
});

Deno.test("Amazon SNS reads a list by the numbers of its members, also if there are ten", async () => {
  await using test = await startServices();
  const form = new URLSearchParams({ Action: "PublishBatch", TopicArn: topicArn("app-news") });
  const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const number of numbers.toReversed()) {
    form.set(`PublishBatchRequestEntries.member.${number}.Id`, `id${number}`);
    form.set(`PublishBatchRequestEntries.member.${number}.Message`, `${number}`);
  }
  const text = await (await fetch(test.url, { method: "POST", body: form })).text();
  const ids = [...text.matchAll(/<Id>(\w+)<\/Id>/g)].map(([, id]) => id);
  assertEquals(ids, numbers.map((number) => `id${number}`));
});
