import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { deliveryOf, makeFolder, writeApplication } from "./application.ts";
import type { Application, Setup } from "./cases.ts";
import { type ClientOptions, Clients } from "./clients.ts";
import type { Delivery, Place, Stage } from "./place.ts";
import { sendRaw } from "./raw_http.ts";
import { makeResources } from "./setup.ts";

/** The region of the recordings. */
export const REGION = "us-east-1";

/** How much longer events take to arrive than on one machine, in seconds. AWS Lambda retries after minutes. */
const PATIENCE = 240;

/** The time after which an event that must not arrive would have arrived, in milliseconds. */
const SILENCE = 10_000;

/** What `mate deploy --json` prints about an application. */
interface Outputs {
  readonly base_url: string | null;
  readonly functions: Readonly<Record<string, string>>;
  readonly buckets: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
  readonly queues: Readonly<Record<string, string>>;
  readonly urls: Readonly<Record<string, string>>;
}

/**
 * The account of the credentials of the environment. Everything that a case makes has a name that starts with the prefix,
 * and is removed after the case.
 */
export function accountPlace(prefix: string, options: ClientOptions = { region: REGION }): Place {
  let count = 0;
  const nextName = () => `${prefix}-${++count}`;
  const withClients = async <T>(work: (clients: Clients) => Promise<T>): Promise<T> => {
    using clients = new Clients(options);
    return await work(clients);
  };
  return {
    setUp: (setup) => setUp(setup, nextName(), new Clients(options)),
    run: (application) => deploy(application, nextName(), new Clients(options)),
    matches: (pattern, event) =>
      withClients(async (clients) => {
        const input = { EventPattern: JSON.stringify(pattern), Event: JSON.stringify(event) };
        const answer = await clients.call("events.TestEventPattern", input);
        if ("output" in answer) return answer.output.Result as boolean;
        if (answer.error.codes.includes("InvalidEventPatternException")) return undefined;
        throw new Error(`Cannot test the pattern: ${answer.error.message}`);
      }),
    acceptsSchedule: (ScheduleExpression) =>
      withClients(async (clients) => {
        const Name = nextName();
        const input = { Name, ScheduleExpression, State: "DISABLED" };
        const answer = await clients.call("events.PutRule", input);
        if ("output" in answer) await clients.output("events.DeleteRule", { Name });
        else if (!answer.error.codes.includes("ValidationException")) {
          throw new Error(`Cannot put the rule: ${answer.error.message}`);
        }
        return "output" in answer;
      }),
  };
}

async function setUp(setup: Setup, unique: string, clients: Clients): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  stack.use(clients);
  const variables: Record<string, string> = {};
  for (const name of setup.buckets ?? []) {
    const Bucket = variables[name] = `${unique}-${name}`;
    await clients.output("s3.CreateBucket", { Bucket });
    stack.defer(() => removeBucket(clients, Bucket));
  }
  // Queues and topics that a case makes itself have names with the prefix, too.
  stack.defer(() => removeTopics(clients, unique));
  stack.defer(() => removeQueues(clients, unique));
  Object.assign(variables, await makeResources(setup, clients, unique));
  for (const { topic, queue } of setup.subscriptions ?? []) {
    const Policy = JSON.stringify({
      Statement: [{
        Effect: "Allow",
        Principal: { Service: "sns.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: variables[`${queue}.arn`],
        Condition: { ArnEquals: { "aws:SourceArn": variables[topic] } },
      }],
    });
    const input = { QueueUrl: variables[queue], Attributes: { Policy } };
    await clients.output("sqs.SetQueueAttributes", input);
  }
  const owned = stack.move();
  return {
    clients,
    variables,
    patience: 0,
    rename: (value) => value,
    request: () => Promise.reject(new Error("Cannot send a request: the case has no application")),
    fire: () => Promise.reject(new Error("Cannot fire a schedule: the case has no application")),
    settled: () => Promise.resolve(),
    deliveries: () => Promise.resolve([]),
    queueUrl: (name) => variables[name]!,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function removeBucket(clients: Clients, Bucket: string): Promise<void> {
  const { Uploads = [] } = await clients.output("s3.ListMultipartUploads", { Bucket });
  for (const { Key, UploadId } of Uploads as { Key: string; UploadId: string }[]) {
    await clients.output("s3.AbortMultipartUpload", { Bucket, Key, UploadId });
  }
  const { Contents = [] } = await clients.output("s3.ListObjectsV2", { Bucket });
  for (const { Key } of Contents as { Key: string }[]) {
    await clients.output("s3.DeleteObject", { Bucket, Key });
  }
  await clients.output("s3.DeleteBucket", { Bucket });
}

async function removeQueues(clients: Clients, QueueNamePrefix: string): Promise<void> {
  const { QueueUrls = [] } = await clients.output("sqs.ListQueues", { QueueNamePrefix });
  for (const QueueUrl of QueueUrls as string[]) {
    await clients.output("sqs.DeleteQueue", { QueueUrl });
  }
}

async function removeTopics(clients: Clients, prefix: string): Promise<void> {
  let NextToken: unknown;
  do {
    const output = await clients.output("sns.ListTopics", { NextToken });
    for (const { TopicArn } of (output.Topics ?? []) as { TopicArn: string }[]) {
      const isOwn = TopicArn.split(":").at(-1)!.startsWith(`${prefix}-`);
      if (isOwn) await clients.output("sns.DeleteTopic", { TopicArn });
    }
    NextToken = output.NextToken;
  } while (NextToken !== undefined);
}

/** Runs a command of the tool, which may take long. Returns its standard output. */
async function mate(...args: string[]): Promise<string> {
  const main = new URL("../../cli/main.ts", import.meta.url).href;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, ...args],
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`mate ${args.join(" ")} failed: ${decode(stderr)}`);
  return decode(stdout);
}

async function deploy(application: Application, name: string, clients: Clients): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  stack.use(clients);
  const folder = makeFolder();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const path = await writeApplication(application, folder, name, REGION);
  stack.defer(async () => void await mate("undeploy", path, "--yes", "--delete-data"));
  const outputs: Outputs = JSON.parse(await mate("deploy", path, "--yes", "--json"));
  const logs = new CloudWatchLogs({ region: REGION });
  stack.defer(() => logs.destroy());
  const variables: Record<string, string> = {};
  for (const [topic, arn] of Object.entries(outputs.topics)) variables[`topic:${topic}`] = arn;
  for (const [queue, url] of Object.entries(outputs.queues)) {
    const input = { QueueUrl: url, AttributeNames: ["QueueArn"] };
    const { Attributes } = await clients.output("sqs.GetQueueAttributes", input);
    variables[`queue:${queue}`] = url;
    variables[`queue:${queue}.arn`] = (Attributes as { QueueArn: string }).QueueArn;
  }
  const owned = stack.move();
  return {
    clients,
    variables,
    patience: PATIENCE,
    rename: (value) => rename(value, { ...outputs.functions, ...outputs.buckets }),
    request(to, request) {
      const url = to === "gateway" ? outputs.base_url : outputs.urls[to.replace(/^url:/, "")];
      const { hostname } = new URL(url!);
      return sendRaw(Deno.connectTls({ hostname, port: 443 }), hostname, request);
    },
    fire: () => Promise.reject(new Error("Cannot fire a schedule in an account")),
    settled: () => new Promise((resolve) => setTimeout(resolve, SILENCE)),
    deliveries: () => readDeliveries(logs, outputs.functions),
    queueUrl: (queue, isDeadLetters = false) =>
      isDeadLetters
        ? outputs.queues[queue]!.replace(/(\.fifo)?$/, "-dead-letters$1")
        : outputs.queues[queue]!,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Replaces names of the manifest: whole texts, and the name at the start of a path or the end of an ARN. */
export function rename(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    const [, start = "", name = "", rest = ""] =
      /^((?:arn:aws:s3:::)?)([\w-]+)((?:\/.*)?)$/s.exec(value) ?? [];
    return Object.hasOwn(names, name) ? `${start}${names[name]}${rest}` : value;
  }
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  const isPlain = typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, rename(member, names)]),
  );
}

async function readDeliveries(
  logs: CloudWatchLogs,
  functions: Outputs["functions"],
): Promise<readonly Delivery[]> {
  const lists = Object.entries(functions).map(async ([functionName, name]) => {
    const { events = [] } = await logs.filterLogEvents({ logGroupName: `/aws/lambda/${name}` });
    return events.flatMap(({ message = "" }) => deliveryOf(functionName, message) ?? []);
  });
  return (await Promise.all(lists)).flat();
}
