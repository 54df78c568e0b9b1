import type { buildApp } from "fauxqs";
import type { Manifest } from "../../manifest/types.ts";
import { ACCOUNT_ID, queueArn, REGION, topicArn } from "../../application/arn.ts";

/** A function that listens to a topic, and the queue that receives its messages. */
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
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<
    Record<string, {
      readonly StringValue?: string;
      readonly BinaryValue?: string;
      readonly DataType: string;
    }>
  >;
}

/** The largest number of messages of one call of Amazon SQS. */
const MAX_BATCH = 10;

/** Returns the physical name of a queue of the manifest. */
export function queueName(name: string, { queues }: Pick<Manifest, "queues">): string {
  return queues[name]?.fifo ? `${name}.fifo` : name;
}

/** Returns the physical name of the dead-letter queue of a queue of the manifest. */
export function deadLetterQueueName(name: string, manifest: Pick<Manifest, "queues">): string {
  return queueName(name, manifest).replace(/(\.fifo)?$/, "-dead-letters$1");
}

/** Returns the URL of a queue for {@linkcode Messaging.call}. */
export function queueUrl(name: string): string {
  return `http://localhost/${ACCOUNT_ID}/${name}`;
}

/** Amazon SQS and Amazon SNS on this machine: the emulator `fauxqs`, without a port of its own. */
export class Messaging implements AsyncDisposable {
  readonly #app: ReturnType<typeof buildApp>;
  /** The queues that functions poll. */
  readonly #polled: readonly string[];

  private constructor(app: ReturnType<typeof buildApp>, polled: readonly string[]) {
    this.#app = app;
    this.#polled = polled;
  }

  /** Makes the topics and the queues of an application, with subscriptions and dead-letter queues. */
  static async start(manifest: Manifest): Promise<Messaging> {
    const { buildApp } = await import("fauxqs"); // Other commands of the tool do not need it.
    const functions = Object.values(manifest.functions);
    const subscriptions = subscriptionsOf(manifest);
    const messaging = new Messaging(buildApp({ logger: false, defaultRegion: REGION }), [
      ...subscriptions.map(({ queue }) => queue),
      ...functions.flatMap(({ triggers }) => triggers.queues)
        .map(({ name }) => queueName(name, manifest)),
    ]);
    for (const [name, { fifo, retries, visibility }] of Object.entries(manifest.queues)) {
      const kind: Record<string, string> = fifo
        ? { FifoQueue: "true", ContentBasedDeduplication: "true" }
        : {};
      const target = deadLetterQueueName(name, manifest);
      await messaging.call("CreateQueue", { QueueName: target, Attributes: kind });
      const policy = { deadLetterTargetArn: queueArn(target), maxReceiveCount: retries + 1 };
      await messaging.call("CreateQueue", {
        QueueName: queueName(name, manifest),
        Attributes: {
          ...kind,
          RedrivePolicy: JSON.stringify(policy),
          VisibilityTimeout: String(visibility),
        },
      });
    }
    const used = functions.flatMap(({ uses }) => Object.keys(uses.topics));
    for (const Name of new Set([...used, ...subscriptions.map(({ topic }) => topic)])) {
      await messaging.callSns({ Action: "CreateTopic", Name });
    }
    for (const { topic, queue, filter } of subscriptions) {
      await messaging.call("CreateQueue", { QueueName: queue });
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

  /** Answers a request to one service. The header fields cannot lead the body to the other service. */
  async answer(
    service: "sqs" | "sns",
    headers: Headers,
    body: string,
    endpoint: string,
  ): Promise<Response> {
    const target = service === "sqs" ? headers.get("x-amz-target") ?? "" : undefined;
    const { statusCode, headers: answered, payload } = await this.#send(body, target);
    const text = payload.replaceAll(/http:\/\/sqs\.[\w-]+\.localhost(:\d+)?\//g, `${endpoint}/`);
    const isUnknown = statusCode === 400 && /InvalidAction|MissingAction/.test(text);
    const response = new Response(text, { status: isUnknown ? 501 : statusCode });
    for (const name of ["content-type", "x-amzn-query-error"]) {
      if (answered[name] !== undefined) response.headers.set(name, String(answered[name]));
    }
    return response;
  }

  /** Calls an operation of Amazon SQS. If the call fails, the error has the message of the service. */
  async call<Output>(operation: string, input: Record<string, unknown>): Promise<Output> {
    const { statusCode, payload } = await this.#send(
      JSON.stringify(input),
      `AmazonSQS.${operation}`,
    );
    const output = JSON.parse(payload);
    if (statusCode !== 200) throw new Error(`Amazon SQS refuses ${operation}: ${output.message}`);
    return output;
  }

  /** Calls an operation of Amazon SNS. Returns XML. If the call fails, the error has the XML of the service. */
  async callSns(parameters: Readonly<Record<string, string>>): Promise<string> {
    const { statusCode, payload } = await this.#send(new URLSearchParams(parameters).toString());
    if (statusCode !== 200) throw new Error(`Amazon SNS refuses ${parameters.Action}: ${payload}`);
    return payload;
  }

  /** Waits for messages of a queue, for one second at most. */
  async receive(queue: string, count = MAX_BATCH): Promise<readonly ReceivedMessage[]> {
    const { Messages = [] } = await this.call<{ Messages?: ReceivedMessage[] }>("ReceiveMessage", {
      QueueUrl: queueUrl(queue),
      MaxNumberOfMessages: Math.min(MAX_BATCH, count),
      AttributeNames: ["All"],
      MessageAttributeNames: ["All"],
      WaitTimeSeconds: 1,
    });
    return Messages;
  }

  async delete(queue: string, messages: readonly ReceivedMessage[]): Promise<void> {
    const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
    while (entries.length > 0) {
      const Entries = entries.splice(0, MAX_BATCH);
      await this.call("DeleteMessageBatch", { QueueUrl: queueUrl(queue), Entries });
    }
  }

  /** Counts the messages of a queue. A message is invisible while a receiver has it and until it is retried. */
  async count(queue: string): Promise<{ visible: number; invisible: number; delayed: number }> {
    const { Attributes } = await this.call<{ Attributes: Record<string, string> }>(
      "GetQueueAttributes",
      { QueueUrl: queueUrl(queue), AttributeNames: ["All"] },
    );
    const count = (suffix: string) => Number(Attributes[`ApproximateNumberOfMessages${suffix}`]);
    return { visible: count(""), invisible: count("NotVisible"), delayed: count("Delayed") };
  }

  /** Tells whether a queue that functions poll has a message. Dead letters do not count. */
  async hasMessages(): Promise<boolean> {
    const counts = await Promise.all(this.#polled.map((queue) => this.count(queue)));
    return counts.some(({ visible, invisible, delayed }) => visible + invisible + delayed > 0);
  }

  /** Sends a request with a target to Amazon SQS, and a request without a target to Amazon SNS. */
  #send(payload: string, target?: string) {
    const headers = target === undefined
      ? { "content-type": "application/x-www-form-urlencoded" }
      : { "content-type": "application/x-amz-json-1.0", "x-amz-target": target };
    return this.#app.inject({ method: "POST", url: "/", headers, payload });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
  }
}
