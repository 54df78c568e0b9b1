import { assert, assertEquals } from "@std/assert";
import { SQS } from "@aws-sdk/client-sqs";
import { manifestWith, startTestPlatform } from "../testdata/platform.ts";
import { until } from "../../testdata/waiting.ts";

// The times are those of the manifests and of the requests below; "What settled() waits for" in docs/platform_tests.md has the rules.

const MINUTE = 60_000;

/** An application whose functions wait for each kind of time. */
const MANIFEST = manifestWith(
  {
    mail: { module: "f.ts", triggers: { topics: [{ name: "mails" }] } },
    worker: { module: "f.ts", triggers: { queues: [{ name: "jobs", batch: 1 }] } },
    gatherer: {
      module: "f.ts",
      triggers: { queues: [{ name: "gathered", batch: 10, window: 300 }] },
    },
    page: { module: "f.ts", triggers: { routes: [{ method: "GET", path: "/page" }] } },
    follower: {
      module: "f.ts",
      triggers: { tables: [{ name: "orders", batch: 10, window: 120 }] },
    },
  },
  { jobs: { visibility: 600, retries: 2 }, gathered: {}, ordered: { fifo: true } },
  { orders: { key: { id: "string" } } },
);

Deno.test("settled() skips retries, visibilities, delays and windows, and the dates follow", async () => {
  let failures = 0;
  await using test = await startTestPlatform(({ name }) => {
    const isFailing = name === "mail" || name === "worker";
    if (isFailing) failures++;
    return isFailing ? { failure: "error" } : "{}";
  }, { manifest: MANIFEST, retryDelays: [MINUTE, 2 * MINUTE], time: "skip" });
  const start = Date.now();
  using sqs = new Client(test.clientConfig());
  await sqs.send("jobs", { DelaySeconds: 900 });
  await sqs.send("gathered", {});
  const mail = await test.send({
    method: "POST",
    path: "/topics/mails",
    headers: [["Content-Type", "text/plain"]],
    body: "Hello",
  });
  assertEquals(mail.status, 200, mail.text);
  await test.send({ method: "POST", path: "/tables/orders", body: '{"id":"1"}' });
  await test.platform.settled();

  const calls = (name: string) => test.host.calls.filter((call) => call.name === name);
  assertEquals([calls("mail").length, calls("worker").length, failures], [3, 3, 6]);
  assertEquals([calls("gatherer").length, calls("follower").length], [1, 1]);
  const received = calls("worker").map(({ event: { Records: [{ attributes }] } }) => [
    Number(attributes.ApproximateReceiveCount),
    Number(attributes.ApproximateFirstReceiveTimestamp) - Number(attributes.SentTimestamp),
  ]);
  for (const [index, [count, wait]] of received.entries()) {
    assertEquals(count, index + 1);
    assert(wait! >= 15 * MINUTE && wait! < 16 * MINUTE, `${wait}`);
  }
  const page = await test.send({ path: "/v0/page" });
  assertEquals(page.status, 200);
  const { event } = calls("page")[0]!;
  // Delay of 15 minutes, and two visibilities of 10 minutes.
  assert(event.requestContext.requestTimeEpoch - start >= 35 * MINUTE);
});

Deno.test("the clock jumps only inside settled(), and never while a function runs", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await using test = await startTestPlatform(
    ({ name }) => name === "page" ? promise : "{}",
    { manifest: MANIFEST, time: "skip" },
  );
  using sqs = new Client(test.clientConfig());
  await sqs.send("jobs", { DelaySeconds: 900 });
  const page = test.send({ path: "/v0/page" });
  await until("the call of the function", () => test.host.calls.length > 0);
  const settled = test.platform.settled();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(test.host.calls.map(({ name }) => name), ["page"]);
  resolve("{}");
  await page;
  await settled;
  assertEquals(test.host.calls.map(({ name }) => name), ["page", "worker"]);
  await sqs.send("jobs", { DelaySeconds: 900 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(test.host.calls.length, 2);
});

Deno.test("a FIFO queue takes a message again when the clock has jumped over the five minutes", async () => {
  await using test = await startTestPlatform(() => "{}", { manifest: MANIFEST, time: "skip" });
  using sqs = new Client(test.clientConfig());
  const ordered = { MessageGroupId: "a", MessageDeduplicationId: "1" };
  const first = await sqs.send("ordered.fifo", ordered);
  assertEquals(await sqs.send("ordered.fifo", ordered), first);
  await sqs.send("jobs", { DelaySeconds: 301 });
  await test.platform.settled();
  assert(await sqs.send("ordered.fifo", ordered) !== first);
});

/** A client of Amazon SQS that sends messages. */
class Client {
  readonly #sqs: SQS;

  constructor(config: ConstructorParameters<typeof SQS>[0]) {
    this.#sqs = new SQS(config!);
  }

  async send(queue: string, more: object): Promise<string> {
    const { QueueUrl } = await this.#sqs.getQueueUrl({ QueueName: `app-${queue}` });
    const { MessageId } = await this.#sqs.sendMessage({ QueueUrl, MessageBody: "x", ...more });
    return MessageId!;
  }

  [Symbol.dispose](): void {
    this.#sqs.destroy();
  }
}
