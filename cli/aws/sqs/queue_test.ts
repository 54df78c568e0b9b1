import { assertEquals, assertThrows } from "@std/assert";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { within } from "../../../testdata/waiting.ts";
import { Contents } from "./attributes.ts";
import { Queue } from "./queue.ts";
import { QUEUE_OPERATIONS } from "./sqs.ts";
import { Queues } from "./queues.ts";

const MINUTE = 60_000;
const now = Date.now();
const message = { body: "m", attributes: {}, delay: 0 };
const contents = new Contents("/no such folder");

const makeQueue = (name: string, attributes = {}, kept = contents) =>
  new Queue(name, attributes, kept);

Deno.test("a FIFO queue forgets the identifier of a message after five minutes", () => {
  const queue = makeQueue("line.fifo");
  const sent = { ...message, groupId: "g", deduplicationId: "d" };
  const ids = [0, 4, 6].map((minutes) => queue.send(sent, now + minutes * MINUTE).id);
  assertEquals([ids[0] === ids[1], ids[0] === ids[2]], [true, false]);
});

Deno.test("a receiver that waits looks again when the first message of a group is deleted", async () => {
  const queue = makeQueue("line.fifo");
  for (const deduplicationId of ["1", "2"]) {
    queue.send({ ...message, groupId: "g", deduplicationId });
  }
  const [first] = queue.take({ count: 2, visibility: 600 });
  queue.take({ count: 1, visibility: 600 });
  const { signal } = new AbortController();
  const waiting = queue.wait(Date.now() + 600_000, undefined, signal);
  queue.delete(first!.handle);
  await within("the end of the wait", waiting);
});

Deno.test("a queue drops a message after its retention period", () => {
  const queue = makeQueue("jobs", { MessageRetentionPeriod: "60" });
  queue.send(message, now);
  const receive = (time: number) => queue.take({ count: 1, visibility: 0 }, time).length;
  assertEquals([receive(now + MINUTE), receive(now + MINUTE + 1), queue.count().visible], [
    1,
    0,
    0,
  ]);
});

Deno.test("a message keeps the time when it was received first", () => {
  const queue = makeQueue("jobs");
  queue.send(message, now);
  for (const time of [now + 5, now + 9]) {
    const [received] = queue.take({ count: 1, visibility: 0 }, time);
    assertEquals(received?.firstReceiveTime, now + 5);
  }
});

Deno.test("a message stays in its queue if the dead-letter queue does not exist", async () => {
  const queues = new Queues(contents);
  const policy = {
    deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:gone",
    maxReceiveCount: 1,
  };
  const queue = makeQueue("jobs", { RedrivePolicy: JSON.stringify(policy) });
  queues.byName.set("jobs", queue);
  queue.send(message);
  const { signal } = new AbortController();
  for (const count of [1, 2]) {
    const [received] = await queues.receive(queue, { count: 1, visibility: 0, wait: 0, signal });
    assertEquals(received?.receiveCount, count);
  }
});

Deno.test("messages that do not fit into the memory are in files until they are deleted, moved ones too", () => {
  const folder = temporaryFolder();
  const files = () => Array.from(Deno.readDirSync(folder)).length;
  const queues = new Queues(new Contents(folder, 10));
  queues.create("dead", {});
  const deadLetterTargetArn = "arn:aws:sqs:us-east-1:000000000000:dead";
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
  const queue = queues.create("jobs", {
    RedrivePolicy,
    MessageRetentionPeriod: "60",
  });
  const attributes = { a: { DataType: "String", StringValue: "\u2028é" } };
  for (const body of ["1234567890", "second", "third"]) {
    queue.send({ ...message, body, attributes: body === "second" ? attributes : {} });
  }
  assertEquals(files(), 2);
  const options = { count: 10, visibility: 0 };
  const received = queues.take(queue, options);
  assertEquals(received.map(({ body }) => body), ["1234567890", "second", "third"]);
  assertEquals(received[1]!.attributes, attributes);
  queue.delete(received[0]!.handle);
  assertEquals(queues.take(queue, options), []);
  const dead = queues.find("dead");
  const [second] = queues.take(dead, options);
  assertEquals([second!.body, files()], ["second", 2]);
  dead.delete(second!.handle);
  assertEquals(files(), 1);
  queue.send(message); // The memory of the first message is free again.
  assertEquals(files(), 1);
  queue.send({ ...message, body: "12345678901" }, now - 2 * MINUTE);
  assertEquals([files(), queues.take(queue, options).length, files()], [2, 1, 1]);
  const context = { endpoint: "http://localhost", signal: new AbortController().signal };
  QUEUE_OPERATIONS.DeleteQueue!(queues, { QueueUrl: "/dead" }, context);
  assertEquals(files(), 0);
});

Deno.test("a queue counts its messages by what a receiver can do with them", () => {
  const queue = makeQueue("jobs");
  for (const delay of [0, 0, 0, 900]) queue.send({ ...message, body: "four", delay });
  queue.take({ count: 1 });
  assertEquals(queue.count(), { visible: 2, invisible: 1, delayed: 1 });
  assertEquals([1, 2, 3].map((most) => queue.pending(most)), [
    { count: 1, size: 4 },
    { count: 2, size: 8 },
    { count: 2, size: 8 },
  ]);
});

Deno.test("a message in a file takes no memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept = new Contents(temporaryFolder(), 0);
  const keep = () => {
    const content = { body: "m", attributes: {} };
    return [kept.keep(content), new WeakRef(content)] as const;
  };
  const [message, content] = keep();
  await new Promise((resolve) => setTimeout(resolve)); // A WeakRef holds its target until the end of the task.
  collect();
  assertEquals([content.deref(), message.read().body], [undefined, "m"]);
});

Deno.test("a queue refuses a message that cannot be kept", () => {
  const queue = makeQueue("jobs", {}, new Contents("/no such folder", 0));
  assertThrows(() => queue.send(message), Error, "Cannot keep a message: ");
  assertEquals(queue.count().visible, 0);
});
