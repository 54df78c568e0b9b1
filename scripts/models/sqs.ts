/**
 * A model of Amazon SQS: what happens to one message, from the answers of all clients. Clients send, receive, delete, change
 * the visibility, use old receipt handles and go away, all at the same time, while a function with one sandbox reads a queue.
 *
 * @module
 */
import { type Message, type ReceiveMessageResult, SQS } from "@aws-sdk/client-sqs";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { setTimeout as pause } from "node:timers/promises";
import { checkAnswers } from "../../cli/testdata/contract.ts";
import { manifestWith, OneSandbox, startTestPlatform } from "../../cli/testdata/platform.ts";

const CLIENTS = 5;
/** How often a message of the standard queue is delivered before it goes to the dead-letter queue. */
const MOST_RECEIPTS = 3;
/**
 * The time after which a platform has seen the end of a connection, in milliseconds, if it has answered a later request. A
 * message that is sent after this time must not go to the client that was gone.
 */
const NOTICED = 400;

/** The time of an invocation, in milliseconds. The messages of five batches would be visible again before the last one. */
const WORK = 250;
/** The seconds of the last receipt of each message, after all changes. */
const LAST = 60;

/** The time of a request as its client saw it. What the request did, it did between. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Receipt extends Span {
  readonly queue: string;
  readonly handle: string;
  /** How often the message has been received, with this receipt. */
  readonly count: number;
  /** The seconds for which the message is invisible. */
  readonly seconds: number;
  /** The messages of the same answer, up to this one. */
  readonly before: readonly string[];
}

interface Change extends Span {
  readonly count: number;
  /** The seconds of a new visibility time-out, or `undefined` for a deletion. */
  readonly seconds?: number;
  readonly isDone: boolean;
}

/** Everything that the clients know of one message. */
interface History {
  readonly id: string;
  readonly queue: string;
  readonly group: string | undefined;
  readonly sent: Span;
  readonly receipts: Receipt[];
  readonly changes: Change[];
}

/** Sends random requests for some seconds. Throws if a message was lost, delivered twice, or held by two receivers. */
export async function run(seconds: number, random: (limit: number) => number): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
  const triggers = { queues: [{ name: "jobs", batch: 2, window: random(2) }] };
  const manifest = manifestWith({ worker: { module: "w.ts", timeout: 1, triggers } }, {
    jobs: { visibility: 1, retries: 1 },
  });
  const processed: string[] = [];
  const host = new OneSandbox(async ({ event }) => {
    await pause(WORK);
    const bodies: string[] = event.Records.map(({ body }: { body: string }) => body);
    processed.push(...bodies);
    const failed = event.Records.filter(({ body }: { body: string }) => body.startsWith("fail"));
    return JSON.stringify({
      batchItemFailures: failed.map(({ messageId }: { messageId: string }) => ({
        itemIdentifier: messageId,
      })),
    });
  });
  await using test = await startTestPlatform(undefined, { manifest, host });
  using clients = new DisposableStack();
  const newClient = () =>
    clients.adopt(checkAnswers(new SQS(test.clientConfig())), (client) => client.destroy());
  const sqs = newClient();
  const make = async (QueueName: string, Attributes: Record<string, string>) =>
    (await sqs.createQueue({ QueueName, Attributes })).QueueUrl!;
  const dead = await make("dead", {});
  const redrive = {
    deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:dead",
    maxReceiveCount: MOST_RECEIPTS,
  };
  const plain = await make("plain", { RedrivePolicy: JSON.stringify(redrive) });
  const fifo = await make("line.fifo", { FifoQueue: "true" });
  const quiet = await make("quiet", {});
  const queues = [plain, fifo, dead, quiet];

  const histories = new Map<string, History>();
  const jobs: string[] = [];
  /** The requests whose clients went away. */
  const gone: (Span & { readonly queue: string })[] = [];
  let messages = 0;
  const span = async <T>(work: () => Promise<T>): Promise<[T, Span]> => {
    const start = performance.now();
    const result = await work();
    return [result, { start, end: performance.now() }];
  };

  async function send(client: SQS, queue: string) {
    const group = queue === fifo ? pick(["a", "b"]) : undefined;
    const place = group && { MessageGroupId: group, MessageDeduplicationId: crypto.randomUUID() };
    const input = { QueueUrl: queue, MessageBody: `${messages++}`, ...place };
    const [{ MessageId: id }, sent] = await span(() => client.sendMessage(input));
    histories.set(id!, { id: id!, queue, group, sent, receipts: [], changes: [] });
  }

  async function sendJob(client: SQS) {
    const body = `${pick(["do", "do", "fail"])} ${jobs.length}`;
    jobs.push(body);
    const QueueUrl = "http://localhost/000000000000/app-jobs";
    await span(() => client.sendMessage({ QueueUrl, MessageBody: body }));
  }

  /** Receives messages, and goes away after some milliseconds. The client of the SDK on Deno sometimes leaves its connection open then, or throws in the background. */
  async function receiveOrGo(input: object, patience: number): Promise<ReceiveMessageResult> {
    const response = await fetch(test.platform.servicesUrl, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSQS.ReceiveMessage" },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(patience),
    });
    return await response.json();
  }

  async function receive(
    client: SQS,
    queue: string,
    seconds: number,
    wait: number,
    patience?: number,
  ) {
    const start = performance.now();
    const input = {
      QueueUrl: queue,
      MaxNumberOfMessages: seconds === LAST ? 10 : 1 + random(3),
      VisibilityTimeout: seconds,
      WaitTimeSeconds: wait,
      MessageSystemAttributeNames: ["ApproximateReceiveCount" as const],
    };
    try {
      const [{ Messages = [] }, time] = await span<ReceiveMessageResult>(() =>
        patience === undefined ? client.receiveMessage(input) : receiveOrGo(input, patience)
      );
      const ids = Messages.map(({ MessageId }) => MessageId!);
      const received = Messages.map(({ MessageId, ReceiptHandle, Attributes }, index) => {
        const count = Number(Attributes!.ApproximateReceiveCount);
        const before = ids.slice(0, index);
        return [MessageId!, {
          ...time,
          queue,
          handle: ReceiptHandle!,
          count,
          seconds,
          before,
        }] as const;
      });
      // The answer to the sender may come later than the message.
      for (const [id, receipt] of received) {
        while (!histories.has(id)) await pause(1);
        histories.get(id)!.receipts.push(receipt);
      }
      return Messages;
    } catch (error) {
      if ((error as Error).name !== "TimeoutError") throw error;
      await client.listQueues({ MaxResults: 1 });
      gone.push({ queue, start, end: performance.now() });
      return [];
    }
  }

  /** Waits for messages, and goes away. */
  async function waitAndGo(QueueUrl: string, patience: number) {
    const input = { QueueUrl, VisibilityTimeout: 1, WaitTimeSeconds: 20 };
    await assertRejects(() => receiveOrGo(input, patience), DOMException);
  }

  /** Deletes messages that were just received. */
  async function remove(messages: readonly Message[], QueueUrl: string) {
    for (const { MessageId, ReceiptHandle } of messages) {
      const [, time] = await span(() => sqs.deleteMessage({ QueueUrl, ReceiptHandle }));
      const { receipts, changes } = histories.get(MessageId!)!;
      changes.push({ ...time, count: receipts.at(-1)!.count, isDone: true });
    }
  }

  /** Deletes a message or changes its visibility, with any receipt handle that a client ever got. */
  async function change(client: SQS, isDeletion: boolean) {
    const history = pick([...histories.values()].slice(-20));
    const receipt = history && pick(history.receipts.slice(-3));
    if (receipt === undefined) return;
    const { queue: QueueUrl, handle: ReceiptHandle, count } = receipt;
    const seconds = isDeletion ? undefined : random(2);
    const [isDone, time] = await span(async () => {
      try {
        if (seconds === undefined) await client.deleteMessage({ QueueUrl, ReceiptHandle });
        else {
          const VisibilityTimeout = seconds;
          await client.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout });
        }
        return true;
      } catch (error) {
        assertEquals((error as Error).name, "InvalidParameterValue");
        return false;
      }
    });
    history.changes.push({ ...time, count, isDone, ...(seconds !== undefined && { seconds }) });
  }

  const stop = performance.now() + seconds * 1_000;
  /** Clients wait for messages of a queue and go away before a message comes. */
  const leave = async () => {
    for (let most = 14; performance.now() < stop; most = 3) {
      for (let index = 0; index < most; index++) await sendJob(sqs);
      await Promise.all([1, 2, 3].map(() => waitAndGo(quiet, random(50))));
      await pause(NOTICED);
      await send(sqs, quiet);
      await remove(await receive(sqs, quiet, 1, 0), quiet);
    }
  };
  await Promise.all([
    leave(),
    ...Array.from({ length: CLIENTS }, async () => {
      const client = newClient();
      while (performance.now() < stop) {
        const kind = random(12);
        if (kind < 3) await send(client, pick([plain, fifo]));
        else if (kind < 7) await receive(client, pick([plain, fifo, dead]), random(2), 0);
        else if (kind < 8) await receive(client, pick([plain, fifo]), 1, 1, 5 + random(50));
        else await change(client, kind < 10);
      }
    }),
  ]);
  await pause(NOTICED);

  // Every message that is left becomes visible within a second, and the standard ones stay or go to the dead letters.
  const settled = performance.now() + 2_200;
  while (performance.now() < settled) {
    const found = await Promise.all(queues.map((queue) => receive(sqs, queue, LAST, 0)));
    await remove(found[queues.indexOf(fifo)]!, fifo); // The next message of the group is visible then.
    if (found.flat().length === 0) await pause(20);
  }
  for (const history of histories.values()) checkMessage(history, histories, gone);

  await test.platform.settled();
  const times = Map.groupBy(processed, (body) => body);
  const attempts = jobs.map((body) => [body, times.get(body)?.length]);
  assertEquals(attempts, jobs.map((body) => [body, body.startsWith("fail") ? 2 : 1]));
}

/** Checks the promises of the service about one message. */
function checkMessage(
  message: History,
  all: ReadonlyMap<string, History>,
  gone: readonly (Span & { readonly queue: string })[],
): void {
  const { id, queue, sent, changes } = message;
  const isFifo = queue.endsWith(".fifo");
  const receipts = message.receipts.toSorted((a, b) => a.count - b.count);
  const shown = () => `The message ${id}: ${JSON.stringify({ ...message, receipts }, null, 1)}`;
  const isSuperseded = ({ count }: { count: number }, time: number) =>
    receipts.some((other) => other.count > count && other.end < time);
  // A client that is gone may have the next receipt, and nobody sees when a message goes to the dead letters.
  const mayBeSuperseded = ({ count }: { count: number }, time: number) => {
    const next = receipts.find((other) => other.count > count);
    return next !== undefined &&
      (next.start < time || next.count > count + 1 ||
        next.queue !== queue && count <= MOST_RECEIPTS);
  };
  const deletions = changes.filter(({ seconds, isDone }) => seconds === undefined && isDone);

  // A latest handle deletes, and an older one does not.
  const sure = deletions.filter((one) => !mayBeSuperseded(one, one.end));
  const possible = deletions.filter((one) => !isSuperseded(one, one.start));
  for (const { end } of sure) {
    assert(!receipts.some(({ start }) => start > end), `came back after its deletion\n${shown()}`);
  }
  if (possible.length === 0) {
    const last = receipts.at(-1);
    assert(last?.seconds === LAST, `is lost\n${shown()}`);
  }

  // Each receipt counts, and comes when no other receiver holds the message.
  for (const [index, receipt] of receipts.entries()) {
    const { count } = receipt;
    const former = receipts[index - 1];
    const missing = count - (former?.count ?? 0) - 1;
    const since = former?.start ?? sent.start;
    const taken = gone.filter((one) =>
      [queue, former?.queue].includes(one.queue) && one.end + NOTICED > since &&
      one.start < receipt.end
    );
    assert(missing >= 0, `has two receipts with the number ${count}\n${shown()}`);
    assert(missing <= taken.length, `went to a client that was gone\n${shown()}`);
    const isDead = receipt.queue !== queue;
    if (queue.endsWith("plain")) assertEquals(isDead, count > MOST_RECEIPTS, shown());
    if (former !== undefined && missing === 0) {
      const ends = changes.filter(({ seconds, count, isDone }) =>
        seconds !== undefined && isDone && count === former.count
      ).map((one) => one.start + one.seconds! * 1_000);
      const held = Math.min(former.start + former.seconds * 1_000, ...ends);
      assert(receipt.end >= held - 2, `was held by another receiver\n${shown()}`);
    }
    if (!isFifo) continue;
    for (const other of all.values()) {
      if (other.group !== message.group || other.sent.end >= sent.start) continue;
      const mayBeDeleted = other.changes.some((one) =>
        one.seconds === undefined && one.start < receipt.end
      );
      assert(
        mayBeDeleted || receipt.before.includes(other.id),
        `came before the message ${other.id} of its group\n${shown()}`,
      );
    }
  }

  // An old handle changes no visibility, and the latest one of a standard queue does.
  for (const one of changes.filter(({ seconds }) => seconds !== undefined)) {
    assert(!(one.isDone && isSuperseded(one, one.start)), `obeyed an old handle\n${shown()}`);
    const isLatest = !mayBeSuperseded(one, one.end + NOTICED) &&
      !deletions.some(({ start }) => start < one.end);
    const mayBeTaken = gone.length > 0 || one.count >= MOST_RECEIPTS;
    if (!isFifo && isLatest && !mayBeTaken) assert(one.isDone, `refused its handle\n${shown()}`);
  }
}
