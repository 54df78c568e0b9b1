import { assertEquals } from "@std/assert";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";
import { queueArn, topicArn } from "../../cli/rules/arn.ts";
import { checkAnswers } from "../../cli/testdata/contract.ts";
import { manifestWith, startTestPlatform } from "../../cli/testdata/platform.ts";

const MANIFEST = manifestWith({
  check: { module: "check.ts" },
  orders: {
    module: "orders.ts",
    triggers: { routes: [{ method: "ANY", path: "/orders/{id+}", authorizer: "check" }] },
  },
  worker: {
    module: "worker.ts",
    timeout: 1,
    triggers: { queues: [{ name: "jobs" }], topics: [{ name: "news" }] },
  },
  listener: {
    module: "listener.ts",
    triggers: {
      events: [{ pattern: { detail: { name: [{ wildcard: "*ab*ac*ad*" }] } } }],
    },
  },
}, { jobs: { retries: 1, visibility: 1 } });

/** A policy whose resource has many wildcards. */
const POLICY = JSON.stringify({
  principalId: "ada",
  policyDocument: {
    Statement: [{ Effect: "Allow", Action: "execute-api:*", Resource: `${"*a".repeat(200)}*b` }],
  },
});

Deno.test("no request freezes the platform, and the next request is answered", async () => {
  await using test = await startTestPlatform(({ name }) => name === "check" ? POLICY : "{}", {
    manifest: MANIFEST,
  });
  const long = "a".repeat(8_000);
  const post = (path: string, body: string) => test.send({ method: "POST", path, body });
  // Each of these takes hours if the time is not linear in the length.
  assertEquals((await test.send({ path: `/v0/orders/${long}` })).status, 403);
  const event = { source: "shop", "detail-type": "x", detail: { name: "ab".repeat(100_000) } };
  assertEquals((await post("/events", JSON.stringify(event))).status, 200);
  const nested = "[".repeat(200_000) + "]".repeat(200_000);
  for (const path of ["/events", "/topics/news", "/requests", "/queues/jobs"]) {
    await post(path, nested);
  }
  await post("/2015-03-31/functions/worker/invocations", nested);
  const headers = Array.from({ length: 1_100 }, (_, index) => [`x-${index}`, ","] as const);
  assertEquals((await test.send({ path: "/v0/orders/1", headers })).status, 431);
  assertEquals((await test.send({ path: "/" })).status, 200);
});

Deno.test("no message stops the queues and topics", async () => {
  await using test = await startTestPlatform(({ name, event }) => {
    const [{ body = "" } = {}] = event.Records ?? [];
    return name === "worker" && body.includes("poison")
      ? { failure: "error", payload: new TextEncoder().encode("{}") }
      : "{}";
  }, { manifest: MANIFEST });
  const { servicesUrl } = test.platform;
  const options = {
    endpoint: servicesUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "me", secretAccessKey: "me" },
  };
  const [sqs, sns] = [checkAnswers(new SQS(options)), checkAnswers(new SNS(options))];
  try {
    const QueueUrl = `${servicesUrl}/000000000000/app-jobs`;
    const TopicArn = topicArn("app-news");
    await sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn("app-jobs") });
    // A topic has sent nothing of this.
    for (const MessageBody of ["poison", "null", "{}", '{"Type":"Notification"}', "\ud800", "[]"]) {
      await sqs.sendMessage({ QueueUrl, MessageBody }).catch(() => {});
    }
    await sns.publish({ TopicArn, Message: "news" });
    await sns.deleteTopic({ TopicArn });
    await sqs.sendMessage({ QueueUrl, MessageBody: "good" });
    await test.platform.settled();
    const bodies = test.host.calls.flatMap(({ event }) =>
      event.Records.flatMap(({ body }: { body?: string }) => body ?? [])
    );
    assertEquals(bodies.filter((body) => body === "good"), ["good"]);
    assertEquals(bodies.filter((body) => body.includes("poison")).length, 2, "one retry");
    const { text } = await test.send({ path: "/queues/jobs" });
    assertEquals(JSON.parse(text), {
      visible: 0,
      invisible: 0,
      delayed: 0,
      deadLetters: 1,
      messages: [],
    });
  } finally {
    sqs.destroy();
    sns.destroy();
  }
});
