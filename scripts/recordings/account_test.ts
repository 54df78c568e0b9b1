import { assertEquals } from "@std/assert";
import { accountPlace, REGION, rename } from "./account.ts";
import { runCase } from "./run.ts";

/** Answers of AWS in the forms of the services, by operation. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  "AmazonSQS.CreateQueue": { QueueUrl: `https://sqs.${REGION}.amazonaws.com/1/mate-1-q` },
  "AmazonSQS.GetQueueAttributes": { Attributes: { QueueArn: `arn:aws:sqs:${REGION}:1:mate-1-q` } },
  "AmazonSQS.ListQueues": { QueueUrls: [`https://sqs.${REGION}.amazonaws.com/1/mate-1-q`] },
  "AWSEvents.TestEventPattern": { Result: true },
  CreateTopic: "<TopicArn>arn:aws:sns:us-east-1:1:mate-1-t</TopicArn>",
  ListTopics: "<Topics><member><TopicArn>arn:aws:sns:us-east-1:1:mate-1-t</TopicArn></member>" +
    "<member><TopicArn>arn:aws:sns:us-east-1:1:other</TopicArn></member></Topics>",
};

/** The parts of a request of the SDK that the test reads. */
interface SdkRequest {
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Takes the place of the network. Lists what each request would do, and where. */
function recordRequests() {
  const requests: string[] = [];
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "example" };
  const handle = ({ hostname, method, path, headers, body }: SdkRequest) => {
    const form = body instanceof Uint8Array ? new TextDecoder().decode(body) : `${body ?? ""}`;
    const action = new URLSearchParams(form).get("Action");
    const name = headers["x-amz-target"] ?? action ?? `${method} ${path}`;
    requests.push(`${hostname} ${name}`);
    const answer = ANSWERS[name] ?? (action === null && headers["x-amz-target"] ? {} : "");
    const text = typeof answer === "object"
      ? JSON.stringify(answer)
      : action === null
      ? "<Result></Result>"
      : `<${name}Response><${name}Result>${answer}</${name}Result></${name}Response>`;
    const bytes = new TextEncoder().encode(text);
    return Promise.resolve({ response: { statusCode: 200, headers: {}, body: bytes } });
  };
  const place = accountPlace("mate", { region: REGION, credentials, requestHandler: { handle } });
  return { requests, place };
}

Deno.test("accountPlace() calls AWS, and removes what a case has made", async () => {
  const { requests, place } = recordRequests();
  const setup = {
    buckets: ["b"],
    queues: { q: {} },
    topics: { t: {} },
    subscriptions: [{ topic: "t", queue: "q" }],
  };
  const steps = [{ call: "s3.DeleteObject", input: { Bucket: "${b}", Key: "k" } }];
  const { operations } = await runCase({ id: "a", service: "s3", setup, steps }, place);
  assertEquals([...operations.values()].flat(), []);
  const bucket = "mate-1-b.s3.us-east-1.amazonaws.com";
  const sqs = `sqs.${REGION}.amazonaws.com AmazonSQS`;
  assertEquals(requests, [
    `${bucket} PUT /`,
    `${sqs}.CreateQueue`,
    `${sqs}.GetQueueAttributes`,
    `sns.${REGION}.amazonaws.com CreateTopic`,
    `sns.${REGION}.amazonaws.com Subscribe`,
    `${sqs}.SetQueueAttributes`,
    `${bucket} DELETE /k`,
    `${sqs}.ListQueues`,
    `${sqs}.DeleteQueue`,
    `sns.${REGION}.amazonaws.com ListTopics`,
    `sns.${REGION}.amazonaws.com DeleteTopic`,
    `${bucket} GET /`,
    `${bucket} GET /`,
    `${bucket} DELETE /`,
  ]);
});

Deno.test("accountPlace() asks EventBridge about patterns and schedules", async () => {
  const { requests, place } = recordRequests();
  assertEquals(await place.matches({ source: ["a"] }, { source: "a" }), true);
  assertEquals(await place.acceptsSchedule("rate(1 day)"), true);
  const host = `events.${REGION}.amazonaws.com AWSEvents`;
  const operations = ["TestEventPattern", "PutRule", "DeleteRule"];
  assertEquals(requests, operations.map((name) => `${host}.${name}`));
});

Deno.test("rename() replaces only whole names of resources", () => {
  const names = { noted: "mate-1-noted-1-us-east-1", f: "mate-1-f" };
  const recorded = {
    FunctionName: "f",
    CopySource: "noted/f",
    arn: "arn:aws:s3:::noted",
    text: "f is noted",
    list: ["noted", 1, null],
  };
  assertEquals(rename(recorded, names), {
    FunctionName: "mate-1-f",
    CopySource: "mate-1-noted-1-us-east-1/f",
    arn: "arn:aws:s3:::mate-1-noted-1-us-east-1",
    text: "f is noted",
    list: ["mate-1-noted-1-us-east-1", 1, null],
  });
});
