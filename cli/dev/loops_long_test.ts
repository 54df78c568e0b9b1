import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";
import { manifestWith, startTestPlatform } from "../testdata/platform.ts";
import { startPlatform } from "./platform.ts";

// "Lambda … stops the next invocation" after 16 of them: the guide of AWS Lambda, "Use Lambda recursive loop detection".

const VERSIONS: Record<string, string> = JSON.parse(
  await Deno.readTextFile(new URL("../../.ci/deno.json", import.meta.url)),
).imports;

/** A function that calls itself through each service, with the AWS SDK. */
const CODE = `
  import { PutObjectCommand, S3Client } from "${VERSIONS["@aws-sdk/client-s3"]}";
  import { PublishCommand, SNSClient } from "${VERSIONS["@aws-sdk/client-sns"]}";
  import { SendMessageCommand, SQSClient } from "${VERSIONS["@aws-sdk/client-sqs"]}";
  import { InvokeCommand, LambdaClient } from "${VERSIONS["@aws-sdk/client-lambda"]}";
  const { BUCKET_B, TOPIC_T, QUEUE_Q, SELF } = Deno.env.toObject();
  export async function handler() {
    console.log("round");
    if (BUCKET_B) await new S3Client().send(new PutObjectCommand({ Bucket: BUCKET_B, Key: "a", Body: "x" }));
    if (TOPIC_T) await new SNSClient().send(new PublishCommand({ TopicArn: TOPIC_T, Message: "x" }));
    if (QUEUE_Q) await new SQSClient().send(new SendMessageCommand({ QueueUrl: QUEUE_Q, MessageBody: "x" }));
    if (SELF) await new LambdaClient().send(new InvokeCommand({ FunctionName: SELF, InvocationType: "Event" }));
  }`;

const MANIFEST = {
  name: "loops",
  stage: "v0",
  functions: {
    bucket: {
      module: "f.ts",
      triggers: { buckets: [{ name: "b", events: ["s3:ObjectCreated:*"] }] },
      uses: { buckets: { b: "write" } },
    },
    topic: {
      module: "f.ts",
      triggers: { topics: [{ name: "t" }] },
      uses: { topics: { t: "publish" } },
    },
    queue: {
      module: "f.ts",
      triggers: { queues: [{ name: "q", batch: 1 }] },
      uses: { queues: { q: "send" } },
    },
    self: {
      module: "f.ts",
      environment: { SELF: "loops-self" },
      statements: [{ Effect: "Allow", Action: "lambda:InvokeFunction", Resource: "*" }],
    },
  },
  queues: { q: { retries: 1 } },
};

Deno.test("a chain through S3, SNS, SQS and Invoke ends after 16 rounds", async () => {
  const folder = temporaryFolder();
  await Deno.writeTextFile(`${folder}/f.ts`, CODE);
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(MANIFEST));
  await using platform = await startPlatform(`${folder}/app.json`, { time: "skip" });
  const invoke = async (name: string) => {
    const path = `/2015-03-31/functions/${name}/invocations`;
    const response = await fetch(`${platform.controlUrl}${path}`, {
      method: "POST",
      headers: { "X-Amz-Invocation-Type": "Event" },
    });
    await response.body?.cancel();
  };
  const names = Object.keys(MANIFEST.functions);
  for (const name of names) await invoke(name);
  const texts = () => platform.log.after(0);
  await within("the end", platform.settled(), () => texts().map(({ text }) => text).join("\n"));
  const rounds = (name: string) =>
    texts().filter((one) => one.functionName === name && /\tround$/.test(one.text)).length;
  assertEquals(names.map(rounds), names.map(() => 16), texts().map(({ text }) => text).join("\n"));
  for (const name of names) {
    const found = texts().find(({ text }) => text.startsWith(`"${name}" runs in a loop`));
    assertStringIncludes(found?.text ?? "", "16 invocations", name);
  }
  const { messages, ...counts } = await (await fetch(`${platform.controlUrl}/queues/q`)).json();
  assertEquals([messages, counts], [[], { visible: 0, invisible: 0, delayed: 0, deadLetters: 1 }]);
});

Deno.test("Invoke answers a loop with RecursiveInvocationException, and no other function", async () => {
  let trace: string | undefined;
  const manifest = manifestWith({ a: { module: "a.ts" }, b: { module: "b.ts" } });
  await using test = await startTestPlatform(({ options }) => {
    trace = options.traceId;
    return "{}";
  }, { manifest });
  const invoke = async (name: string) => {
    const { status, header } = await test.send({
      method: "POST",
      path: `/2015-03-31/functions/${name}/invocations`,
      headers: trace === undefined ? [] : [["X-Amzn-Trace-Id", trace]],
    });
    return [status, header("x-amzn-ErrorType")];
  };
  for (let round = 1; round <= 16; round++) assertEquals(await invoke("a"), [200, undefined]);
  assertEquals(await invoke("a"), [400, "RecursiveInvocationException"]);
  assertEquals(await invoke("b"), [200, undefined]);
  assertMatch(trace!, /^Root=1-[\da-f]{8}-[\da-f]{24};Parent=[\da-f]{16};Sampled=0;Lineage=[^;]+$/);
  trace = "Root=1-0-0;Lineage=|:1|zz:99|__proto__:5";
  assertEquals(await invoke("a"), [200, undefined], "a malformed lineage counts nothing");
});
