import { Forwarding } from "./forwarding.ts";
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { APIGateway } from "@aws-sdk/client-api-gateway";
import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { IAM } from "@aws-sdk/client-iam";
import { S3 } from "@aws-sdk/client-s3";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { request } from "node:http";
import { AccessKeys } from "../aws/credentials.ts";
import { RecordedCalls } from "./traces/record_calls.ts";
import { Traces } from "./traces/traces.ts";
import { Tables } from "../aws/dynamodb/tables.ts";
import { createEventBus } from "../aws/events/event_bus.ts";
import { Messaging } from "../sources/messaging.ts";
import { createInvokeApi } from "../gateway/invoke_api.ts";
import { Log } from "../lambda/log.ts";
import { AsyncInvocations } from "../sources/async_invocations.ts";
import { FILES, manifestWith, TestHost } from "../testdata/platform.ts";
import { sendSigned, startServices } from "../testdata/services.ts";
import { topicArn } from "../rules/arn.ts";
import { MAX_MESSAGE } from "../rules/limits.ts";
import { Services } from "./services.ts";

Deno.test("Services answer the operations of the SQS client, and keep attributes", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const { QueueUrl } = await sqs.getQueueUrl({ QueueName: "app-jobs" });
  assertStringIncludes(QueueUrl!, `${new URL(test.url).origin}/`);
  const Entries = ["a", "b"].map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
  await sqs.sendMessageBatch({ QueueUrl, Entries });
  const MaxNumberOfMessages = 10;
  const { Messages } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages });
  assertEquals(Messages?.map(({ Body }) => Body).sort(), ["a", "b"]);
  const { ReceiptHandle } = Messages![0]!;
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
  const AttributeNames = ["ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes } = await sqs.getQueueAttributes({
    QueueUrl,
    AttributeNames: [...AttributeNames],
  });
  assertEquals(Attributes, { ApproximateNumberOfMessagesNotVisible: "1" });
  const tooLarge = { QueueUrl, MessageBody: "a".repeat(MAX_MESSAGE + 1) }; // for the queue in the account
  await assertRejects(() => sqs.sendMessage(tooLarge), Error, `shorter than ${MAX_MESSAGE} bytes`);
  await sqs.sendMessage({
    QueueUrl: `${QueueUrl!.replace("jobs", "ordered")}.fifo`,
    MessageGroupId: "a",
    MessageBody: "work",
    MessageAttributes: {
      n: { DataType: "Number.int", StringValue: "7" },
      image: { DataType: "Binary.png", BinaryValue: Uint8Array.of(255, 0) },
    },
  });
  await test.settled();
  const lists = { stringListValues: [], binaryListValues: [] };
  assertEquals(test.calls[0]!.event.Records[0].messageAttributes, {
    n: { stringValue: "7", dataType: "Number.int", ...lists },
    image: { binaryValue: "/wA=", dataType: "Binary.png", ...lists },
  });
});

Deno.test("PutEvents invokes the functions whose pattern matches, and reports wrong entries", async () => {
  await using test = await startServices();
  const entry = { Source: "shop", DetailType: "Sold", Detail: "{}" };
  const answer = await test.developer.events.putEvents({
    Entries: [
      { ...entry, Detail: '{"price":5}' },
      { ...entry, Source: "other" },
      { ...entry, EventBusName: "other" },
      { ...entry, Detail: "[]" },
      { ...entry, Source: "aws.s3" },
      { ...entry, Source: "a".repeat(257) },
      { ...entry, DetailType: "a".repeat(129) },
      { ...entry, DetailType: "" },
    ],
  });
  assertEquals(answer.FailedEntryCount, 5);
  assertEquals(answer.Entries?.map(({ ErrorCode }) => ErrorCode), [
    undefined,
    undefined,
    undefined,
    "MalformedDetail",
    "NotAuthorizedForSourceException",
    "InvalidArgument",
    "InvalidArgument",
    "InvalidArgument",
  ]);
  await test.settled();
  const invoked = test.calls.map(({ name, event }) => [name, event.detail]);
  assertEquals(invoked, [["worker", { price: 5 }]]);
});

Deno.test("Amazon EventBridge answers malformed requests with its own errors", async () => {
  await using test = await startServices();
  const entry = {
    Source: "shop",
    DetailType: "Sold",
    Detail: JSON.stringify({ a: "x".repeat(2e5) }),
  };
  const put = (...Entries: unknown[]) => JSON.stringify({ Entries });
  const table = [
    ["PutEvents", "{", "SerializationException", 400],
    ["PutEvents", "null", "ValidationException", 400],
    ["PutEvents", put(), "ValidationException", 400],
    ["PutEvents", put(...Array.from({ length: 11 }, () => ({}))), "ValidationException", 400],
    ["PutEvents", put(5), "SerializationException", 400],
    ["PutEvents", put({ Source: 5 }), "ValidationException", 400],
    ["PutEvents", put({ Time: 1e300 }), "ValidationException", 400],
    ["PutEvents", put({ Resources: [5] }), "ValidationException", 400],
    ["PutEvents", put({ Other: 5 }), "NotImplemented", 501],
    ["PutEvents", put(entry, entry), "ValidationException", 400],
    ["PutEvents", '{"EndpointId":"a","Entries":[]}', "NotImplemented", 501],
    ["PutRule", "{}", "NotImplemented", 501],
  ] as const;
  for (const [operation, body, type, status] of table) {
    const headers = { "x-amz-target": `AWSEvents.${operation}` };
    const response = await fetch(test.url, { method: "POST", headers, body });
    const { __type } = await response.json();
    assertEquals([__type, response.status], [type, status], `${operation} ${body.slice(0, 80)}`);
  }
});

Deno.test("a function may use the services only as its manifest grants it", async () => {
  await using test = await startServices({
    buckets: { files: "read", photos: "read-write" },
    queues: { jobs: "send", ordered: "send" },
  });
  const { s3, sqs, sns, events } = test.worker;
  const QueueUrl = `${test.url}/000000000000/app-jobs`;
  const TopicArn = topicArn("app-news");
  await test.developer.s3.putObject({ Bucket: FILES, Key: "a", Body: "A" });
  const { Body } = await s3.getObject({ Bucket: FILES, Key: "a" });
  assertEquals(await Body!.transformToString(), "A");
  await s3.putObject({ Bucket: FILES.replace("files", "photos"), Key: "a", Body: "A" });
  await sqs.sendMessageBatch({ QueueUrl, Entries: [{ Id: "1", MessageBody: "work" }] });
  const fifo = { QueueUrl: `${QueueUrl.replace("jobs", "ordered")}.fifo`, MessageGroupId: "a" };
  await sqs.sendMessage({ ...fifo, MessageBody: "work" });
  const denied: Record<string, () => Promise<unknown>> = {
    "s3:PutObject": () => s3.putObject({ Bucket: FILES, Key: "a", Body: "" }),
    "s3:DeleteObject": () => s3.deleteObject({ Bucket: FILES, Key: "a" }),
    "sqs:ReceiveMessage": () => sqs.receiveMessage({ QueueUrl }),
    "sns:Publish": () => sns.publish({ TopicArn, Message: "Hello" }),
    "events:PutEvents": () =>
      events.putEvents({ Entries: [{ Source: "shop", DetailType: "Sold", Detail: "{}" }] }),
  };
  for (const [action, call] of Object.entries(denied)) {
    await assertRejects(call, Error, `The function "worker" may not ${action} on arn:`);
  }
});

Deno.test("a function may invoke a function URL if a statement grants it, and the developer always may", async () => {
  for (const Action of ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"]) {
    const statements = [{ Effect: "Allow", Action, Resource: "*" }];
    const page = { module: "p.ts", triggers: { url: { auth: "iam" } } };
    const manifest = manifestWith({ worker: { module: "w.ts", statements }, page });
    const application = resolveApplication(manifest, LOCAL);
    const [keys, note] = [new AccessKeys(), () => {}];
    const host = new TestHost(() => "{}");
    using asyncInvocations = new AsyncInvocations(host, new Log());
    using messaging = new Messaging(application, "/no such folder", note);
    await using services = new Services({
      application,
      keys,
      buckets: new Map(),
      messaging,
      forwarding: new Forwarding({}, { login: undefined, emulators: new Map(), ownPorts: [] }),
      eventBus: createEventBus(application.rules, note, note),
      invokeApi: createInvokeApi(application, host, asyncInvocations),
      tables: () => Tables.open(application.tables),
      recorded: new RecordedCalls(application, new Traces(), () => undefined),
      note,
    });
    assertEquals(
      services.mayInvokeUrl(keys.of("worker").accessKeyId, "page"),
      Action.endsWith("Url"),
    );
    assertEquals(services.mayInvokeUrl("me", "page"), true);
  }
});

Deno.test("a function without the session token of its access key reaches no service", async () => {
  await using test = await startServices({ buckets: { files: "read" } });
  const { credentials: { sessionToken, ...keys }, ...config } = test.clientConfig("worker");
  const list = async (sessionToken?: string) => {
    const s3 = new S3({ ...config, credentials: { ...keys, ...sessionToken && { sessionToken } } });
    const answer = await s3.listObjectsV2({ Bucket: FILES }).then(() => "", ({ name }) => name);
    s3.destroy();
    return answer;
  };
  assertEquals(await list(sessionToken), "");
  assertEquals(await list(`${sessionToken}of-a-sandbox`), "", "the token of a sandbox");
  const { AWS_SESSION_TOKEN } = test.environment;
  for (const wrong of [undefined, "none", AWS_SESSION_TOKEN!.slice(0, -1)]) {
    assertEquals(await list(wrong), "InvalidToken", wrong);
  }
});

Deno.test("a function without its credentials reaches no service", async () => {
  await using test = await startServices();
  const response = await fetch(`${test.environment.AWS_ENDPOINT_URL}/${FILES}?list-type=2`);
  assertEquals(response.status, 403);
  assertStringIncludes(await response.text(), "<Code>AccessDenied</Code>");
});

Deno.test("a function cannot reach one service by the signature of another", async () => {
  const publish = `Action=Publish&TopicArn=${topicArn("app-news")}`;
  const QueueUrl = "http://localhost/000000000000/app-jobs";
  const toQueue = JSON.stringify({ QueueUrl, MessageBody: "Hello", other: `&${publish}&rest=` });
  const toTopic = JSON.stringify({ QueueUrl, other: `&${publish}&Message=Hello&rest=` });
  const cases = [
    ["sqs", { queues: { jobs: "send" } }, `${publish}&Message=Hello`],
    ["sqs", { queues: { jobs: "send" } }, toTopic],
    ["sns", { topics: { news: "publish" } }, toQueue],
  ] as const;
  for (const [service, uses, body] of cases) {
    await using test = await startServices(uses);
    const response = await sendSigned(test.environment, service, {
      headers: {
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
  const { url } = test;
  const cases = [
    [{ host: "evil.example" }, 421],
    [{ origin: "http://localhost:8000" }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ "x-amz-target": "Kinesis_20131202.PutRecord" }, 501],
    [{ "x-amz-target": "constructor.GetItem" }, 501],
    [{ "x-amz-target": "AmazonSQS.ListQueues", "transfer-encoding": "chunked" }, 413],
  ] as const;
  for (const [headers, status] of cases) {
    assertEquals(await send(url, headers), status, JSON.stringify(headers));
  }
  const refusal = `POST ${
    new URL(url).origin
  }/: A web page may not use the services on this machine`;
  assertEquals(test.log.after(0).map(({ text }) => text), [refusal, refusal]);
});

Deno.test("a client of a service that is not emulated reads which one it is", async () => {
  await using test = await startServices();
  const credentials = { accessKeyId: "developer", secretAccessKey: "local" };
  const config = { endpoint: test.url, region: "us-east-1", credentials, maxAttempts: 1 };
  const clients = [new IAM(config), new APIGateway(config), new CloudWatchLogs(config)] as const;
  const calls: [service: string, call: () => Promise<unknown>][] = [
    ["iam", () => clients[0].listUsers()],
    ["apigateway", () => clients[1].getRestApis()],
    ["logs", () => clients[2].describeLogGroups()],
  ];
  for (const [service, call] of calls) {
    const { name, message } = await assertRejects(call, Error);
    assertEquals(name, "NotImplemented");
    assertStringIncludes(message, `The service "${service}" is not emulated locally: to call`);
  }
  for (const client of clients) client.destroy();
});

/** Sends a request whose headers may be those that `fetch` reserves for itself. */
function send(url: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(url, { method: "POST", headers }, (response) => {
    response.resume();
    resolve(response.statusCode!);
  }).on("error", reject).end("{}");
  return promise;
}
