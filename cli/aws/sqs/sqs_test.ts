import { assertEquals, assertRejects } from "@std/assert";
import type { SQS } from "@aws-sdk/client-sqs";
import { setTimeout as pause } from "node:timers/promises";
import { startServices } from "../../testdata/services.ts";

// The expectations are those of the API reference of Amazon SQS and of recordings of the service.

/** Makes a queue. Returns its URL. */
async function makeQueue(sqs: SQS, name: string, Attributes: Record<string, string> = {}) {
  const fifo = name.endsWith(".fifo") && { FifoQueue: "true" };
  const input = { QueueName: name, Attributes: { ...fifo, ...Attributes } };
  return (await sqs.createQueue(input)).QueueUrl!;
}

async function receive(sqs: SQS, QueueUrl: string, options = {}) {
  const { Messages = [] } = await sqs.receiveMessage({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ["All"],
    MessageAttributeNames: ["All"],
    ...options,
  });
  return Messages;
}

const bodies = (messages: readonly { Body?: string | undefined }[]) =>
  messages.map(({ Body }) => Body);

Deno.test("Amazon SQS refuses wrong values by their names", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard", { MaximumMessageSize: "1024" });
  const fifo = await makeQueue(sqs, "ordered-too.fifo");
  const send = (input: object) =>
    sqs.sendMessage({ QueueUrl, MessageBody: "m", ...input } as Parameters<SQS["sendMessage"]>[0]);
  const attribute = (name: string, value: object) => ({ MessageAttributes: { [name]: value } });
  const many = Object.fromEntries(
    Array.from({ length: 11 }, (_, i) => [`a${i}`, { DataType: "String", StringValue: "x" }]),
  );
  const value = "InvalidParameterValue";
  const missing = "MissingParameter";
  const table: [rule: string, error: string, call: () => Promise<unknown>][] = [
    ["empty body", missing, () => send({ MessageBody: "" })],
    ["control character", "InvalidMessageContents", () => send({ MessageBody: "a\u0001" })],
    ["too long", value, () => send({ MessageBody: "a".repeat(1025) })],
    ["delay", value, () => send({ DelaySeconds: 901 })],
    ["negative delay", value, () => send({ DelaySeconds: -1 })],
    ["11 attributes", value, () => send({ MessageAttributes: many })],
    ["other type", value, () => send(attribute("a", { DataType: "Text", StringValue: "x" }))],
    [
      "list values",
      "UnsupportedOperation",
      () => send(attribute("a", { DataType: "String", StringListValues: ["x"] })),
    ],
    ["group", value, () => send({ MessageGroupId: "a b" })],
    ["deduplication of a standard queue", value, () => send({ MessageDeduplicationId: "a" })],
    ["no group", missing, () => send({ QueueUrl: fifo, MessageDeduplicationId: "a" })],
    ["no deduplication", value, () => send({ QueueUrl: fifo, MessageGroupId: "a" })],
    [
      "delay in a FIFO queue",
      value,
      () =>
        send({ QueueUrl: fifo, MessageGroupId: "a", MessageDeduplicationId: "a", DelaySeconds: 1 }),
    ],
    ["count", value, () => receive(sqs, QueueUrl, { MaxNumberOfMessages: 11 })],
    ["count of 0", value, () => receive(sqs, QueueUrl, { MaxNumberOfMessages: 0 })],
    ["wait", value, () => receive(sqs, QueueUrl, { WaitTimeSeconds: 21 })],
    ["visibility", value, () => receive(sqs, QueueUrl, { VisibilityTimeout: 43_201 })],
    [
      "unknown system attribute",
      "InvalidAttributeName",
      () => receive(sqs, QueueUrl, { MessageSystemAttributeNames: ["No"] }),
    ],
    ["handle", "ReceiptHandleIsInvalid", () => sqs.deleteMessage({ QueueUrl, ReceiptHandle: "x" })],
    ["unknown queue", "QueueDoesNotExist", () => receive(sqs, `${QueueUrl}-not`)],
    ["unknown name", "QueueDoesNotExist", () => sqs.getQueueUrl({ QueueName: "no" })],
    [
      "unknown attribute",
      "InvalidAttributeName",
      () => sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["No" as "All"] }),
    ],
    ["name of a queue", value, () => makeQueue(sqs, "a b")],
    [
      "other attributes",
      "QueueNameExists",
      () => makeQueue(sqs, "standard", { DelaySeconds: "1" }),
    ],
    ["range", "InvalidAttributeValue", () => makeQueue(sqs, "x", { DelaySeconds: "901" })],
    ["FIFO attribute", "InvalidAttributeName", () => makeQueue(sqs, "x", { FifoQueue: "false" })],
    [
      "redrive to another kind",
      value,
      () =>
        makeQueue(sqs, "x", {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:ordered-too.fifo",
            maxReceiveCount: 1,
          }),
        }),
    ],
    [
      "redrive to another region",
      value,
      () =>
        makeQueue(sqs, "x", {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:standard",
            maxReceiveCount: 1,
          }),
        }),
    ],
    [
      "queue of another account",
      "QueueDoesNotExist",
      () => sqs.getQueueUrl({ QueueName: "standard", QueueOwnerAWSAccountId: "999999999999" }),
    ],
    ["not emulated", "NotImplemented", () => makeQueue(sqs, "x", { Policy: "{}" })],
    ["not emulated", "NotImplemented", () => sqs.listQueueTags({ QueueUrl })],
    [
      "not emulated",
      "NotImplemented",
      () => receive(sqs, QueueUrl, { ReceiveRequestAttemptId: "a" }),
    ],
    ["empty batch", "EmptyBatchRequest", () => sqs.sendMessageBatch({ QueueUrl, Entries: [] })],
    [
      "batch with one id twice",
      "BatchEntryIdsNotDistinct",
      () =>
        sqs.deleteMessageBatch({
          QueueUrl,
          Entries: [{ Id: "a", ReceiptHandle: "x" }, { Id: "a", ReceiptHandle: "x" }],
        }),
    ],
    [
      "long batch",
      "BatchRequestTooLong",
      () =>
        sqs.sendMessageBatch({
          QueueUrl,
          Entries: ["a", "b"].map((Id) => ({ Id, MessageBody: "m".repeat(524_289) })),
        }),
    ],
    [
      "other system attribute",
      value,
      () =>
        send({
          MessageSystemAttributes: { Other: { DataType: "String", StringValue: "x" } },
        }),
    ],
  ];
  const { a10: _, ...ten } = many;
  await send({ MessageAttributes: ten });
  await receive(sqs, QueueUrl, { AttributeNames: ["VisibilityTimeout"] });
  for (const [rule, name, call] of table) {
    const error = await assertRejects(call, Error, "", rule);
    assertEquals(error.name, name, `${rule}: ${error.message}`);
  }
});

Deno.test("Amazon SQS answers each entry of a batch, and refuses entries alone", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard", { MaximumMessageSize: "1024" });
  const attribute = { DataType: "String", StringValue: "x" };
  const { Successful, Failed } = await sqs.sendMessageBatch({
    QueueUrl,
    Entries: [
      { Id: "a", MessageBody: "m" },
      { Id: "b", MessageBody: "m".repeat(1025) },
      { Id: "c", MessageBody: undefined },
      { Id: "d", MessageBody: "m", MessageAttributes: { "AWS.x": attribute } },
    ],
  });
  assertEquals(Successful?.map(({ Id }) => Id), ["a"]);
  assertEquals(Failed?.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]), [
    ["b", "InvalidParameterValue", true],
    ["c", "MissingParameter", true],
    ["d", "InvalidParameterValue", true],
  ]);
  const Entries = ["a", "b"].map((Id) => ({ Id, MessageBody: "m".repeat(524_288) }));
  const large = await makeQueue(sqs, "large");
  assertEquals((await sqs.sendMessageBatch({ QueueUrl: large, Entries })).Failed, []);
  const deleted = await sqs.deleteMessageBatch({
    QueueUrl,
    Entries: [{ Id: "x", ReceiptHandle: "nonsense" }],
  });
  assertEquals(deleted.Failed?.map(({ Code }) => Code), ["ReceiptHandleIsInvalid"]);
  const twice = ["a", "b", "b"].map((Id) => ({ Id, ReceiptHandle: "x" }));
  const call = () => sqs.deleteMessageBatch({ QueueUrl, Entries: twice });
  await assertRejects(call, Error, "Id b repeated.");
});

Deno.test("Amazon SQS returns only the attributes that a client asks for, with their digest", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard", { VisibilityTimeout: "0" });
  const AWSTraceHeader = "Root=1-5759e988-bd862e3fe1be46a994272793";
  await sqs.sendMessage({
    QueueUrl,
    MessageBody: "m",
    MessageAttributes: {
      "order.id": { DataType: "Number.int", StringValue: "7" },
      image: { DataType: "Binary", BinaryValue: Uint8Array.of(255) },
    },
    MessageSystemAttributes: {
      AWSTraceHeader: { DataType: "String", StringValue: AWSTraceHeader },
    },
  }); // The client compares the digests of the answer with its own.
  const table: [names: string[], expected: string[]][] = [
    [[], []],
    [["image"], ["image"]],
    [["order.*"], ["order.id"]],
    [["All"], ["image", "order.id"]],
    [["other"], []],
  ];
  for (const [MessageAttributeNames, expected] of table) {
    const [message] = await receive(sqs, QueueUrl, { MessageAttributeNames });
    assertEquals(Object.keys(message!.MessageAttributes ?? {}).sort(), expected);
    assertEquals("MD5OfMessageAttributes" in message!, expected.length > 0);
    assertEquals(message!.Attributes?.AWSTraceHeader, AWSTraceHeader);
  }
  const [message] = await receive(sqs, QueueUrl, { MessageSystemAttributeNames: [] });
  assertEquals(message!.Attributes, undefined);
});

Deno.test("a FIFO queue keeps the order of a group, and hands a group out as a batch", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "line.fifo", { ContentBasedDeduplication: "true" });
  for (
    const [MessageGroupId, MessageBody] of [["a", "a1"], ["b", "b1"], ["a", "a2"], ["a", "a2"]]
  ) {
    await sqs.sendMessage({ QueueUrl, MessageGroupId, MessageBody });
  }
  const [first, ...others] = await receive(sqs, QueueUrl, { MaxNumberOfMessages: 1 });
  assertEquals([first!.Body, others], ["a1", []]);
  // The second message of the group waits for the first one.
  assertEquals(bodies(await receive(sqs, QueueUrl)), ["b1"]);
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: first!.ReceiptHandle });
  assertEquals(bodies(await receive(sqs, QueueUrl)), ["a2"]);
  await sqs.sendMessage({ QueueUrl, MessageGroupId: "c", MessageBody: "c1" });
  await sqs.sendMessage({ QueueUrl, MessageGroupId: "c", MessageBody: "c2" });
  assertEquals(bodies(await receive(sqs, QueueUrl)), ["c1", "c2"]);
});

Deno.test("a message goes to the dead-letter queue after the last attempt", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const dead = await makeQueue(sqs, "dead");
  const deadLetterTargetArn = "arn:aws:sqs:us-east-1:000000000000:dead";
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 });
  const QueueUrl = await makeQueue(sqs, "alive", { RedrivePolicy, VisibilityTimeout: "0" });
  const { MessageId } = await sqs.sendMessage({ QueueUrl, MessageBody: "m" });
  for (const count of [1, 1, 0]) assertEquals((await receive(sqs, QueueUrl)).length, count);
  const [message] = await receive(sqs, dead);
  assertEquals(message!.MessageId, MessageId);
  assertEquals(message!.Attributes?.ApproximateReceiveCount, "3");
  assertEquals(message!.Attributes?.DeadLetterQueueSourceArn?.endsWith(":alive"), true);
});

Deno.test("a receiver that waits gets a message as soon as it is sent", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard");
  const waiting = receive(sqs, QueueUrl, { WaitTimeSeconds: 20 });
  await sqs.sendMessage({ QueueUrl, MessageBody: "m" });
  const [message] = await waiting;
  assertEquals(message!.Body, "m");
  const { ReceiptHandle } = message!;
  assertEquals(await receive(sqs, QueueUrl), []);
  const again = receive(sqs, QueueUrl, { WaitTimeSeconds: 20 });
  await sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  assertEquals(bodies(await again), ["m"]);
});

Deno.test("a client that has gone away takes no message from its wait", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard");
  // The client of the SDK on Deno sometimes throws in the background if a request is aborted.
  const aborting = new AbortController();
  const waits = Array.from({ length: 5 }, () =>
    fetch(test.url, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.ReceiveMessage" },
      body: JSON.stringify({ QueueUrl, WaitTimeSeconds: 20 }),
      signal: aborting.signal,
    }));
  const responses = await Promise.all(waits); // The head of an answer comes at once, its body after the wait.
  aborting.abort();
  for (const response of responses) await assertRejects(() => response.text(), DOMException);
  await pause(500); // Until the platform has seen the end of the connections.
  for (let times = 0; times < 5; times++) {
    await sqs.sendMessage({ QueueUrl, MessageBody: `${times}` });
    const [message] = await receive(sqs, QueueUrl);
    assertEquals(message?.Body, `${times}`);
    assertEquals(message!.Attributes?.ApproximateReceiveCount, "1");
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: message!.ReceiptHandle });
  }
});

// DeleteMessage: "you must provide the most recently received ReceiptHandle for the message (otherwise, the request
// succeeds, but the message will not be deleted)". The recording sqs/change-visibility-after-timeout has the other half:
// the latest handle works after its time, too.
Deno.test("an old receipt handle of a standard queue does nothing to a message that another receiver holds", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "standard");
  await sqs.sendMessage({ QueueUrl, MessageBody: "m" });
  const [old] = await receive(sqs, QueueUrl, { VisibilityTimeout: 0 });
  const [held] = await receive(sqs, QueueUrl);
  const { ReceiptHandle } = old!;
  const change = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
  const error = await assertRejects(() => sqs.changeMessageVisibility(change), Error);
  assertEquals(error.name, "InvalidParameterValue");
  const { Failed } = await sqs.changeMessageVisibilityBatch({
    QueueUrl,
    Entries: [{ Id: "a", ReceiptHandle, VisibilityTimeout: 0 }],
  });
  assertEquals(Failed?.map(({ Code }) => Code), ["InvalidParameterValue"]);
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
  assertEquals(await receive(sqs, QueueUrl), [], "it is held still");
  await sqs.changeMessageVisibility({ ...change, ReceiptHandle: held!.ReceiptHandle });
  assertEquals(bodies(await receive(sqs, QueueUrl)), ["m"]);
});

Deno.test("a queue that is its own dead-letter queue loses no message, nor do two queues in a circle", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
  const redrive = async (QueueUrl: string, target: string) => {
    const policy = { deadLetterTargetArn: arnOf(target), maxReceiveCount: 2 };
    const Attributes = { RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: "0" };
    await sqs.setQueueAttributes({ QueueUrl, Attributes });
  };
  const own = await makeQueue(sqs, "own");
  await redrive(own, "own");
  const [a, b] = [await makeQueue(sqs, "a"), await makeQueue(sqs, "b")];
  await redrive(a, "b");
  await redrive(b, "a");
  const { MessageId } = await sqs.sendMessage({ QueueUrl: own, MessageBody: "m" });
  for (let count = 1; count <= 5; count++) {
    const [message] = await receive(sqs, own);
    assertEquals(message?.MessageId, MessageId, `receipt ${count}`);
  }
  await sqs.sendMessage({ QueueUrl: a, MessageBody: "m" });
  const counts = [];
  for (const QueueUrl of [a, a, a, b, b, b, a, a, a, b]) {
    counts.push((await receive(sqs, QueueUrl)).length);
  }
  assertEquals(counts, [1, 1, 0, 1, 1, 0, 1, 1, 0, 1]);
});

Deno.test("the delay of a message replaces that of a standard queue, but not that of a FIFO queue", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const Attributes = { ContentBasedDeduplication: "true", DelaySeconds: "900" };
  for (const name of ["late.fifo", "late"]) {
    const isFifo = name.endsWith(".fifo");
    const QueueUrl = await makeQueue(sqs, name, isFifo ? Attributes : { DelaySeconds: "900" });
    await sqs.sendMessage({
      QueueUrl,
      MessageBody: "m",
      DelaySeconds: 0,
      ...(isFifo && { MessageGroupId: "g" }),
    });
    assertEquals((await receive(sqs, QueueUrl)).length, isFifo ? 0 : 1);
  }
  const QueueUrl = await makeQueue(sqs, "standard");
  await sqs.sendMessage({ QueueUrl, MessageBody: "m", DelaySeconds: 900 });
  assertEquals(await receive(sqs, QueueUrl), []);
});

Deno.test("Amazon SQS makes, changes, lists and empties queues", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "list-a", { DelaySeconds: "900" });
  assertEquals(await makeQueue(sqs, "list-a", { DelaySeconds: "900" }), QueueUrl);
  for (const name of ["list-c", "list-b"]) await makeQueue(sqs, name);
  assertEquals((await sqs.getQueueUrl({ QueueName: "list-a" })).QueueUrl, QueueUrl);
  assertEquals((await sqs.listQueues({})).QueueUrls?.includes(QueueUrl), true);
  assertEquals((await sqs.listQueues({ QueueNamePrefix: "none" })).QueueUrls, undefined);
  const options = { QueueNamePrefix: "list-", MaxResults: 2 };
  const { QueueUrls, NextToken } = await sqs.listQueues(options);
  const rest = await sqs.listQueues({ ...options, NextToken });
  const names = [...QueueUrls!, ...rest.QueueUrls!].map((url) => url.split("/").at(-1));
  assertEquals([names, rest.NextToken], [["list-a", "list-b", "list-c"], undefined]);
  await sqs.sendMessage({ QueueUrl, MessageBody: "m" });
  const attributes = async () =>
    (await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["All"] })).Attributes!;
  const { ApproximateNumberOfMessagesDelayed, QueueArn, MessageRetentionPeriod } =
    await attributes();
  assertEquals([ApproximateNumberOfMessagesDelayed, QueueArn, MessageRetentionPeriod], [
    "1",
    "arn:aws:sqs:us-east-1:000000000000:list-a",
    "345600",
  ]);
  assertEquals(await receive(sqs, QueueUrl), []);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: QueueArn, maxReceiveCount: 1 });
  for (const policy of [RedrivePolicy, ""]) {
    const Attributes = { VisibilityTimeout: "7", RedrivePolicy: policy };
    await sqs.setQueueAttributes({ QueueUrl, Attributes });
    const set = await attributes();
    assertEquals([set.VisibilityTimeout, set.RedrivePolicy], ["7", policy || undefined]);
  }
  const only = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["QueueArn"] });
  assertEquals(only.Attributes, { QueueArn: QueueArn! });
  assertEquals((await sqs.getQueueAttributes({ QueueUrl })).Attributes, undefined);
  await sqs.purgeQueue({ QueueUrl });
  assertEquals((await attributes()).ApproximateNumberOfMessagesDelayed, "0");
  const { name } = await assertRejects(() => sqs.purgeQueue({ QueueUrl }), Error);
  assertEquals(name, "PurgeQueueInProgress");
  await sqs.deleteQueue({ QueueUrl });
  await assertRejects(attributes, Error, "The specified queue does not exist.");
});

Deno.test("a FIFO queue knows a message again by its group only if it is told so", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  for (const [DeduplicationScope, count] of [["queue", 1], ["messageGroup", 2]] as const) {
    const QueueUrl = await makeQueue(sqs, `${DeduplicationScope}.fifo`, { DeduplicationScope });
    const sent = [];
    for (const MessageGroupId of ["a", "b"]) {
      const message = { QueueUrl, MessageBody: "m", MessageDeduplicationId: "d", MessageGroupId };
      sent.push((await sqs.sendMessage(message)).SequenceNumber);
    }
    assertEquals(new Set(sent).size, count);
    assertEquals((await receive(sqs, QueueUrl)).length, count);
  }
});

Deno.test("a receipt handle that has expired deletes nothing in a FIFO queue", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "line.fifo", { ContentBasedDeduplication: "true" });
  await sqs.sendMessage({ QueueUrl, MessageBody: "m", MessageGroupId: "g" });
  const [first] = await receive(sqs, QueueUrl, { VisibilityTimeout: 0 });
  const [second] = await receive(sqs, QueueUrl);
  const { ReceiptHandle } = first!;
  await assertRejects(() => sqs.deleteMessage({ QueueUrl, ReceiptHandle }), Error, "has expired");
  const change = { QueueUrl, ReceiptHandle, VisibilityTimeout: 5 };
  await assertRejects(() => sqs.changeMessageVisibility(change), Error, "is not available");
  const own = { QueueUrl, ReceiptHandle: second!.ReceiptHandle };
  for (let times = 0; times < 2; times++) await sqs.deleteMessage(own);
  const again = () => sqs.changeMessageVisibility({ ...own, VisibilityTimeout: 5 });
  await assertRejects(again, Error, "Message does not exist");
  const other = await makeQueue(sqs, "other");
  const error = await assertRejects(() => sqs.deleteMessage({ ...own, QueueUrl: other }), Error);
  assertEquals(error.name, "ReceiptHandleIsInvalid");
});

Deno.test("a message gets the trace header of its request if it has no other", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const QueueUrl = await makeQueue(sqs, "traced");
  const send = (input: object) =>
    fetch(test.url, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.SendMessage", "x-amzn-trace-id": root },
      body: JSON.stringify({ QueueUrl, MessageBody: "m", ...input }),
    });
  const root = "Root=1-5759e988-bd862e3fe1be46a994272793";
  const AWSTraceHeader = { DataType: "String", StringValue: "Root=2" };
  for (const input of [{}, { MessageSystemAttributes: { AWSTraceHeader } }]) {
    await (await send(input)).body?.cancel();
  }
  const headers = (await receive(sqs, QueueUrl)).map((one) => one.Attributes?.AWSTraceHeader);
  assertEquals(headers, [root, "Root=2"]);
});

const CODES: Readonly<Record<string, string>> = {
  MissingRequiredParameterException: "MissingParameter",
  InvalidParameterValueException: "InvalidParameterValue",
  InvalidBatchEntryId: "AWS.SimpleQueueService.InvalidBatchEntryId",
};

Deno.test("Amazon SQS answers malformed requests with its own errors", async () => {
  await using test = await startServices();
  const jobs = (members: object) => JSON.stringify({ QueueUrl: "/app-jobs", ...members });
  const withAttribute = (a: unknown) => jobs({ MessageBody: "m", MessageAttributes: { a } });
  const entry = { Id: "a", MessageBody: "m" };
  const table = [
    ["SendMessage", "{", "SerializationException", 400],
    ["SendMessage", "[]", "SerializationException", 400],
    ["SendMessage", "{}", "MissingRequiredParameterException", 400],
    ["SendMessage", '{"QueueUrl":5}', "SerializationException", 400],
    ["SendMessage", '{"QueueUrl":"http://x/a b"}', "InvalidAddress", 404],
    ["SendMessage", '{"QueueUrl":"http://x/999999999999/jobs"}', "InvalidAddress", 404],
    ["SendMessage", jobs({ MessageBody: {} }), "SerializationException", 400],
    ["SendMessage", jobs({ MessageBody: "m", Other: 1 }), "NotImplemented", 501],
    ["SendMessage", withAttribute(5), "SerializationException", 400],
    ["SendMessage", withAttribute({ DataType: 5 }), "SerializationException", 400],
    ["SendMessageBatch", jobs({ Entries: [null] }), "SerializationException", 400],
    ["SendMessageBatch", jobs({ Entries: [{ ...entry, Other: 1 }] }), "NotImplemented", 501],
    [
      "SendMessageBatch",
      jobs({ Entries: [entry, { MessageBody: "m" }] }),
      "InvalidBatchEntryId",
      400,
    ],
    ["ReceiveMessage", jobs({ WaitTimeSeconds: "1" }), "SerializationException", 400],
    ["ReceiveMessage", jobs({ AttributeNames: [1] }), "SerializationException", 400],
    ["ReceiveMessage", jobs({ MaxNumberOfMessages: 11 }), "InvalidParameterValueException", 400],
    ["ReceiveMessage", jobs({ WaitTimeSeconds: null }), undefined, 200],
    ["ChangeMessageVisibility", jobs({ ReceiptHandle: "x" }), "SerializationException", 400],
    [
      "CreateQueue",
      '{"QueueName":"a","Attributes":{"DelaySeconds":5}}',
      "SerializationException",
      400,
    ],
    ["__proto__", "{}", "NotImplemented", 501],
    ["AddPermission", "{}", "NotImplemented", 501],
  ] as const;
  for (const [operation, body, type, status] of table) {
    const headers = { "x-amz-target": `AmazonSQS.${operation}` };
    const response = await fetch(test.url, { method: "POST", headers, body });
    const { __type } = await response.json();
    assertEquals([__type?.split("#")[1], response.status], [type, status], `${operation} ${body}`);
    if (type === undefined) continue;
    // The recordings have both names of an error: the type of the model, and the code of the older protocol.
    const code = response.headers.get("x-amzn-query-error");
    const fault = status < 500 ? "Sender" : "Receiver";
    assertEquals(code, `${CODES[type] ?? type};${fault}`, `${operation} ${body}`);
  }
  assertEquals(test.log.after(0), []);
});
