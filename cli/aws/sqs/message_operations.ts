import { isObject } from "../../rules/json_object.ts";
import {
  attributesMd5,
  batchFault,
  MAX_ENTRIES,
  md5,
  type Outcome,
  runBatch,
} from "../messages.ts";
import { ATTRIBUTE_NAMES, unknownAttribute } from "./attributes.ts";
import { invalidValue, malformed, queueError } from "./errors.ts";
import {
  type Input,
  integerOf,
  listOf,
  messageOf,
  requiredText,
  sizeInBatch,
  systemAttributesIn,
  textOf,
  textsOf,
} from "./input.ts";
import { type Queue, type Received, SYSTEM_ATTRIBUTES, systemAttributesOf } from "./queue.ts";
import type { Context, LateAnswer, Operation, Queues } from "./queues.ts";

/** The largest number of messages of one call. */
const MAX_MESSAGES = 10;

const VISIBILITY_RANGE = [0, 43_200] as const;

/** The operations of Amazon SQS on messages. */
export const MESSAGE_OPERATIONS: Readonly<Record<string, Operation>> = {
  SendMessage(queues, input, context) {
    return send(queues.of(input), input, context);
  },
  SendMessageBatch(queues, input, context) {
    const queue = queues.of(input);
    const entries = entriesOf(input, "SendMessageBatch");
    const size = entries.reduce((sum, [, entry]) => sum + sizeInBatch(entry), 0);
    const limit = 1_048_576;
    if (size > limit) {
      const message =
        `Batch requests cannot be longer than ${limit} bytes. You have sent ${size} bytes.`;
      throw queueError("BatchRequestTooLong", message);
    }
    if (queue.isFifo) { for (const [, entry] of entries) checkFifoEntry(entry, queue); }
    return runBatch(entries, (entry) => send(queue, entry, context));
  },
  ReceiveMessage: receiveMessages,
  DeleteMessage(queues, input) {
    queues.of(input).delete(requiredText(input, "ReceiptHandle"));
    return {};
  },
  DeleteMessageBatch(queues, input) {
    const queue = queues.of(input);
    const entries = entriesOf(input, "DeleteMessageBatch");
    return runBatch(entries, (entry) => queue.delete(requiredText(entry, "ReceiptHandle")));
  },
  ChangeMessageVisibility(queues, input) {
    changeVisibility(queues.of(input), input);
    return {};
  },
  ChangeMessageVisibilityBatch(queues, input) {
    const queue = queues.of(input);
    const entries = entriesOf(input, "ChangeMessageVisibilityBatch");
    return runBatch(entries, (entry) => changeVisibility(queue, entry));
  },
};

function send(
  queue: Queue,
  input: Input,
  context: Parameters<typeof messageOf>[2],
): Outcome {
  const message = messageOf(input, queue, context);
  const { id, sequenceNumber } = queue.send(message);
  const MD5OfMessageAttributes = attributesMd5(message.attributes);
  const MD5OfMessageSystemAttributes = attributesMd5(systemAttributesIn(input));
  return {
    MessageId: id,
    MD5OfMessageBody: md5(message.body),
    ...(MD5OfMessageAttributes && { MD5OfMessageAttributes }),
    ...(MD5OfMessageSystemAttributes && { MD5OfMessageSystemAttributes }),
    ...(sequenceNumber && { SequenceNumber: sequenceNumber }),
  };
}

/** Refuses a whole batch for a FIFO queue if one message has no group or no deduplication identifier. */
function checkFifoEntry(entry: Input, queue: Queue): void {
  if (textOf(entry, "MessageGroupId") === undefined) {
    throw invalidValue("The request must contain the parameter MessageGroupId.");
  }
  const isByContent = queue.attributes.ContentBasedDeduplication === "true";
  if (textOf(entry, "MessageDeduplicationId") === undefined && !isByContent) {
    throw invalidValue(
      "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
    );
  }
}

function changeVisibility(queue: Queue, input: Input): void {
  const handle = requiredText(input, "ReceiptHandle");
  const seconds = integerOf(input, "VisibilityTimeout", VISIBILITY_RANGE);
  if (seconds === undefined) throw malformed("VisibilityTimeout must be an integer");
  queue.changeVisibility(handle, seconds);
}

function receiveMessages(queues: Queues, input: Input, context: Context): object | LateAnswer {
  const queue = queues.of(input);
  const system = [
    ...textsOf(input, "AttributeNames"),
    ...textsOf(input, "MessageSystemAttributeNames"),
  ];
  const known = [...Object.keys(SYSTEM_ATTRIBUTES), ...ATTRIBUTE_NAMES, "All"];
  const unknown = system.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  const names = textsOf(input, "MessageAttributeNames");
  const range = [1, MAX_MESSAGES] as const;
  const reason = `Must be between 1 and ${MAX_MESSAGES}, if provided.`;
  const options = {
    count: integerOf(input, "MaxNumberOfMessages", range, reason) ?? 1,
    visibility: integerOf(input, "VisibilityTimeout", VISIBILITY_RANGE),
  };
  const wait = integerOf(input, "WaitTimeSeconds", [0, 20]) ??
    Number(queue.attributes.ReceiveMessageWaitTimeSeconds);
  const answer = (messages: readonly Received[]) =>
    messages.length === 0
      ? {}
      : { Messages: messages.map((message) => describe(message, system, names)) };
  const messages = queues.take(queue, options);
  if (messages.length > 0) return answer(messages);
  return async (gone) => {
    const signal = AbortSignal.any([gone, context.signal]);
    return answer(await queues.receive(queue, { ...options, wait, signal }));
  };
}

/** Describes a received message with the attributes that the client asks for. */
function describe(message: Received, system: readonly string[], names: readonly string[]): object {
  const Attributes = select(
    systemAttributesOf(message),
    (name) => system.includes("All") || system.includes(name),
  );
  const MessageAttributes = select(
    message.attributes,
    (name) => names.some((wanted) => isWanted(name, wanted)),
  );
  const MD5OfMessageAttributes = attributesMd5(MessageAttributes);
  return {
    MessageId: message.id,
    ReceiptHandle: message.handle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(MD5OfMessageAttributes && { MD5OfMessageAttributes, MessageAttributes }),
  };
}

function select<Value>(record: Readonly<Record<string, Value>>, is: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => is(name)));
}

/** A client asks for an attribute by its name, for all attributes, or for those with a prefix: `order.*`. */
function isWanted(name: string, wanted: string): boolean {
  if (wanted === "All" || wanted === "*") return true;
  return wanted.endsWith(".*") ? name.startsWith(wanted.slice(0, -2)) : name === wanted;
}

/** Reads the entries of a batch with their identifiers, which must be valid and distinct. */
function entriesOf(input: Input, operation: string) {
  const entries = listOf<Input>(input, "Entries");
  if (!entries.every(isObject)) throw malformed("Entries must be a list of maps");
  const ids = entries.map((entry) => textOf(entry, "Id") ?? "");
  const fault = batchFault(ids);
  if (fault === undefined) return entries.map((entry, index) => [ids[index]!, entry] as const);
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  throw queueError(
    fault,
    {
      EmptyBatchRequest: `There should be at least one ${operation}RequestEntry in the request.`,
      TooManyEntriesInBatchRequest:
        `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${ids.length}.`,
      InvalidBatchEntryId:
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
      BatchEntryIdsNotDistinct: `Id ${repeated} repeated.`,
    }[fault],
  );
}
