import { ACCOUNT_ID } from "../../rules/arn.ts";
import { ServiceError } from "../service_call.ts";
import {
  ATTRIBUTE_NAMES,
  checkAttributes,
  defaultAttributes,
  type QueueAttributes,
  unknownAttribute,
} from "./attributes.ts";
import { invalidValue, queueError, unknownQueue } from "./errors.ts";
import { type Input, integerOf, recordOf, requiredText, textOf, textsOf } from "./input.ts";
import type { Queue } from "./queue.ts";
import type { Context, Operation, Queues } from "./queues.ts";

/** The operations of Amazon SQS on queues. */
export const QUEUE_OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateQueue: createQueue,
  DeleteQueue(queues, input) {
    const queue = queues.of(input);
    queues.byName.delete(queue.name);
    queue.purge();
    queue.wake();
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
    queues.create(name, { ...defaultAttributes(isFifo), ...attributes });
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
