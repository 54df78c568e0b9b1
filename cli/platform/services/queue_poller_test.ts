import { assertEquals, assertStringIncludes } from "@std/assert";
import { MAX_SYNC_EVENT } from "../../application/limits.ts";
import { manifestWith, startTestPlatform } from "../../testdata/platform.ts";
import { startServices } from "../../testdata/services.ts";
import { until } from "../../../testdata/waiting.ts";

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
  // AWS Lambda has at least two pollers, which could receive one message each.
  Object.assign(manifest.functions.worker!.triggers.queues[0]!, { concurrency: 1 });
  await using test = await startTestPlatform(() => "{}", { manifest });
  const path = "/queues/jobs";
  await test.send({ method: "POST", path, body: "a" });
  const inFlight = async () => JSON.parse((await test.send({ path })).text).invisible;
  const isTaken = async () => test.host.calls.length > 0 || await inFlight() === 1;
  await until("a poller that takes the message", isTaken);
  await test.send({ method: "POST", path, body: "b" });
  await test.platform.settled();
  const batches = test.host.calls.map(({ event }) =>
    event.Records.map(({ body }: { body: string }) => body)
  );
  assertEquals(batches, [["a", "b"]]);
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
