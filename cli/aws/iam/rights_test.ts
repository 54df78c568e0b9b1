import { runSimulation } from "@cloud-copilot/iam-simulate";
import { assertEquals, assertRejects } from "@std/assert";
import { LOCAL } from "../../rules/arn.ts";
import { resolveApplication } from "../../application/resolve.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { FILES } from "../../testdata/platform.ts";
import { sendSigned, startServices } from "../../testdata/services.ts";
import { Rights } from "./policy.ts";
import { OPERATIONS as SNS_OPERATIONS } from "../sns/operations.ts";
import { actionOf, OPERATIONS as SQS_OPERATIONS } from "../sqs/sqs.ts";

const statement = (Effect: string, Action: string, Resource: string, others = {}) => ({
  Effect,
  Action,
  Resource,
  ...others,
});

const ALL = statement("Allow", "*", "*");
const secure = (value: string) => ({ Condition: { Bool: { "aws:SecureTransport": value } } });
const source = (operator: string) => ({ Condition: { [operator]: { "events:source": "shop*" } } });

/** A function for each kind of right. */
const FUNCTIONS = {
  none: { module: "f.ts" },
  reader: { module: "f.ts", uses: { buckets: { files: "read" } } },
  writer: { module: "f.ts", uses: { buckets: { files: "write" } } },
  both: { module: "f.ts", uses: { buckets: { files: "read-write" } } },
  publisher: { module: "f.ts", uses: { topics: { news: "publish" } } },
  sender: { module: "f.ts", uses: { queues: { jobs: "send" } } },
  receiver: { module: "f.ts", triggers: { queues: [{ name: "jobs" }] } },
  "table-reader": { module: "f.ts", uses: { tables: { notes: "read" } } },
  "table-writer": { module: "f.ts", uses: { tables: { notes: "write" } } },
  "table-both": { module: "f.ts", uses: { tables: { notes: "read-write" } } },
  follower: { module: "f.ts", triggers: { tables: [{ name: "notes" }] } },
  everything: { module: "f.ts", statements: [ALL] },
  tls: { module: "f.ts", statements: [{ ...ALL, ...secure("true") }] },
  denied: {
    module: "f.ts",
    uses: {
      queues: { jobs: "send" },
      topics: { news: "publish" },
      buckets: { files: "read-write" },
    },
    statements: [
      statement("Deny", "s3:*", "arn:aws:s3:::app-files-*/secret*"),
      statement("Deny", "sqs:Send*", "*", secure("true")),
      statement("Deny", "sns:Publish", "*", secure("false")),
    ],
  },
  others: {
    module: "f.ts",
    statements: [
      { Effect: "Allow", NotAction: ["sqs:Delete*", "s3:*"], Resource: "*" },
      { Effect: "Allow", Action: "s3:*", NotResource: "arn:aws:s3:::*/secret*" },
    ],
  },
  named: {
    module: "f.ts",
    statements: [
      statement("Allow", "sqs:*", "arn:aws:sqs:${region}:${account}:app-*"),
      statement("Allow", "events:PutEvents", "arn:aws:events:*:*:event-bus/orders"),
      statement("Allow", "lambda:InvokeFunction", "arn:aws:lambda:*:*:function:app-none"),
      statement("Allow", "events:PutEvents", "*", source("ForAllValues:StringLike")),
    ],
  },
};

const MANIFEST = parseManifest(
  JSON.stringify({
    name: "app",
    stage: "v0",
    functions: FUNCTIONS,
    queues: { jobs: {} },
    tables: { notes: { key: { id: "string" }, indexes: { "by-day": { key: { day: "string" } } } } },
  }),
  "app.json",
);

interface Question {
  readonly action: string;
  readonly resources: readonly string[];
  readonly context?: Readonly<Record<string, string[]>>;
}

const arn = (service: string, name: string) => `arn:aws:${service}:us-east-1:000000000000:${name}`;
const BUCKET = `arn:aws:s3:::${FILES}`;
const NONE = ["*"];
const QUEUES = ["app-jobs", "app-jobs-dead-letters"].map((name) => arn("sqs", name));
const TOPICS = ["app-news", "x"].map((name) => arn("sns", name));
const KEYS = ["a", "secret/a", "öffentlich"].map((key) => `${BUCKET}/${key}`);

/** The actions of the operations on items, and of the parts of transactions. */
const TABLE_ACTIONS = [
  "BatchGetItem",
  "BatchWriteItem",
  "ConditionCheckItem",
  "DeleteItem",
  "DescribeTable",
  "GetItem",
  "PutItem",
  "UpdateItem",
];
const INDEX_ACTIONS = ["Query", "Scan"];
const [TABLE, INDEX] = ["table/app-notes", "table/app-notes/index/by-day"]
  .map((name) => arn("dynamodb", name)) as [string, string];

/** Each action that this machine knows. */
const QUESTIONS: readonly Question[] = [
  ...new Set(Object.keys(SQS_OPERATIONS).map(actionOf)),
].map((action): Question => ({
  action,
  resources: action === "sqs:ListQueues" ? NONE : QUEUES,
})).concat(
  Object.keys(SNS_OPERATIONS).filter((name) => name !== "PublishBatch").map((name) => ({
    action: `sns:${name}`,
    resources: name === "ListTopics" ? NONE : TOPICS,
  })),
  ["GetObject", "PutObject", "DeleteObject", "AbortMultipartUpload"].map((name) => ({
    action: `s3:${name}`,
    resources: KEYS,
  })),
  [...TABLE_ACTIONS, ...INDEX_ACTIONS].map((name) => ({
    action: `dynamodb:${name}`,
    resources: INDEX_ACTIONS.includes(name) ? [TABLE, INDEX] : [TABLE],
  })),
  [
    { action: "dynamodb:ListTables", resources: NONE },
    { action: "s3:ListBucket", resources: [BUCKET] },
    { action: "s3:ListAllMyBuckets", resources: NONE },
    ...[["shop.orders"], ["other"], ["shop.a", "other"]].map((sources): Question => ({
      action: "events:PutEvents",
      resources: ["default", "orders"].map((bus) => arn("events", `event-bus/${bus}`)),
      context: { "events:source": sources },
    })),
    ...["lambda:InvokeFunction", "lambda:InvokeFunctionUrl"].map((action): Question => ({
      action,
      resources: ["none", "reader"].map((name) => arn("lambda", `function:app-${name}`)),
    })),
  ],
);

Deno.test("Rights answers as another evaluator does with the statements of the deployment", async () => {
  const application = resolveApplication(MANIFEST, LOCAL);
  const rights = new Rights(application.functions);
  const answers = { true: 0, false: 0 };
  for (const [name, { statements, role }] of Object.entries(application.functions)) {
    for (const { action, resources, context = {} } of QUESTIONS) {
      for (const resource of resources) {
        const { overallResult, ...rest } = await runSimulation({
          request: {
            principal: `arn:aws:iam::000000000000:role/${role}`,
            action,
            resource: { resource, accountId: "000000000000" },
            contextVariables: { "aws:SecureTransport": "true", ...context },
          },
          identityPolicies: [{
            name: "role",
            policy: { Version: "2012-10-17", Statement: statements },
          }],
          serviceControlPolicies: [],
          resourceControlPolicies: [],
        }, {}) as { overallResult?: string };
        const question = `${name}: ${action} on ${resource} ${JSON.stringify(rest).slice(0, 300)}`;
        assertEquals(typeof overallResult, "string", question);
        const isAllowed = rights.allows(name, { action, resource, context });
        assertEquals(isAllowed, overallResult === "Allowed", question);
        answers[`${isAllowed}`]++;
      }
    }
  }
  assertEquals(
    answers.true + answers.false >= 1_000 && answers.true >= 100,
    true,
    JSON.stringify(answers),
  );
});

/** @see https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html */
Deno.test("Rights knows the function that sends a request by lambda:SourceFunctionArn", () => {
  const arnOf = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:app-${name}`;
  const grant = {
    ...statement("Allow", "sqs:SendMessage", "*"),
    Condition: { ArnEquals: { "lambda:SourceFunctionArn": arnOf("one") } },
  };
  const functions = Object.fromEntries(
    ["one", "two"].map((name) => [name, { module: `${name}.ts`, statements: [grant] }]),
  );
  const manifest = parseManifest(
    JSON.stringify({ name: "app", stage: "v0", functions }),
    "app.json",
  );
  const resolved = resolveApplication(manifest, LOCAL).functions;
  assertEquals(resolved.one!.arn, arnOf("one"));
  const rights = new Rights(resolved);
  const access = { action: "sqs:SendMessage", resource: "arn:aws:sqs:us-east-1:000000000000:q" };
  assertEquals(["one", "two"].map((name) => rights.allows(name, access)), [true, false]);
});

Deno.test("what is checked is what runs", async () => {
  await using test = await startServices({
    buckets: { files: "read-write" },
    topics: { news: "publish" },
    queues: { jobs: "send" },
  }, [
    statement("Deny", "s3:DeleteObject", "arn:aws:s3:::app-files-*/secret"),
    statement("Allow", "events:PutEvents", "arn:aws:events:*:*:event-bus/orders"),
  ]);
  const { s3, events, sqs } = test.worker;
  const publish = `Action=Publish&Message=m&TopicArn=arn:aws:sns:us-east-1:000000000000:app-news`;
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" } };
  const repeated = await sendSigned(test.environment, "sns", {
    ...form,
    body: `${publish}&Action=DeleteTopic`,
  });
  const code = /Code>(.*)<\/Code/.exec(await repeated.text())?.[1];
  assertEquals([repeated.status, code], [400, "InvalidParameter"]);
  // The name of one queue gives no right to another.
  const QueueUrl = "http://localhost/000000000000/app-ordered.fifo";
  const other = await sendSigned(test.environment, "sqs", {
    headers: { "x-amz-target": "AmazonSQS.SendMessage" },
    body: JSON.stringify({
      QueueName: "app-jobs",
      QueueUrl,
      MessageBody: "m",
      MessageGroupId: "g",
    }),
  });
  assertEquals(other.status, 403, await other.text());
  await assertRejects(() => sqs.sendMessage({ QueueUrl, MessageBody: "m" }), Error, "may not sqs:");
  // Each bus is checked by its own name.
  const entry = { Source: "shop", DetailType: "Sold", Detail: "{}" };
  await events.putEvents({ Entries: [{ ...entry, EventBusName: "orders" }] });
  const busArn = "arn:aws:events:us-east-1:000000000000:event-bus/orders";
  await events.putEvents({ Entries: [{ ...entry, EventBusName: busArn }] });
  for (const Entries of [[entry], [{ ...entry, EventBusName: "orders" }, entry]]) {
    await assertRejects(() => events.putEvents({ Entries }), Error, "event-bus/default");
  }
  // One key that may not be deleted refuses the whole request.
  const Bucket = FILES;
  for (const Key of ["a", "secret"]) await test.developer.s3.putObject({ Bucket, Key, Body: "A" });
  await s3.deleteObjects({ Bucket, Delete: { Objects: [{ Key: "a" }] } });
  const Objects = [{ Key: "b" }, { Key: "secret" }];
  await assertRejects(
    () => s3.deleteObjects({ Bucket, Delete: { Objects } }),
    Error,
    "DeleteObject",
  );
  await test.developer.s3.headObject({ Bucket, Key: "secret" });
});
