import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { anyText } from "../../testdata/any_text.ts";
import { namesIn, OPERATIONS } from "../aws/s3/operations.ts";
import { type Parameters, SUPPORTED } from "../aws/supported.ts";
import { topicArn } from "../rules/arn.ts";
import { FILES } from "../testdata/platform.ts";
import { startServices } from "../testdata/services.ts";

/** How often each parameter gets a random value, besides those of {@linkcode HARD}. */
const RUNS = 3;

const DEEP = `${'{"a":'.repeat(8_000)}1${"}".repeat(8_000)}`;

/** Texts that have broken services: beyond Latin-1, with control characters, and nested deeply. */
const HARD = ["\u20ac\u{1f600}", "a\r\nb\0", DEEP, "\ud800"];

/** Sends a request to the services of the developer, and returns what a client reads. */
type Send = (path: string, init: RequestInit) => Promise<void>;

/** Starts services. A request that leads to "The platform failed" fails the test, with the request. */
async function start() {
  const test = await startServices();
  const send: Send = async (path, init) => {
    const response = await fetch(`${test.url}${path}`, init);
    const text = await response.text();
    const shown = `${init.method} ${path} ${JSON.stringify(init)}`.slice(0, 2_000);
    assertEquals(/The platform failed|InternalFailure/.test(text), false, `${shown}: ${text}`);
    assertEquals(response.status < 500 || response.status === 501, true, `${shown}: ${text}`);
  };
  return { test, send };
}

/** Texts that are not plain: any, and numbers at the limits. */
const TEXT: fc.Arbitrary<string> = fc.oneof(
  anyText,
  fc.constantFrom("[".repeat(8_000), "__proto__", "constructor", ""),
  fc.constantFrom("-1", "1e400", "NaN", "99999999999999999999", "0x1", "2026-13-01"),
);

/** Checks a property of random values, and of the hard ones. */
const check = <Value>(
  values: fc.Arbitrary<Value>,
  hard: readonly Value[],
  property: (value: Value) => Promise<void>,
) =>
  fc.assert(fc.asyncProperty(values, property), {
    examples: hard.map((value): [Value] => [value]),
    numRuns: hard.length + RUNS,
  });

/** A value of JSON. */
const VALUE: fc.Arbitrary<unknown> = fc.oneof(
  TEXT,
  fc.jsonValue(),
  fc.constantFrom(null, true, -1, 1e308, 0.5, [], {}, [[]], { "__proto__": 1 }),
  TEXT.map((text) => [text]),
  TEXT.map((text) => ({ [text]: text, StringValue: text, DataType: text })),
);

const QUEUE = "http://localhost/000000000000/app-jobs";

/** A value for each parameter, so that the others of the same request are read, too. */
const VALID: Readonly<Record<string, unknown>> = {
  Action: undefined,
  AttributeName: "RawMessageDelivery",
  AttributeValue: "true",
  Attributes: {},
  Detail: "{}",
  DetailType: "Sold",
  Endpoint: "arn:aws:sqs:us-east-1:000000000000:app-jobs",
  Id: "1",
  Item: { id: { S: "1" } },
  Key: { id: { S: "1" } },
  Message: "m",
  MessageBody: "m",
  Name: "app-news",
  Protocol: "sqs",
  QueueName: "app-jobs",
  QueueUrl: QUEUE,
  ReceiptHandle: "none",
  Source: "shop",
  SubscriptionArn: `${topicArn("app-news")}:1`,
  TableName: "app-items",
  TopicArn: topicArn("app-news"),
  VisibilityTimeout: 1,
};

/** Makes an input with the valid values of the names. */
function validOf(parameters: Parameters): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, inner]) => {
      if (inner === true) return name in VALID ? [[name, VALID[name]]] : [];
      if (name === "RequestItems") {
        return [[name, { "app-items": validOf(inner["*"] as Parameters) }]];
      }
      return [[name, "*" in inner ? [validOf(inner["*"] as Parameters)] : validOf(inner)]];
    }),
  );
}

/** The inputs with another value at one place, for each place. */
function* changesOf(
  parameters: Parameters,
): Generator<readonly [name: string, change: (input: object, value: unknown) => object]> {
  for (const [name, inner] of Object.entries(parameters)) {
    yield [name, (input, value) => ({ ...input, [name]: value })];
    const members = inner === true ? undefined : (inner["*"] ?? inner) as Parameters;
    if (members === undefined || typeof members !== "object") continue;
    for (const [member, change] of changesOf(members)) {
      const changed = (value: unknown) => change(validOf(members), value);
      yield [`${name}.${member}`, (input, value) => ({ ...input, [name]: [changed(value)] })];
      yield [
        `${name}.a.${member}`,
        (input, value) => ({ ...input, [name]: { a: changed(value) } }),
      ];
    }
  }
}

const TARGETS = { dynamodb: "DynamoDB_20120810", events: "AWSEvents", sqs: "AmazonSQS" } as const;

/** Stands for a value that is nested so deeply that JSON.stringify() cannot write it. */
const AS_JSON = "DEEP";

Deno.test("no value of a parameter of Amazon SQS, EventBridge or DynamoDB is a failure of the platform", async () => {
  const { test, send } = await start();
  await using _ = test;
  for (const service of ["dynamodb", "events", "sqs"] as const) {
    for (const [operation, parameters] of Object.entries(SUPPORTED[service])) {
      const headers = { "x-amz-target": `${TARGETS[service]}.${operation}` };
      const wait = operation === "ReceiveMessage" ? { WaitTimeSeconds: 0 } : {};
      const post = (body: string) => send("/", { method: "POST", headers, body });
      for (const [, change] of changesOf({ ...parameters, [operation]: true })) {
        await check(VALUE, [...HARD, AS_JSON], async (value) => {
          const input = change({ ...validOf(parameters), ...wait }, value);
          await post(JSON.stringify(input).replaceAll(`"${AS_JSON}"`, DEEP));
        });
      }
      await check(TEXT, HARD, post);
    }
  }
});

Deno.test("no value of a parameter of Amazon SNS is a failure of the platform", async () => {
  const { test, send } = await start();
  await using _ = test;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const attribute = ["Name", "Value.DataType", "Value.StringValue", "Value.BinaryValue"]
    .map((part) => `MessageAttributes.entry.1.${part}`);
  const placesOf = (name: string) =>
    name === "MessageAttributes"
      ? attribute
      : name === "Attributes"
      ? ["Attributes.entry.1.key", "Attributes.entry.1.value"]
      : [name];
  const names = ["FilterPolicy", "FilterPolicyScope", "RawMessageDelivery", "RedrivePolicy"];
  for (const [operation, parameters] of Object.entries(SUPPORTED.sns)) {
    const { PublishBatchRequestEntries: entries, ...plain } = parameters;
    const inner = (Object(entries)["*"] ?? {}) as Parameters;
    const prefix = "PublishBatchRequestEntries.member.1.";
    const valid = [
      ...Object.entries(validOf(plain)),
      ...Object.entries(validOf(inner)).map(([name, value]) => [prefix + name, value] as const),
    ].filter(([, value]) => typeof value === "string") as [string, string][];
    const places = [
      ...Object.keys(plain).flatMap(placesOf).map((name) => ["", name] as const),
      ...Object.keys(inner).flatMap(placesOf).map((name) => [prefix, name] as const),
    ];
    for (const [start, name] of places) {
      for (const named of name.startsWith("Attribute") ? names : names.slice(0, 1)) {
        await check(TEXT, HARD, async (value) => {
          const form = new URLSearchParams({ Action: operation, ...Object.fromEntries(valid) });
          if (name.startsWith("MessageAttributes")) {
            for (const part of attribute.slice(0, 3)) form.set(start + part, "String");
          }
          if (name === "AttributeValue") form.set("AttributeName", named);
          if (name.endsWith("entry.1.value")) form.set("Attributes.entry.1.key", named);
          form.set(start + name, value);
          await send("/", { method: "POST", headers, body: String(form) });
        });
      }
    }
  }
});

/** Makes the text of a header field: bytes without control characters. */
const fieldOf = (text: string) =>
  Buffer.from(text.slice(0, 2_000)).toString("latin1").replaceAll(/[^ -~\x80-\xff]/g, "");

/** Header fields that Amazon S3 reads in several operations. */
const FIELDS = ["content-md5", "content-type", "content-encoding", "content-disposition", "range"]
  .concat("x-amz-content-sha256", "x-amz-decoded-content-length", "x-amz-trailer", "expires")
  .concat("x-amz-expected-bucket-owner", "authorization", "x-amz-date", "x-amz-meta-a");

/** Parameters of a presigned URL. */
const PARAMETERS = ["X-Amz-Expires", "X-Amz-Date", "X-Amz-Credential", "X-Amz-Algorithm"]
  .concat("X-Amz-Content-Sha256", "x-amz-meta-a", "x-amz-storage-class", "x-amz-checksum-crc32");

Deno.test("no value of a parameter or a header field of Amazon S3 is a failure of the platform", async () => {
  const { test, send } = await start();
  await using _ = test;
  const { s3 } = test.developer;
  const Metadata = { text: "=?UTF-8?B?4oKsCg==?=" }; // control characters, too
  await s3.putObject({ Bucket: FILES, Key: "k", Body: "kept", Metadata });
  const { UploadId = "" } = await s3.createMultipartUpload({ Bucket: FILES, Key: "k" });
  const VALUES: Readonly<Record<string, string>> = {
    "list-type": "2",
    partNumber: "1",
    uploadId: UploadId,
  };
  for (const { request, ...all } of Object.values<Record<string, string>>(OPERATIONS)) {
    const { names, header, query, headers } = all;
    const [method = "", level] = request!.split(" ");
    const path = level === "service" ? "/" : level === "bucket" ? `/${FILES}` : `/${FILES}/k`;
    const base = namesIn(names).map((name): [string, string] => [name, VALUES[name] ?? ""]);
    const copies = namesIn(header).map((name): [string, string] => [name, `${FILES}/k`]);
    const body = method === "PUT" || method === "POST" ? { body: "<a/>" } : {};
    for (const name of [...namesIn(names), ...namesIn(query), ...PARAMETERS]) {
      await check(TEXT, HARD, async (value) => {
        const changed = new URLSearchParams(base);
        changed.set(name, value.slice(0, 2_000));
        await send(`${path}?${changed}`, { method, headers: copies, ...body });
      });
    }
    const search = new URLSearchParams(base);
    const own = namesIn(headers).map((name) => name.replace("*", "crc32"));
    for (const name of [...own, ...FIELDS, ...namesIn(header)]) {
      await check(TEXT, HARD, async (value) => {
        const sent = new Headers(copies);
        sent.set(name, fieldOf(value));
        await send(`${path}?${search}`, { method, headers: sent, ...body });
      });
    }
    await check(TEXT, HARD, async (text) => {
      const place = encodeURIComponent(text.toWellFormed().slice(0, 500));
      const target = level === "object" ? `${FILES}/${place || "k"}` : place;
      const sent = "body" in body ? { body: text } : {};
      await send(`/${target}?${search}`, { method, headers: copies, ...sent });
    });
  }
});

Deno.test("no request to the Invoke API is a failure of the platform", async () => {
  const { test, send } = await start();
  await using _ = test;
  const scope = "developer/20260101/us-east-1/lambda/aws4_request";
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  const fields = ["x-amz-invocation-type", "x-amz-log-type", "x-amz-client-context"];
  for (const name of [...fields, "x-amzn-trace-id", "content-type"]) {
    await check(TEXT, HARD, async (text) => {
      const place = encodeURIComponent(text.toWellFormed().slice(0, 500));
      const headers = { authorization, [name]: fieldOf(text) };
      for (const functionName of ["worker", place || "a"]) {
        const path = `/2015-03-31/functions/${functionName}/invocations?Qualifier=${place}`;
        await send(path, { method: "POST", headers, body: text });
      }
    });
  }
});
