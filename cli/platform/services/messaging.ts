import type { buildApp } from "fauxqs";
import type { Manifest } from "../../manifest/types.ts";
import { ACCOUNT_ID, queueArn, REGION, topicArn } from "../arn.ts";

/** A function that listens to a topic, and the queue that its messages are delivered to. */
export interface Subscription {
  readonly functionName: string;
  readonly topic: string;
  readonly queue: string;
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
}

export function subscriptionsOf({ functions }: Manifest): Subscription[] {
  return Object.entries(functions).flatMap(([functionName, { triggers }]) =>
    triggers.topics.map(({ name, filter }) => ({
      functionName,
      topic: name,
      queue: `${name}-of-${functionName}`,
      filter,
    }))
  );
}

export interface ReceivedMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly MD5OfMessageAttributes?: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<
    Record<string, {
      readonly StringValue?: string;
      readonly BinaryValue?: string;
      readonly DataType: string;
    }>
  >;
}

/** The physical name of a queue of the manifest. */
export function queueName(name: string, { queues }: Pick<Manifest, "queues">): string {
  return queues[name]?.fifo ? `${name}.fifo` : name;
}

/** The physical name of the dead-letter queue of a queue of the manifest. */
export function deadLetterQueueName(name: string, manifest: Pick<Manifest, "queues">): string {
  return queueName(name, manifest).replace(/(\.fifo)?$/, "-dead-letters$1");
}

/** Amazon SQS and Amazon SNS on this machine: the emulator `fauxqs`, without a port of its own. */
export class Messaging implements AsyncDisposable {
  readonly #app: ReturnType<typeof buildApp>;
  readonly #queues: string[] = [];

  private constructor(app: ReturnType<typeof buildApp>) {
    this.#app = app;
  }

  /** Makes the queues, each with its dead-letter queue, the topics and the subscriptions of an application. */
  static async start(manifest: Manifest): Promise<Messaging> {
    const { buildApp } = await import("fauxqs"); // not at load: other commands of the tool do not need it
    const messaging = new Messaging(buildApp({ logger: false, defaultRegion: REGION }));
    for (const [name, { fifo, retries, visibility }] of Object.entries(manifest.queues)) {
      const kind: Record<string, string> = fifo
        ? { FifoQueue: "true", ContentBasedDeduplication: "true" }
        : {};
      const target = deadLetterQueueName(name, manifest);
      await messaging.call("CreateQueue", { QueueName: target, Attributes: kind });
      const policy = { deadLetterTargetArn: queueArn(target), maxReceiveCount: retries + 1 };
      await messaging.#createQueue(queueName(name, manifest), {
        ...kind,
        RedrivePolicy: JSON.stringify(policy),
        VisibilityTimeout: String(visibility),
      });
    }
    const subscriptions = subscriptionsOf(manifest);
    const used = Object.values(manifest.functions).flatMap(({ uses }) => Object.keys(uses.topics));
    for (const Name of new Set([...used, ...subscriptions.map(({ topic }) => topic)])) {
      await messaging.callSns({ Action: "CreateTopic", Name });
    }
    for (const { topic, queue, filter } of subscriptions) {
      await messaging.#createQueue(queue);
      await messaging.callSns({
        Action: "Subscribe",
        TopicArn: topicArn(topic),
        Protocol: "sqs",
        Endpoint: queueArn(queue),
        ...(filter && {
          "Attributes.entry.1.key": "FilterPolicy",
          "Attributes.entry.1.value": JSON.stringify(filter),
        }),
      });
    }
    return messaging;
  }

  async #createQueue(QueueName: string, Attributes: Record<string, string> = {}): Promise<void> {
    await this.call("CreateQueue", { QueueName, Attributes });
    this.#queues.push(QueueName);
  }

  /** Answers a request to one service. The service decides how the body is read, not the header fields. */
  async answer(
    service: "sqs" | "sns",
    headers: Headers,
    body: string,
    endpoint: string,
  ): Promise<Response> {
    const { statusCode, headers: answered, payload } = service === "sqs"
      ? await this.#sendSqs(headers.get("x-amz-target") ?? "", body)
      : await this.#sendSns(body);
    const text = payload.replaceAll(/http:\/\/sqs\.[\w-]+\.localhost(:\d+)?\//g, `${endpoint}/`);
    const isUnknown = statusCode === 400 && /InvalidAction|MissingAction/.test(text);
    const response = new Response(text, { status: isUnknown ? 501 : statusCode });
    for (const name of ["content-type", "x-amzn-query-error"]) {
      if (answered[name] !== undefined) response.headers.set(name, String(answered[name]));
    }
    return response;
  }

  /** Calls an operation of Amazon SQS. If it fails, the error has the message of the service. */
  async call<Output>(operation: string, input: Record<string, unknown>): Promise<Output> {
    const { statusCode, payload } = await this.#sendSqs(
      `AmazonSQS.${operation}`,
      JSON.stringify(input),
    );
    const output = JSON.parse(payload);
    if (statusCode !== 200) throw new Error(`Amazon SQS refuses ${operation}: ${output.message}`);
    return output;
  }

  /** Calls an operation of Amazon SNS. Returns its result as XML. If it fails, the error has the message of the service. */
  async callSns(parameters: Readonly<Record<string, string>>): Promise<string> {
    const { statusCode, payload } = await this.#sendSns(new URLSearchParams(parameters).toString());
    if (statusCode !== 200) throw new Error(`Amazon SNS refuses ${parameters.Action}: ${payload}`);
    return payload;
  }

  /** Counts the messages of a queue: those that wait, those that a receiver has or that failed, and those that are delayed. */
  async count(queue: string): Promise<{ visible: number; invisible: number; delayed: number }> {
    const { Attributes } = await this.call<{ Attributes: Record<string, string> }>(
      "GetQueueAttributes",
      { QueueUrl: Messaging.queueUrl(queue), AttributeNames: ["All"] },
    );
    const count = (suffix: string) => Number(Attributes[`ApproximateNumberOfMessages${suffix}`]);
    return { visible: count(""), invisible: count("NotVisible"), delayed: count("Delayed") };
  }

  /** Tells whether a queue that functions poll has a message. Dead letters do not count. */
  async hasMessages(): Promise<boolean> {
    const counts = await Promise.all(this.#queues.map((queue) => this.count(queue)));
    return counts.some(({ visible, invisible, delayed }) => visible + invisible + delayed > 0);
  }

  #sendSqs(target: string, payload: string) {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": target };
    return this.#app.inject({ method: "POST", url: "/", headers, payload });
  }

  #sendSns(payload: string) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return this.#app.inject({ method: "POST", url: "/", headers, payload });
  }

  /** The URL of a queue, for {@linkcode call}. */
  static queueUrl(name: string): string {
    return `http://localhost/${ACCOUNT_ID}/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
  }
}
