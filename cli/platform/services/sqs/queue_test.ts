import { assertEquals } from "@std/assert";
import { defaultAttributes } from "./attributes.ts";
import { Queue } from "./queue.ts";
import { Queues } from "./queues.ts";

const MINUTE = 60_000;
const now = Date.now();
const message = { body: "m", attributes: {}, delay: 0 };
const keep = () => false;

const makeQueue = (name: string, attributes = {}) =>
  new Queue(name, { ...defaultAttributes(name.endsWith(".fifo")), ...attributes });

Deno.test("a FIFO queue forgets the identifier of a message after five minutes", () => {
  const queue = makeQueue("line.fifo");
  const sent = { ...message, groupId: "g", deduplicationId: "d" };
  const ids = [0, 4, 6].map((minutes) => queue.send(sent, now + minutes * MINUTE).id);
  assertEquals([ids[0] === ids[1], ids[0] === ids[2]], [true, false]);
});

Deno.test("a queue drops a message after its retention period", () => {
  const queue = makeQueue("jobs", { MessageRetentionPeriod: "60" });
  queue.send(message, now);
  const receive = (time: number) => queue.receive(1, 0, keep, time).length;
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
    const [received] = queue.receive(1, 0, keep, time);
    assertEquals(received?.firstReceiveTime, now + 5);
  }
});

Deno.test("a message stays in its queue if the dead-letter queue does not exist", async () => {
  const queues = new Queues();
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
