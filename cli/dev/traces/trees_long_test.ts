import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { within } from "../../../testdata/waiting.ts";
import { send } from "../../testdata/platform.ts";
import { drawTrees } from "../../testdata/traces.ts";
import { startPlatform } from "../platform.ts";

const VERSIONS: Record<string, string> = JSON.parse(
  await Deno.readTextFile(new URL("../../../.ci/deno.json", import.meta.url)),
).imports;

/** A function that does what its event says, with the AWS SDK or with a signed request of its own. */
const CODE = `
  import { S3 } from "${VERSIONS["@aws-sdk/client-s3"]}";
  import { SNS } from "${VERSIONS["@aws-sdk/client-sns"]}";
  import { SQS } from "${VERSIONS["@aws-sdk/client-sqs"]}";
  import { EventBridge } from "${VERSIONS["@aws-sdk/client-eventbridge"]}";
  import { Lambda } from "${VERSIONS["@aws-sdk/client-lambda"]}";
  import { DynamoDB } from "${VERSIONS["@aws-sdk/client-dynamodb"]}";
  const env = Deno.env.toObject();
  export async function start(event) {
    await new S3().putObject({ Bucket: env.BUCKET_FILES, Key: "a.txt", Body: "a" });
    await new SNS().publish({ TopicArn: env.TOPIC_NEWS, Message: "m" });
    await new SQS().sendMessage({ QueueUrl: env.QUEUE_JOBS, MessageBody: "m" });
    const Entries = [{ Source: "app", DetailType: "Started", Detail: "{}" }];
    await new EventBridge().putEvents({ Entries });
    await new Lambda().invoke({ FunctionName: "app-called" });
    await new Lambda().invoke({ FunctionName: "app-called", InvocationType: "Event" });
    await new DynamoDB().putItem({ TableName: env.TABLE_ITEMS, Item: { id: { S: "1" } } });
    await new SQS().sendMessage({ QueueUrl: env.QUEUE_JOBS.replace("jobs", "other"), MessageBody: "m" }).catch(() => {});
    await new S3().getObject({ Bucket: env.BUCKET_FILES, Key: "none" }).catch(() => {});
    return { statusCode: 200 };
  }
  export const allow = (event) => ({
    principalId: "me",
    policyDocument: { Statement: [{ Effect: "Allow", Action: "*", Resource: event.methodArn }] },
  });
  export const listen = () => {};
  export const fail = () => { throw new TypeError("no"); };
`;

const MANIFEST = {
  name: "app",
  stage: "v0",
  defaults: { memory: 512, timeout: 30 }, // Six clients of the AWS SDK need about 128 MB.
  functions: {
    start: {
      module: "f.ts",
      handler: "start",
      triggers: { routes: [{ method: "GET", path: "/start", authorizer: "allow" }] },
      uses: {
        buckets: { files: "read-write" },
        topics: { news: "publish" },
        queues: { jobs: "send" },
        tables: { items: "read-write" },
      },
      statements: [
        { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: "*" },
        { Effect: "Allow", Action: "events:PutEvents", Resource: "*" },
      ],
    },
    allow: { module: "f.ts", handler: "allow", identity: ["header.Authorization"] },
    stored: {
      module: "f.ts",
      handler: "listen",
      triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
    },
    told: { module: "f.ts", handler: "listen", triggers: { topics: [{ name: "news" }] } },
    told2: { module: "f.ts", handler: "fail", triggers: { topics: [{ name: "news" }] } },
    worker: { module: "f.ts", handler: "listen", triggers: { queues: [{ name: "jobs" }] } },
    other: { module: "f.ts", handler: "listen", triggers: { queues: [{ name: "other" }] } },
    ruled: {
      module: "f.ts",
      handler: "listen",
      triggers: { events: [{ pattern: { source: ["app"] } }] },
    },
    called: { module: "f.ts", handler: "listen" },
    changed: { module: "f.ts", handler: "listen", triggers: { tables: [{ name: "items" }] } },
    timed: { module: "f.ts", handler: "fail", triggers: { schedules: ["rate(1 hour)"] } },
    page: { module: "f.ts", handler: "listen", triggers: { url: { auth: "none" } } },
  },
  queues: { jobs: {}, other: {} },
  tables: { items: { key: { id: "string" } } },
};

Deno.test("every kind of trigger and of call stands below its cause", async () => {
  const folder = temporaryFolder();
  await Deno.writeTextFile(`${folder}/f.ts`, CODE);
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(MANIFEST));
  await using platform = await startPlatform(`${folder}/app.json`, { time: "skip" });
  const root = "Root=1-5759e988-bd862e3fe1be46a994272793";
  const parent = "53995c3f42cd8ad8";
  const headers = { authorization: "me", "x-amzn-trace-id": `${root};Parent=${parent};Sampled=1` };
  const response = await fetch(`${platform.url}/v0/start`, { headers });
  assertEquals([response.status, await response.text()], [200, ""]);
  await within("the end", platform.settled());
  const post = async (path: string, body = "m") => {
    const url = `${platform.controlUrl}/${path}`;
    await (await fetch(url, { method: "POST", body, headers: { "content-type": "text/plain" } }))
      .text();
    await within("the end", platform.settled());
  };
  await post("schedules/timed/0");
  await post("topics/news");
  const headersOfUrl = [["Host", `page.localhost:${platform.port}`]] as const;
  await send(platform.port, { path: "/a?b=1", headers: headersOfUrl });
  await platform.settled();
  const spans = await platform.traces();
  assertEquals(drawTrees(spans), [
    "request GET /v0/start 200",
    "  invocation allow (authorizer GET /start)",
    "  invocation start (route GET /start)",
    "    call PutObject files/a.txt",
    "      invocation stored (bucket files/a.txt) attempt 1 of 3",
    "    call Publish news",
    "      invocation told (topic news) attempt 1 of 3",
    "      invocation told2 (topic news) attempt 1 of 3 retried 1 failed: TypeError",
    "      invocation told2 (topic news) attempt 2 of 3 retried 1 failed: TypeError",
    "      invocation told2 (topic news) attempt 3 of 3 dropped 1 failed: TypeError",
    "    call SendMessage jobs",
    "      invocation worker (queue jobs) attempt 1 of 4",
    "    call PutEvents default",
    "      invocation ruled (events Started of app) attempt 1 of 3",
    "    call Invoke called",
    "      invocation called (invoke called)",
    "    call Invoke called",
    "      invocation called (invoke called) attempt 1 of 3",
    "    call PutItem items",
    "      linked invocation changed (table items) attempt 1 of 4",
    "    call SendMessage other failed: AccessDenied",
    "    call GetObject files/none refused: NoSuchKey",
    "invocation timed (schedule rate(1 hour)) attempt 1 of 3 retried 1 failed: TypeError",
    "invocation timed (schedule rate(1 hour)) attempt 2 of 3 retried 1 failed: TypeError",
    "invocation timed (schedule rate(1 hour)) attempt 3 of 3 dropped 1 failed: TypeError",
    "invocation told (topic news) attempt 1 of 3",
    "invocation told2 (topic news) attempt 1 of 3 retried 1 failed: TypeError",
    "invocation told2 (topic news) attempt 2 of 3 retried 1 failed: TypeError",
    "invocation told2 (topic news) attempt 3 of 3 dropped 1 failed: TypeError",
    "request GET /a 200",
    "  invocation page (url page)",
  ]);
  const traceId = "5759e988bd862e3fe1be46a994272793";
  const first = spans.find(({ type }) => type === "request")!;
  assertEquals([first.traceId, first.parent], [traceId, parent], "the client's trace goes on");
  const denied = spans.find(({ status, type }) => type === "call" && status === "failed")!;
  assertEquals(denied.attributes["mate.denied"], "sqs:SendMessage");
  const attempts = (name: string) => spans.filter((span) => span.name === name);
  const traces = new Set(attempts("timed").map((span) => span.traceId));
  assertEquals(traces.size, 1, "all attempts have one trace");
  const publication = attempts("told2").slice(-1).concat(attempts("told").slice(-1));
  assertEquals(new Set(publication.map((span) => span.traceId)).size, 1, "and all subscribers");
});
