import fc from "fast-check";
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { readPattern } from "../rules/event_pattern.ts";
import { readFilterPolicy } from "../rules/filter_policy.ts";
import { manifestWith } from "../testdata/platform.ts";
import { createEventBus } from "../aws/events/event_bus.ts";
import { Messaging } from "../sources/messaging.ts";
import { ServiceError } from "../aws/service_call.ts";
import { OPERATIONS as SNS_OPERATIONS, parseSns } from "../aws/sns/operations.ts";
import { OPERATIONS as SQS_OPERATIONS, parseSqs } from "../aws/sqs/sqs.ts";

const MANIFEST = manifestWith({
  worker: { module: "w.ts", triggers: { topics: [{ name: "news" }] } },
}, { jobs: {}, ordered: { fifo: true } });

const APPLICATION = resolveApplication(MANIFEST, LOCAL);

const name = (...names: string[]) => fc.constantFrom(...names, "__proto__", "constructor");

/** JSON with the given keys at many places. */
function jsonWith(...names: string[]) {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom<unknown>(null, true, -1, 0, 5, 1e308, "", "a", "*", "10.0.0.0/8", "true"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(fc.tuple(name(...names), tie("value")), { maxLength: 3 }).map(Object.fromEntries),
    ),
  }));
  return value;
}

/** Runs a call. The only errors are those that a client gets. */
async function run(call: () => { run(): unknown }): Promise<void> {
  try {
    await call().run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

Deno.test("readPattern() and readFilterPolicy() never fail, nor do their tests", () => {
  const operators = "prefix suffix anything-but numeric exists cidr wildcard equals-ignore-case";
  const pattern = jsonWith("a", "a.b", "$or", ...operators.split(" "));
  fc.assert(
    fc.property(pattern, jsonWith("a", "b", "a.b"), (candidate, event) => {
      for (const scope of ["MessageAttributes", "MessageBody"] as const) {
        readFilterPolicy(candidate, scope).matches({ body: JSON.stringify(event), attributes: {} });
      }
      readPattern(candidate).matches(event);
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("requests to Amazon SQS get an answer or an error of the service", async () => {
  const attributes = jsonWith("a", "AWS.a", "DataType", "StringValue", "BinaryValue");
  const entry = fc.record({
    Id: fc.constantFrom<unknown>("a", "b", "a b", 5),
    MessageBody: fc.constantFrom<unknown>("m", "", 5, null),
    MessageAttributes: attributes,
    MessageGroupId: fc.constantFrom<unknown>("g", 5),
    ReceiptHandle: fc.constantFrom<unknown>("x", 5, null),
    VisibilityTimeout: fc.constantFrom<unknown>(1, "1"),
  }, { requiredKeys: ["Id"] });
  const members = {
    QueueUrl: fc.constantFrom("/app-jobs", "/app-ordered.fifo", "/app-jobs", "/no", 5, null, {}),
    QueueName: fc.constantFrom("app-jobs", "x.fifo", "", 5),
    MessageBody: fc.constantFrom("m", "", "\ud800", 5, null),
    MessageGroupId: fc.constantFrom("g", "", "a b", 5),
    MessageDeduplicationId: fc.constantFrom("d", null, {}),
    DelaySeconds: fc.constantFrom(0, 1, -1, 1.5, "1"),
    WaitTimeSeconds: fc.constantFrom(0, -1, "0"),
    ReceiptHandle: fc.constantFrom("x", "", "am9icyBhIDE=", 5),
    VisibilityTimeout: fc.constantFrom(0, 43_201, "0"),
    MaxNumberOfMessages: fc.constantFrom(1, 0, 1e9),
    MessageAttributes: attributes,
    MessageSystemAttributes: jsonWith("AWSTraceHeader", "DataType", "StringValue"),
    Attributes: jsonWith("FifoQueue", "RedrivePolicy", "DelaySeconds", "Policy"),
    AttributeNames: jsonWith("All"),
    Entries: fc.array(entry, { maxLength: 3 }),
  };
  // An operation refuses members that it does not have, so a request has those that belong together.
  const groups = fc.constantFrom(
    ["Entries"],
    ["Entries", "QueueUrl"],
    ["MessageBody", "MessageAttributes", "MessageSystemAttributes", "QueueUrl"],
    ["MessageBody", "MessageGroupId", "MessageDeduplicationId", "DelaySeconds", "QueueUrl"],
    ["ReceiptHandle", "VisibilityTimeout"],
    ["AttributeNames", "WaitTimeSeconds", "VisibilityTimeout", "MaxNumberOfMessages"],
    ["QueueName", "Attributes"],
    Object.keys(members),
  );
  const input = fc.tuple(fc.record(members), groups.chain((group) => fc.subarray(group)))
    .map(([all, keys]) =>
      Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)))
    );
  const operations = fc.constantFrom(...Object.keys(SQS_OPERATIONS));
  await fc.assert(
    fc.asyncProperty(operations, input, async (operation, given) => {
      using messaging = new Messaging(APPLICATION, "/no such folder", () => {}); // A request may delete the queue.
      const headers = new Headers({ "x-amz-target": `AmazonSQS.${operation}` });
      const body = JSON.stringify({ QueueUrl: "/app-jobs", ...given });
      const { queues, signal } = messaging;
      await run(() => parseSqs(queues, headers, body, { endpoint: "http://localhost", signal }));
    }),
    { numRuns: 10_000 },
  );
});

Deno.test("requests to Amazon SNS get an answer or an error of the service", async () => {
  const topic = "arn:aws:sns:us-east-1:000000000000:app-news";
  const key = fc.array(
    name("Message", "MessageAttributes", "entry", "member", "1", "Name", "Value", "DataType"),
    { minLength: 1, maxLength: 5 },
  ).map((parts) => parts.join("."));
  const known = fc.constantFrom(
    ["Message", "m"],
    ["TopicArn", topic],
    ["SubscriptionArn", `${topic}:x`],
    ["PublishBatchRequestEntries.member.1.Id", "a"],
    ["PublishBatchRequestEntries.member.1.Message", "m"],
    ["MessageAttributes.entry.1.Name", "__proto__"],
    ["MessageAttributes.entry.1.Value.DataType", "Number"],
    ["MessageAttributes.entry.1.Value.StringValue", "1"],
    ["MessageStructure", "json"],
    ["Attributes.entry.1.key", "FilterPolicy"],
    ["Attributes.entry.1.value", "[]"],
    ["Protocol", "sqs"],
    ["Endpoint", "arn:aws:sqs:us-east-1:000000000000:app-jobs"],
  );
  const parameter = fc.oneof(known, fc.tuple(key, fc.constantFrom("", "a", topic, "{}", "null")));
  const action = fc.constantFrom(...Object.keys(SNS_OPERATIONS), "Other");
  await fc.assert(
    fc.asyncProperty(action, fc.array(parameter, { maxLength: 8 }), async (Action, parameters) => {
      using messaging = new Messaging(APPLICATION, "/no such folder", () => {});
      const body = new URLSearchParams([["Action", Action], ...parameters as [string, string][]]);
      await run(() => parseSns(messaging.topics, new Headers(), `${body}`));
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("requests to Amazon EventBridge get an answer or an error of the service", async () => {
  const bus = createEventBus(APPLICATION.rules, () => {}, () => {});
  const headers = new Headers({ "x-amz-target": "AWSEvents.PutEvents" });
  const value = jsonWith("Source", "DetailType", "Detail", "EventBusName", "Time", "Resources");
  const input = fc.oneof(value, fc.array(value, { maxLength: 3 }).map((Entries) => ({ Entries })));
  await fc.assert(
    fc.asyncProperty(input, (members) => run(() => bus.parse(headers, JSON.stringify(members)))),
    { numRuns: 3_000 },
  );
});
