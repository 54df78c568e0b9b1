import { assertEquals, assertStringIncludes } from "@std/assert";
import { findProgram } from "../programs/find_program.ts";
import { startPlatform } from "./platform.ts";
import { run, startProgram } from "../../testdata/programs.ts";

const VERSIONS: Record<string, string> = JSON.parse(
  await Deno.readTextFile(new URL("../../.ci/deno.json", import.meta.url)),
).imports;

/** An application. Its function "caller" uses the SDK, "told" logs its events, and "stream" streams. */
const FILES = {
  "caller.ts": `
    import { GetObjectCommand, PutObjectCommand, S3Client } from "${
    VERSIONS["@aws-sdk/client-s3"]
  }";
    import { PublishCommand, SNSClient } from "${VERSIONS["@aws-sdk/client-sns"]}";
    import { SendMessageCommand, SQSClient } from "${VERSIONS["@aws-sdk/client-sqs"]}";
    import { EventBridgeClient, PutEventsCommand } from "${
    VERSIONS["@aws-sdk/client-eventbridge"]
  }";
    import { InvokeCommand, LambdaClient } from "${VERSIONS["@aws-sdk/client-lambda"]}";

    const { env } = Deno;
    const refused = (promise: Promise<unknown>) => promise.then(() => "done", ({ name }) => name);
    export async function handler() {
      const s3 = new S3Client();
      const Bucket = env.get("BUCKET_UPLOADS");
      await s3.send(new PutObjectCommand({ Bucket, Key: "in/a.csv", Body: "a,b" }));
      await s3.send(new PutObjectCommand({ Bucket, Key: "other/a.csv", Body: "a,b" }));
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: "in/a.csv" }));
      const sns = new SNSClient();
      const MessageAttributes = { kind: { DataType: "String", StringValue: "order" } };
      const TopicArn = env.get("TOPIC_NEWS");
      await sns.send(new PublishCommand({ TopicArn, Message: "filtered" }));
      await sns.send(new PublishCommand({ TopicArn, Message: "news", MessageAttributes }));
      const QueueUrl = env.get("QUEUE_JOBS");
      await new SQSClient().send(new SendMessageCommand({ QueueUrl, MessageBody: "job" }));
      const entry = { Source: "shop", DetailType: "Order", Detail: "{}" };
      const events = new EventBridgeClient();
      const { FailedEntryCount } = await events.send(new PutEventsCommand({ Entries: [entry] }));
      const lambda = new LambdaClient();
      const invoked = await lambda.send(new InvokeCommand({ FunctionName: "shop-told" }));
      const body = JSON.stringify({
        object: await Body!.transformToString(),
        FailedEntryCount,
        told: invoked.Payload!.transformToString(),
        otherBucket: await refused(s3.send(new PutObjectCommand({ Bucket: "secret", Key: "x" }))),
        otherFunction: await refused(lambda.send(new InvokeCommand({ FunctionName: "caller" }))),
      });
      return { body };
    }`,
  "told.ts": `
    export const handler = (event) => {
      for (const { eventSource, EventSource, body, Sns, s3 } of event.Records ?? []) {
        console.log("told", eventSource ?? EventSource, body ?? Sns?.Message ?? s3.object.key);
      }
      if (event.source) console.log("told", event.source, event["detail-type"]);
      return "told";
    };`,
  "stream.ts": `
    const mark = { [Symbol.for("@mate/core/http-stream/1")]: true };
    async function* body() {
      yield "one\\n";
      await new Promise((resolve) => setTimeout(resolve, 500));
      yield "two\\n";
    }
    export const handler = () => ({ ...mark, prelude: { statusCode: 200, headers: {} }, body: body() });`,
  "app.json": JSON.stringify({
    name: "shop",
    stage: "v1",
    functions: {
      caller: {
        module: "caller.ts",
        memory: 512,
        timeout: 30,
        triggers: { routes: [{ method: "GET", path: "/call" }] },
        uses: {
          buckets: { uploads: "read-write" },
          topics: { news: "publish" },
          queues: { jobs: "send" },
        },
        statements: [
          { Effect: "Allow", Action: "events:PutEvents", Resource: "*" },
          {
            Effect: "Allow",
            Action: "lambda:InvokeFunction",
            Resource: "arn:aws:lambda:${region}:${account}:function:shop-told",
          },
        ],
      },
      told: {
        module: "told.ts",
        triggers: {
          buckets: [{ name: "uploads", events: ["s3:ObjectCreated:*"], prefix: "in/" }],
          topics: [{ name: "news", filter: { kind: ["order"] } }],
          queues: [{ name: "jobs" }],
          events: [{ pattern: { source: ["shop"] } }],
        },
      },
      stream: { module: "stream.ts", triggers: { url: { auth: "none", stream: true } } },
    },
    queues: { jobs: {} },
  }),
};

/** Starts the application. */
async function startShop() {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  for (const [name, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const platform = stack.use(await startPlatform(`${folder}/app.json`));
  const owned = stack.move();
  return {
    folder,
    platform,
    /** Waits for all functions. Returns what the function "told" logged. */
    async told() {
      await platform.settled();
      return platform.log.after(0).flatMap(({ text }) => /told (.*)/.exec(text)?.[1] ?? []).sort();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const has = async (program: string) => {
  const isInstalled = await findProgram(program) !== undefined;
  if (!isInstalled) console.error(`NOT RUN: the tests with ${program}, which is not installed`);
  return isInstalled;
};
const hasAws = await has("aws");
const hasCurl = await has("curl");

/** Asserts that curl sees each part of a stream at once. */
async function assertStream(port: number): Promise<void> {
  if (!hasCurl) return;
  const url = `http://stream.localhost:${port}/`;
  await using curl = startProgram("curl", { args: ["-sN", url], stdout: "piped" });
  const parts = await Array.fromAsync(curl.stdout.pipeThrough(new TextDecoderStream()));
  assertEquals([(await curl.status).code, parts], [0, ["one\n", "two\n"]]);
}

Deno.test("a function in a sandbox uses the services with the AWS SDK, as far as the manifest grants it", async () => {
  await using shop = await startShop();
  const response = await fetch(`${shop.platform.url}/v1/call`);
  const text = await response.text();
  const log = shop.platform.log.after(0).map((entry) => entry.text).join("\n");
  assertEquals(response.status, 200, log);
  assertEquals(JSON.parse(text), {
    object: "a,b",
    FailedEntryCount: 0,
    told: '"told"',
    otherBucket: "AccessDenied",
    otherFunction: "AccessDeniedException",
  });
  const expected = ["aws:s3 in/a.csv", "aws:sns news", "aws:sqs job", "shop Order"];
  assertEquals(await shop.told(), expected);
  await assertStream(shop.platform.port);
});

Deno.test("the AWS CLI uses the services, and invokes functions", async () => {
  await using shop = await startShop();
  await assertStream(shop.platform.port);
  if (!hasAws) return;
  const { controlUrl, servicesUrl } = shop.platform;
  const aws = async (endpoint: string, ...args: string[]) => {
    const all = [...args, "--endpoint-url", endpoint, "--region", "us-east-1"];
    const env = { AWS_ACCESS_KEY_ID: "me", AWS_SECRET_ACCESS_KEY: "me", AWS_MAX_ATTEMPTS: "1" };
    const { code, stdout: text, stderr: errors } = await run("aws", all, { env });
    return { code, text, errors };
  };
  const result = `${shop.folder}/result`;
  const invoked = await aws(controlUrl, "lambda", "invoke", "--function-name", "told", result);
  const { StatusCode, ExecutedVersion } = JSON.parse(invoked.text);
  assertEquals([StatusCode, ExecutedVersion], [200, "$LATEST"]);
  assertEquals(await Deno.readTextFile(result), '"told"');
  const file = `${shop.folder}/cli.csv`;
  const content = crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(72);
  await Deno.writeTextFile(file, content); // 9 MiB, which the AWS CLI sends in parts
  const uploads = "s3://shop-uploads-000000000000-us-east-1/in/";
  assertEquals((await aws(servicesUrl, "s3", "cp", file, `${uploads}cli.csv`)).code, 0);
  const copy = `${shop.folder}/copy`;
  assertEquals((await aws(servicesUrl, "s3", "sync", uploads, copy)).code, 0);
  assertEquals(await Deno.readTextFile(`${copy}/cli.csv`) === content, true);
  const { text } = await aws(servicesUrl, "sqs", "get-queue-url", "--queue-name", "shop-jobs");
  const queue = ["--queue-url", JSON.parse(text).QueueUrl, "--message-body", "by hand"];
  await aws(servicesUrl, "sqs", "send-message", ...queue);
  const entry = '[{"Source":"shop","DetailType":"By hand","Detail":"{}"}]';
  const put = await aws(servicesUrl, "events", "put-events", "--entries", entry);
  assertEquals(JSON.parse(put.text).FailedEntryCount, 0);
  const unknown = await aws(servicesUrl, "kinesis", "list-streams");
  assertEquals(unknown.code === 0, false);
  assertStringIncludes(unknown.errors, "is not emulated locally");
  assertEquals(await shop.told(), ["aws:s3 in/cli.csv", "aws:sqs by hand", "shop By hand"]);
});
