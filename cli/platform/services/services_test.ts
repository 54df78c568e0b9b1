import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { PublishCommand } from "@aws-sdk/client-sns";
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { FnMessageEvent } from "@mate/core/topic";
import { startServices } from "../../testdata/services.ts";
import { topicArn } from "../arn.ts";
import { pollEventSources } from "./event_sources.ts";
import { deadLetterQueueName } from "./messaging.ts";
import { pollQueue } from "./queue_poller.ts";

Deno.test("A message that fails goes to the dead-letter queue after its retries", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: "jobs" }));
  assertStringIncludes(QueueUrl!, `${test.services.url}/`);
  await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: ["good", "bad"].map((MessageBody, index) => ({ Id: `${index}`, MessageBody })),
    }),
  );
  const end = new AbortController();
  const tries: string[] = [];
  const notes: string[] = [];
  const polling = pollQueue(
    test.messaging,
    { queue: "jobs", batch: 10, window: 0, concurrency: 1, retries: 1, functionName: "worker" },
    (event) => {
      const { Records } = event as { Records: { messageId: string; body: string }[] };
      tries.push(...Records.map(({ body }) => body));
      const failed = Records.filter(({ body }) => body === "bad");
      return Promise.resolve({
        batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })),
      });
    },
    (text) => notes.push(text),
    end.signal,
  );
  const { QueueUrl: dead } = await sqs.send(
    new GetQueueUrlCommand({ QueueName: deadLetterQueueName("jobs", test.manifest) }),
  );
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: dead, WaitTimeSeconds: 10 }),
  );
  end.abort();
  await polling;
  assertEquals(Messages?.map(({ Body }) => Body), ["bad"]);
  assertEquals(tries.sort(), ["bad", "bad", "good"]);
  const { MessageId } = Messages![0]!;
  assertEquals(notes, [
    `Gave up the message ${MessageId} of "jobs" after 2 attempts: it goes to the dead-letter queue`,
  ]);
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] }),
  );
  assertEquals(Attributes, { ApproximateNumberOfMessages: "0" });
});

Deno.test("A batch counts as failed if its report is malformed", async () => {
  for (
    const result of [
      undefined,
      { batchItemFailures: "all" },
      { batchItemFailures: [{ itemIdentifier: "" }] },
      { batchItemFailures: [{ id: "1" }] },
    ]
  ) {
    await using test = await startServices();
    const { sqs } = test.developer;
    const QueueUrl = `${test.services.url}/000000000000/jobs`;
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "work" }));
    const end = new AbortController();
    let count = 0;
    const notes: string[] = [];
    await pollQueue(
      test.messaging,
      { queue: "jobs", batch: 10, window: 0, concurrency: 1, retries: 9, functionName: "worker" },
      () => {
        if (++count === 2) end.abort();
        return Promise.resolve(result);
      },
      (text) => notes.push(text),
      end.signal,
    );
    assertEquals(count, 2, JSON.stringify(result));
    const note = 'Malformed result of "worker": expected { "batchItemFailures": ';
    assertEquals(notes.map((text) => text.startsWith(note)), result ? [true, true] : []);
  }
});

Deno.test("A topic invokes a function with the messages that pass its filter", async () => {
  await using test = await startServices();
  const { sns } = test.developer;
  const end = new AbortController();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const polling = pollEventSources({
    note() {},
    manifest: test.manifest,
    messaging: test.messaging,
    invoke: () => Promise.resolve(),
    invokeAsync: (_name, event) => resolve(event),
    signal: end.signal,
  });
  for (const kind of ["refund", "order"]) {
    await sns.send(
      new PublishCommand({
        TopicArn: topicArn("news"),
        Message: `a ${kind}`,
        MessageAttributes: { kind: { DataType: "String", StringValue: kind } },
      }),
    );
  }
  const record = new FnMessageEvent(await promise);
  end.abort();
  await polling;
  assertEquals(
    [record.message(), record.subject(), record.messageAttributes(), record.topicArn()],
    ["a order", null, { kind: { Type: "String", Value: "order" } }, topicArn("news")],
  );
  assertStringIncludes(record.signingCertUrl(), "http");
});

Deno.test("PutEvents invokes the functions whose pattern matches, and reports malformed entries", async () => {
  await using test = await startServices();
  const answer = await test.developer.events.send(
    new PutEventsCommand({
      Entries: [
        { Source: "shop", DetailType: "Sold", Detail: '{"price":5}' },
        { Source: "other", DetailType: "Sold", Detail: "{}" },
        { Source: "shop", DetailType: "Sold", Detail: "[]" },
      ],
    }),
  );
  assertEquals(answer.FailedEntryCount, 1);
  assertEquals(answer.Entries?.map(({ ErrorCode }) => ErrorCode), [
    undefined,
    undefined,
    "MalformedDetail",
  ]);
  const [[name, event]] = test.invoked as [[string, Record<string, unknown>]];
  assertEquals([test.invoked.length, name, event.detail], [1, "worker", { price: 5 }]);
});

Deno.test("A function may do what its manifest grants, and nothing else", async () => {
  await using test = await startServices({ buckets: { files: "read" }, queues: { jobs: "send" } });
  const { s3, sqs, sns, events } = test.worker;
  const QueueUrl = `${test.services.url}/000000000000/jobs`;
  const TopicArn = topicArn("news");
  await test.developer.s3.send(new PutObjectCommand({ Bucket: "files", Key: "a", Body: "A" }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: "files", Key: "a" }));
  assertEquals(await Body!.transformToString(), "A");
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "work" }));
  const denied: Record<string, () => Promise<unknown>> = {
    "s3:PutObject": () => s3.send(new PutObjectCommand({ Bucket: "files", Key: "a", Body: "" })),
    "s3:DeleteObject": () => s3.send(new DeleteObjectCommand({ Bucket: "files", Key: "a" })),
    "sqs:ReceiveMessage": () => sqs.send(new ReceiveMessageCommand({ QueueUrl })),
    "sns:Publish": () => sns.send(new PublishCommand({ TopicArn, Message: "Hello" })),
    "events:PutEvents": () => events.send(new PutEventsCommand({ Entries: [] })),
  };
  for (const [action, call] of Object.entries(denied)) {
    await assertRejects(call, Error, `The function "worker" may not ${action} on arn:`);
  }
});

Deno.test("A function cannot pass for the developer by other credentials", async () => {
  await using test = await startServices();
  const response = await fetch(`${test.environment.AWS_ENDPOINT_URL}/files?list-type=2`);
  assertEquals([response.status, await response.text()], [403, "Unknown access key"]);
});

Deno.test("A function cannot reach one service by the signature of another", async () => {
  await using test = await startServices({ queues: { jobs: "send" } });
  const publish = `Action=Publish&TopicArn=${topicArn("news")}&Message=Hello`;
  const both = JSON.stringify({ QueueUrl: "x/jobs", other: `&${publish}&rest=` });
  for (const body of [publish, both]) {
    const response = await fetch(test.environment.AWS_ENDPOINT_URL!, {
      method: "POST",
      headers: {
        authorization:
          `AWS4-HMAC-SHA256 Credential=${test.environment.AWS_ACCESS_KEY_ID}/20260101/us-east-1/sqs/aws4_request`,
        "content-type": "application/x-www-form-urlencoded",
        "x-amz-target": "AmazonSQS.SendMessage",
      },
      body,
    });
    assertEquals(response.ok, false, await response.text());
  }
});

Deno.test("Services refuse other hosts, web pages and services that are not emulated", async () => {
  await using test = await startServices();
  const { url } = test.services;
  const table: [Record<string, string>, number][] = [
    [{ host: "evil.example" }, 421],
    [{ origin: "http://localhost:8000" }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ "x-amz-target": "DynamoDB_20120810.GetItem" }, 501],
    [{ "x-amz-target": "AmazonSQS.ListQueues", "transfer-encoding": "chunked" }, 413],
  ];
  for (const [headers, status] of table) {
    const response = await send(`${url}/`, headers);
    assertEquals(response, status, JSON.stringify(headers));
  }
});

/** Sends a request whose headers may be those that `fetch` reserves for itself. */
async function send(url: string, headers: Record<string, string>): Promise<number> {
  const { request } = await import("node:http");
  return await new Promise((resolve, reject) => {
    request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).on("error", reject).end("{}");
  });
}
