import { messageEvent, type MessageInit, type TopicEvent } from "@mate/core/testing";
import { createHash } from "node:crypto";
import type { Manifest } from "../../manifest/types.ts";
import { type Messaging, queueName, subscriptionsOf } from "./messaging.ts";
import { type InvokeFunction, pollQueue } from "./queue_poller.ts";

/** How often a queue invokes a function at the same time if the manifest does not limit it. */
const POLLERS = 5;

/** Everything that invokes functions with messages. */
export interface EventSourceOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** Its queues and topics. */
  readonly messaging: Messaging;
  /** Invokes a function and returns its result; `undefined` if the invocation failed. */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  /** Invokes a function asynchronously, with the retries of asynchronous invocations. */
  readonly invokeAsync: (functionName: string, event: unknown) => void;
  /** Takes a line for each malformed result and for each message that is given up. */
  readonly note: (text: string) => void;
  /** Ends the polling. */
  readonly signal: AbortSignal;
}

/** Invokes the functions with the messages of their queues and topics until the signal ends it. */
export async function pollEventSources(options: EventSourceOptions): Promise<void> {
  const { manifest, messaging, invoke, invokeAsync, note, signal } = options;
  const queues = Object.entries(manifest.functions).flatMap(([functionName, { triggers }]) =>
    triggers.queues.map(({ name, batch, window, concurrency = POLLERS }) =>
      pollQueue(
        messaging,
        {
          queue: queueName(name, manifest),
          batch,
          window,
          concurrency,
          retries: manifest.queues[name]!.retries,
          functionName,
        },
        (event) => invoke(functionName, event),
        note,
        signal,
      )
    )
  );
  const topics = subscriptionsOf(manifest).map(({ functionName, queue }) => {
    const deliver: InvokeFunction = (event) => {
      const { Records } = event as { Records: { body: string }[] };
      for (const { body } of Records) {
        invokeAsync(functionName, eventOf(JSON.parse(body), functionName));
      }
      return Promise.resolve({});
    };
    const trigger = { queue, batch: 1, window: 0, concurrency: 1, retries: Infinity, functionName };
    return pollQueue(messaging, trigger, deliver, note, signal);
  });
  await Promise.all([...queues, ...topics]);
}

/** A message as Amazon SNS delivers it to a queue. */
interface Envelope {
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly MessageAttributes?: NonNullable<MessageInit["messageAttributes"]>;
}

/** The event of AWS Lambda for a message that Amazon SNS delivered to a queue. */
function eventOf(envelope: Envelope, functionName: string): TopicEvent {
  const { MessageId, TopicArn, Subject = null, Message, Timestamp } = envelope;
  const event = messageEvent([{
    eventSubscriptionArn: `${TopicArn}:${uuidOf(`${TopicArn} ${functionName}`)}`,
    topicArn: TopicArn,
    messageId: MessageId,
    message: Message,
    timestamp: new Date(Timestamp),
    messageAttributes: envelope.MessageAttributes ?? {},
  }]);
  for (const { Sns } of event.Records) Object.assign(Sns, { Subject });
  return event;
}

/** A UUID. The same text always has the same one. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
}
