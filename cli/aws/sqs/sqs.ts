import { sentTraceHeader } from "../../rules/trace_header.ts";
import { ACCOUNT_ID, queueArn } from "../../rules/arn.ts";
import { notEmulated, readInput, type ServiceCall, ServiceError } from "../service_call.ts";
import { checkSupport } from "../supported.ts";
import {
  ATTRIBUTE_NAMES,
  checkAttributes,
  type QueueAttributes,
  unknownAttribute,
} from "./attributes.ts";
import { invalidValue, queueError, unknownQueue } from "./errors.ts";
import {
  type Input,
  integerOf,
  queueNameOf,
  recordOf,
  requiredText,
  textOf,
  textsOf,
} from "./input.ts";
import { MESSAGE_OPERATIONS } from "./message_operations.ts";
import type { Queue } from "./queue.ts";
import type { Context, LateAnswer, Operation, Queues } from "./queues.ts";

/** The operations of Amazon SQS on queues. */
export const QUEUE_OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateQueue: createQueue,
  DeleteQueue(queues, input) {
    const queue = queues.of(input);
    queues.byName.delete(queue.name);
    queue.purge();
    return {};
  },
  GetQueueUrl(queues, input, { endpoint }) {
    const name = requiredText(input, "QueueName");
    const owner = textOf(input, "QueueOwnerAWSAccountId") ?? ACCOUNT_ID;
    if (!queues.byName.has(name) || owner !== ACCOUNT_ID) throw unknownQueue();
    return { QueueUrl: urlOf(name, endpoint) };
  },
  ListQueues: listQueues,
  GetQueueAttributes(queues, input) {
    const queue = queues.of(input);
    const names = textsOf(input, "AttributeNames");
    const unknown = names.find((name) => name !== "All" && !ATTRIBUTE_NAMES.has(name));
    if (unknown !== undefined) throw unknownAttribute(unknown);
    const all = Object.entries(attributesOf(queue))
      .filter(([name]) => names.includes("All") || names.includes(name));
    return all.length === 0 ? {} : { Attributes: Object.fromEntries(all) };
  },
  SetQueueAttributes(queues, input) {
    const queue = queues.of(input);
    const attributes = checkedAttributes(queues, input, queue.isFifo);
    queue.attributes = { ...queue.attributes, ...attributes };
    queue.modified = queues.clock.now();
    return {};
  },
  PurgeQueue(queues, input) {
    const queue = queues.of(input);
    if (queues.clock.now() - (queue.purged ?? 0) < 60_000) {
      const message = `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`;
      throw queueError("PurgeQueueInProgress", message, 403);
    }
    queue.purge();
    return {};
  },
};

const urlOf = (name: string, endpoint: string) => `${endpoint}/${ACCOUNT_ID}/${name}`;

function createQueue(queues: Queues, input: Input, { endpoint }: Context): object {
  const name = requiredText(input, "QueueName");
  const isFifo = textOf(recordOf(input, "Attributes"), "FifoQueue") === "true";
  if (!/^[\w-]{1,80}$/.test(isFifo ? name.replace(/\.fifo$/, "") : name) || name.length > 80) {
    throw invalidValue(
      "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
    );
  }
  if (isFifo && !name.endsWith(".fifo")) {
    throw invalidValue(
      "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length",
    );
  }
  const attributes = checkedAttributes(queues, input, isFifo);
  const known = queues.byName.get(name);
  if (known === undefined) {
    queues.create(name, attributes);
  } else {
    const other = Object.keys(attributes).find((key) => attributes[key] !== known.attributes[key]);
    if (other !== undefined) {
      const message =
        `A queue already exists with the same name and a different value for attribute ${other}`;
      throw new ServiceError("QueueAlreadyExists", message, "QueueNameExists");
    }
  }
  return { QueueUrl: urlOf(name, endpoint) };
}

function checkedAttributes(queues: Queues, input: Input, isFifo: boolean): QueueAttributes {
  const attributes = recordOf(input, "Attributes");
  for (const name of Object.keys(attributes)) textOf(attributes, name);
  checkAttributes(attributes as QueueAttributes, isFifo, (arn) => {
    const target = queues.byName.get(arn.split(":").at(-1)!);
    return target?.arn === arn && target.isFifo === isFifo;
  });
  return attributes as QueueAttributes;
}

function attributesOf(queue: Queue): QueueAttributes {
  const { visible, invisible, delayed } = queue.count();
  const seconds = (time: number) => String(Math.floor(time / 1_000));
  const { RedrivePolicy, ...attributes } = queue.attributes;
  return {
    ...attributes,
    ...(RedrivePolicy && { RedrivePolicy }),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ApproximateNumberOfMessagesNotVisible: String(invisible),
    CreatedTimestamp: seconds(queue.created),
    LastModifiedTimestamp: seconds(queue.modified),
    QueueArn: queue.arn,
  };
}

function listQueues(queues: Queues, input: Input, { endpoint }: Context): object {
  const prefix = textOf(input, "QueueNamePrefix") ?? "";
  const count = integerOf(input, "MaxResults", [1, 1_000]);
  const after = textOf(input, "NextToken") ?? "";
  const names = [...queues.byName.keys()].filter((name) => name.startsWith(prefix)).sort();
  const page = names.filter((name) => name > after).slice(0, count ?? 1_000);
  const isCut = count !== undefined && page.at(-1) !== names.at(-1);
  return {
    ...(page.length > 0 && { QueueUrls: page.map((name) => urlOf(name, endpoint)) }),
    ...(isCut && { NextToken: page.at(-1) }),
  };
}

/** The operations that this machine has. Their actions in policies have the same names, without `Batch`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...QUEUE_OPERATIONS,
  ...MESSAGE_OPERATIONS,
};

/**
 * Parses a request to Amazon SQS. The name of its queue is read once, so the queue that is checked is the queue that is
 * used.
 */
export function parseSqs(
  queues: Queues,
  headers: Headers,
  body: string,
  context: Omit<Context, "traceHeader" | "shownTrace">,
): ServiceCall {
  const [service, operation = ""] = (headers.get("x-amz-target") ?? "").split(".");
  if (service !== "AmazonSQS") throw notEmulated("This request to Amazon SQS");
  checkSupport("sqs", operation);
  const input = readInput(body);
  const traceHeader = headers.get("x-amzn-trace-id") ?? undefined;
  const shownTrace = sentTraceHeader(headers);
  return {
    accesses: [{ action: actionOf(operation), resource: resourceOf(operation, input) }],
    isLate: operation === "ReceiveMessage",
    run() {
      checkSupport("sqs", operation, input);
      const output = OPERATIONS[operation]!(queues, input, { ...context, traceHeader, shownTrace });
      if (typeof output !== "function") return jsonResponse(output);
      return new Response(streamOf(output as LateAnswer), { headers: HEADERS });
    },
  };
}

/** Returns the action of an operation, as IAM names it. A batch needs the same right as one message. */
export function actionOf(operation: string): string {
  return `sqs:${operation.replace(/Batch$/, "")}`;
}

function resourceOf(operation: string, input: Input): string {
  if (operation === "ListQueues") return "*";
  const hasName = operation === "CreateQueue" || operation === "GetQueueUrl";
  return queueArn(hasName ? requiredText(input, "QueueName") : queueNameOf(input));
}

/** Makes the response for an error, as the clients of the JSON protocol and of the older query protocol know it. */
export function sqsFailure({ code, type, message, status }: ServiceError): Response {
  const fault = status < 500 ? "Sender" : "Receiver";
  const response = jsonResponse({ __type: `com.amazonaws.sqs#${type}`, message }, status);
  response.headers.set("x-amzn-query-error", `${code};${fault}`);
  return response;
}

const HEADERS = { "content-type": "application/x-amz-json-1.0" };

function jsonResponse(content: object, status = 200): Response {
  return new Response(JSON.stringify(content), { status, headers: HEADERS });
}

/**
 * Makes the content of a late answer. A stream knows at once that its client has gone away; a response does not. If the
 * client is gone before the response, nobody reads the stream, so nothing may begin before somebody does.
 */
function streamOf(answer: LateAnswer): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  return new ReadableStream({
    async pull(controller) {
      const output = await answer(gone.signal);
      if (gone.signal.aborted) return;
      controller.enqueue(new TextEncoder().encode(JSON.stringify(output)));
      controller.close();
    },
    cancel: () => gone.abort(),
  }, { highWaterMark: 0 });
}
