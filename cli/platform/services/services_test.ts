import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { Upload } from "@aws-sdk/lib-storage";
import { FnMessageEvent } from "@mate/core/topic";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { parseManifest } from "../../manifest/manifest.ts";
import { topicArn } from "../arn.ts";
import { reply } from "../http.ts";
import { BucketFolder } from "../triggers/bucket_folder.ts";
import { pollEventSources, subscriptionsOf } from "./event_sources.ts";
import { deadLetterQueueName, Messaging } from "./messaging.ts";
import { pollQueue } from "./queue_poller.ts";
import { Services } from "./services.ts";

/** Services with a bucket, a queue and a topic, and clients with the credentials of the function "worker". */
async function startServices(uses: Readonly<Record<string, unknown>> = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const changes: string[] = [];
  const bucket = new BucketFolder(`${folder}/files`, `${folder}/.uploads`, ({ eventName, key }) => {
    changes.push(`${eventName} ${key}`);
  });
  await bucket.scan(false);
  const manifest = parseManifest(
    JSON.stringify({
      name: "app",
      stage: "v1",
      functions: {
        worker: {
          module: "worker.ts",
          uses,
          triggers: { topics: [{ name: "news", filter: { kind: ["order"] } }] },
        },
        files: {
          module: "files.ts",
          triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
        },
      },
      queues: { jobs: { retries: 1, visibility: 1 } },
    }),
    "app.json",
  );
  const messaging = stack.use(
    await Messaging.start(manifest, ["news"], subscriptionsOf(manifest)),
  );
  const invoked: unknown[] = [];
  const services = stack.use(new Services(manifest));
  services.attach({
    buckets: new Map([["files", bucket]]),
    messaging,
    rules: [{ functionName: "worker", bus: "default", pattern: { source: ["shop"] } }],
    invoke: (functionName, event) => invoked.push([functionName, event]),
    invokeApi: ({ path }) => Promise.resolve(reply(200, [], JSON.stringify({ path }))),
  });
  const { environment } = services.localManifest().functions.worker!;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment;
  const config = (accessKeyId: string, endpoint = services.url) => ({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: AWS_SECRET_ACCESS_KEY! },
    maxAttempts: 1,
  });
  const clientsOf = (accessKeyId: string, endpoint?: string) => ({
    s3: stack.adopt(new S3Client(config(accessKeyId, endpoint)), (client) => client.destroy()),
    sqs: stack.adopt(new SQSClient(config(accessKeyId, endpoint)), (client) => client.destroy()),
    sns: stack.adopt(new SNSClient(config(accessKeyId, endpoint)), (client) => client.destroy()),
    events: stack.adopt(
      new EventBridgeClient(config(accessKeyId, endpoint)),
      (client) => client.destroy(),
    ),
  });
  const developer = clientsOf("developer");
  const worker = clientsOf(AWS_ACCESS_KEY_ID!, environment.AWS_ENDPOINT_URL);
  const owned = stack.move();
  return {
    environment,
    manifest,
    services,
    messaging,
    changes,
    invoked,
    developer,
    worker,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("Services answer the object operations of the S3 client", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const Bucket = "files";
  const Key = "in/a b+ü.txt";
  const put = await s3.send(
    new PutObjectCommand({
      Bucket,
      Key,
      Body: "Hello",
      ContentType: "text/plain",
      Metadata: { by: "me" },
    }),
  );
  assertEquals(put.ETag, '"8b1a9953c4611296a827abf8c47804d7"'); // the MD5 digest
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
  assertEquals([head.ContentLength, head.ContentType, head.Metadata], [5, "text/plain", {
    by: "me",
  }]);
  await s3.send(
    new CopyObjectCommand({ Bucket, Key: "copy", CopySource: encodeURI(`files/${Key}`) }),
  );
  const copy = await s3.send(new GetObjectCommand({ Bucket, Key: "copy", Range: "bytes=1-3" }));
  assertEquals([await copy.Body!.transformToString(), copy.ContentRange], ["ell", "bytes 1-3/5"]);
  const list = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" }));
  assertEquals(list.Contents?.map(({ Key, Size }) => [Key, Size]), [["copy", 5]]);
  assertEquals(list.CommonPrefixes, [{ Prefix: "in/" }]);
  await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: "copy" }));
  await assertRejects(
    () => s3.send(new GetObjectCommand({ Bucket, Key })),
    Error,
    `There is no object "${Key}"`,
  );
  assertEquals(test.changes, [
    `ObjectCreated:Put ${Key}`,
    "ObjectCreated:Copy copy",
    `ObjectRemoved:Delete ${Key}`,
    "ObjectRemoved:Delete copy",
  ]);
});

Deno.test("Services store a stream that the S3 client sends in chunks", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const Body = Readable.from([content, content, content, content]);
  await s3.send(
    new PutObjectCommand({ Bucket: "files", Key: "big", Body, ContentLength: 240_000 }),
  );
  const { Body: stored } = await s3.send(new GetObjectCommand({ Bucket: "files", Key: "big" }));
  assertEquals(
    Buffer.from(await stored!.transformToByteArray()),
    Buffer.concat([content, content, content, content]),
  );
});

Deno.test("Services join the parts that the S3 client uploads", async () => {
  await using test = await startServices({ buckets: { files: "write" } });
  const place = { Bucket: "files", Key: "a/big" };
  const content = new Uint8Array(12 * 1024 ** 2).map((_, index) => index * 31 >> 8);
  const params = { ...place, Body: Readable.from([content]), ContentType: "text/csv" };
  await new Upload({ client: test.worker.s3, params }).done();
  const { s3 } = test.developer;
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...place, Key: "copy" }));
  const target = { ...place, Key: "copy", UploadId };
  const Parts = [];
  for (
    const [PartNumber, CopySourceRange] of [[2, "bytes=0-5242879"], [7, "bytes=9-12"]] as const
  ) {
    const { CopyPartResult } = await s3.send(
      new UploadPartCopyCommand({
        ...target,
        PartNumber,
        CopySource: "files/a/big",
        CopySourceRange,
      }),
    );
    Parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
  }
  await s3.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } }));
  const read = async (Key: string) => {
    const { Body, ContentType } = await s3.send(new GetObjectCommand({ ...place, Key }));
    return [ContentType, Buffer.from(await Body!.transformToByteArray())];
  };
  assertEquals(await read("a/big"), ["text/csv", Buffer.from(content)]);
  const joined = Buffer.concat([content.subarray(0, 5_242_880), content.subarray(9, 13)]);
  assertEquals(await read("copy"), ["binary/octet-stream", joined]);
  assertEquals(
    test.changes,
    ["a/big", "copy"].map((key) => `ObjectCreated:CompleteMultipartUpload ${key}`),
  );
});

Deno.test("Services refuse parts that do not fit, and forget an upload that is aborted", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const place = { Bucket: "files", Key: "big" };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place));
  const upload = { ...place, UploadId };
  const put = async (PartNumber: number) => {
    const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body: "few" }));
    return { PartNumber, ETag };
  };
  const [one, two] = [await put(1), await put(2)];
  for (
    const [Parts, name] of [
      [[one, { PartNumber: 3, ETag: two.ETag }], "InvalidPart"],
      [[{ PartNumber: 1, ETag: '"0"' }], "InvalidPart"],
      [[two, one], "InvalidPartOrder"],
      [[one, two], "EntityTooSmall"],
      [[], "MalformedXML"],
    ] as const
  ) {
    const command = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: [...Parts] },
    });
    const error = await assertRejects(() => s3.send(command), Error);
    assertEquals(error.name, name);
  }
  await assertRejects(() => put(0), Error, "Expected a part number from 1 to 10000");
  await s3.send(new AbortMultipartUploadCommand(upload));
  const error = await assertRejects(() => put(1), Error);
  assertEquals([error.name, test.changes], ["NoSuchUpload", []]);
});

Deno.test("Services list a bucket page by page", async () => {
  await using test = await startServices();
  const { s3 } = test.developer;
  const keys = ["a", "b/1", "b/2", "c", "d/1", "e"];
  for (const Key of keys) {
    await s3.send(new PutObjectCommand({ Bucket: "files", Key, Body: "" }));
  }
  for (const [Delimiter, expected] of [[undefined, keys], ["/", ["a", "b/", "c", "d/", "e"]]]) {
    const found: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await s3.send(
        new ListObjectsV2Command({
          Bucket: "files",
          MaxKeys: 2,
          Delimiter: Delimiter as string | undefined,
          ContinuationToken,
        }),
      );
      found.push(
        ...[
          ...(page.Contents ?? []).map(({ Key }) => Key!),
          ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!),
        ].sort(),
      );
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    assertEquals(found, expected as string[]);
  }
});

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
