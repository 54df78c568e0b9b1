import { assertEquals, assertStringIncludes } from "@std/assert";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import { setTimeout as pause } from "node:timers/promises";
import { manifestWith, OneSandbox, startTestPlatform, TestHost } from "../testdata/platform.ts";
import { startServices } from "../testdata/services.ts";
import { until } from "../../testdata/waiting.ts";

const QueueUrl = "http://localhost/000000000000/app-ordered.fifo";

Deno.test("a function gets the messages of a group in one batch, with all attributes", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  const AWSTraceHeader = "Root=1-5759e988-bd862e3fe1be46a994272793";
  await sqs.sendMessageBatch({
    QueueUrl,
    Entries: ["a", "b"].map((Id) => ({
      Id,
      MessageBody: Id,
      MessageGroupId: "g",
      MessageAttributes: { Foo: { DataType: "String", StringValue: "Bar" } },
      MessageSystemAttributes: {
        AWSTraceHeader: { DataType: "String", StringValue: AWSTraceHeader },
      },
    })),
  });
  await test.settled();
  const records = test.calls.flatMap(({ event }) => event.Records);
  assertEquals(records.map(({ body }) => body), ["a", "b"]);
  assertEquals(test.calls.length, 1);
  const [{ attributes, messageAttributes, md5OfMessageAttributes }] = records;
  assertEquals(Object.keys(attributes).sort(), [
    "AWSTraceHeader",
    "ApproximateFirstReceiveTimestamp",
    "ApproximateReceiveCount",
    "MessageDeduplicationId",
    "MessageGroupId",
    "SenderId",
    "SentTimestamp",
    "SequenceNumber",
  ]);
  assertEquals(messageAttributes.Foo.stringValue, "Bar");
  // Amazon SQS returned this digest.
  assertEquals(md5OfMessageAttributes, "ae7155c6026991b6d54b11589678bf9c");
});

Deno.test("polling goes on after a queue was deleted and made again", async () => {
  await using test = await startServices();
  const { sqs } = test.developer;
  await sqs.deleteQueue({ QueueUrl });
  await until("a record of the log", () => test.log.after(0).length > 0);
  const [{ text } = { text: "" }] = test.log.after(0);
  assertStringIncludes(text, 'Cannot read the queue "app-ordered.fifo"');
  const Attributes = { FifoQueue: "true", ContentBasedDeduplication: "true" };
  await sqs.createQueue({ QueueName: "app-ordered.fifo", Attributes });
  await sqs.sendMessage({ QueueUrl, MessageBody: "m", MessageGroupId: "g" });
  await test.settled();
  assertEquals(test.calls.map(({ event }) => event.Records[0].body), ["m"]);
});

Deno.test("a function with a window waits for a full batch", async () => {
  const queues = [{ name: "jobs", batch: 2, window: 300 }];
  const manifest = manifestWith({ worker: { module: "worker.ts", triggers: { queues } } }, {
    jobs: {},
  });
  await using test = await startTestPlatform(() => "{}", { manifest });
  for (const body of ["a", "b"]) await test.send({ method: "POST", path: "/queues/jobs", body });
  await test.platform.settled();
  const batches = test.host.calls.map(({ event }) =>
    event.Records.map(({ body }: { body: string }) => body)
  );
  assertEquals(batches, [["a", "b"]]);
});

Deno.test("a message is received when a sandbox is free, so its visibility time-out does not run out before", async () => {
  const queues = [{ name: "jobs", batch: 1 }];
  const manifest = manifestWith({
    worker: { module: "worker.ts", timeout: 1, triggers: { queues } },
  }, {
    jobs: { visibility: 1 },
  });
  const host = new OneSandbox(async () => {
    await pause(250);
    return "{}";
  });
  await using test = await startTestPlatform(undefined, { manifest, host });
  const bodies = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const body of bodies) await test.send({ method: "POST", path: "/queues/jobs", body });
  await test.platform.settled();
  const records = host.calls.flatMap(({ event }) => event.Records);
  assertEquals(records.map(({ body }) => body), bodies);
  const counts = records.map(({ attributes }) => attributes.ApproximateReceiveCount);
  assertEquals(counts, bodies.map(() => "1"));
});

Deno.test("a function that cannot be invoked is named once, and loses neither a message nor a change", async () => {
  const manifest = manifestWith(
    {
      worker: {
        module: "worker.ts",
        triggers: { queues: [{ name: "jobs" }], tables: [{ name: "orders" }] },
      },
    },
    { jobs: {} },
    { orders: { key: { id: "string" } } },
  );
  let isBroken = true;
  class Broken extends TestHost {
    override invoke(...parameters: Parameters<TestHost["invoke"]>) {
      return isBroken
        ? Promise.reject(new Error('Cannot invoke "worker": it has a fault'))
        : super.invoke(...parameters);
    }
  }
  const host = new Broken(() => "{}");
  await using test = await startTestPlatform(undefined, { manifest, host });
  await test.send({ method: "POST", path: "/queues/jobs", body: "a" });
  await test.send({ method: "POST", path: "/tables/orders", body: '{"id":"1"}' });
  const texts = () => test.log.after(0).map(({ text }) => text);
  await until("both lines", () => texts().length === 2);
  await pause(1_500); // The next attempts.
  assertEquals(texts(), Array(2).fill('Cannot invoke "worker": it has a fault'));
  isBroken = false;
  await test.platform.settled();
  const sources = host.calls.map(({ event }) => event.Records[0].eventSource);
  assertEquals(sources.sort(), ["aws:dynamodb", "aws:sqs"]);
});

Deno.test("messages that are too large for one event come in several", async () => {
  const queues = [{ name: "jobs", batch: 10, window: 3, concurrency: 2 }];
  const manifest = manifestWith({ worker: { module: "w.ts", triggers: { queues } } }, { jobs: {} });
  await using test = await startTestPlatform(() => "{}", { manifest });
  const body = "m".repeat(900_000);
  // Each of the two pollers gets about eight messages.
  for (let index = 0; index < 16; index++) {
    await test.send({ method: "POST", path: "/queues/jobs", body });
  }
  await test.platform.settled();
  const records = test.host.calls.map(({ event }) => event.Records.length);
  assertEquals(records.reduce((sum, count) => sum + count, 0), 16);
  assertEquals(Math.max(...records) > 1, true);
  for (const { event } of test.host.calls) {
    assertEquals(JSON.stringify(event).length <= MAX_SYNC_EVENT, true);
  }
});
