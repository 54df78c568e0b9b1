import { ACCOUNT_ID } from "../../rules/arn.ts";
import { isObject } from "../../rules/json_object.ts";
import { attributeProblem, type MessageAttributes, sizeOf } from "../messages.ts";
import { ServiceError } from "../service_call.ts";
import type { Queue, SentMessage } from "./queue.ts";
import { invalidParameter, invalidValue, malformed, missingParameter } from "./errors.ts";

export type Input = Readonly<Record<string, unknown>>;

export function textOf(input: Input, name: string): string | undefined {
  return memberOf(input, name, "a string", (value) => typeof value === "string");
}

/** Reads a text that must be there. */
export function requiredText(input: Input, name: string): string {
  const text = textOf(input, name);
  if (text === undefined || text === "") throw missingParameter(name);
  return text;
}

export function listOf<Item>(input: Input, name: string): readonly Item[] {
  return memberOf<readonly Item[]>(input, name, "a list", Array.isArray) ?? [];
}

export function textsOf(input: Input, name: string): readonly string[] {
  const texts = listOf<string>(input, name);
  if (texts.every((text) => typeof text === "string")) return texts;
  throw malformed(`${name} must be a list of strings`);
}

export function recordOf(input: Input, name: string): Input {
  return memberOf<Input>(input, name, "a map", isObject) ?? {};
}

/** Reads an integer in a range. */
export function integerOf(
  input: Input,
  name: string,
  [least, greatest]: readonly [number, number],
  reason = `Must be >= ${least} and <= ${greatest}, if provided.`,
): number | undefined {
  const value = memberOf<number>(input, name, "an integer", Number.isInteger);
  if (value === undefined || value >= least && value <= greatest) return value;
  throw invalidParameter(name, value, reason);
}

function memberOf<Value>(
  input: Input,
  name: string,
  expected: string,
  is: (value: unknown) => boolean,
): Value | undefined {
  const value = input[name] ?? undefined;
  if (value !== undefined && !is(value)) throw malformed(`${name} must be ${expected}`);
  return value as Value | undefined;
}

/** Reads the name of a queue from its URL. A client may call the host as it likes. The developer's URL begins with a secret. */
export function queueNameOf(input: Input): string {
  const url = requiredText(input, "QueueUrl");
  const [, account, name] =
    /^(?:https?:\/\/[^/?#]+\/(?:[0-9a-f]{32}\/)?|\/)?(?:(\d{12})\/)?([\w.-]{1,80})$/.exec(url) ??
      [];
  if (name === undefined || account !== undefined && account !== ACCOUNT_ID) {
    throw new ServiceError(
      "InvalidAddress",
      `The address ${url} is not valid for this endpoint.`,
      "InvalidAddress",
      404,
    );
  }
  return name;
}

/** The largest number of message attributes. */
const MAX_ATTRIBUTES = 10;

/** Reads a message for a queue, and checks it. */
export function messageOf(
  input: Input,
  queue: Queue,
  { traceHeader, shownTrace }: Pick<SentMessage, "traceHeader" | "shownTrace"> = {},
): SentMessage {
  const body = requiredText(input, "MessageBody");
  if (/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body)) {
    throw new ServiceError(
      "InvalidMessageContents",
      "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF",
    );
  }
  const attributes = attributesOf(input, "MessageAttributes");
  const count = Object.keys(attributes).length;
  if (count > MAX_ATTRIBUTES) {
    throw invalidValue(
      `Number of message attributes [${count}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    );
  }
  const limit = Number(queue.attributes.MaximumMessageSize);
  if (sizeOf(body, attributes) > limit) {
    throw invalidValue(
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    );
  }
  const given = systemAttributesIn(input).AWSTraceHeader?.StringValue;
  return {
    body,
    attributes,
    ...identifiersOf(input, queue),
    delay: delayOf(input, queue),
    traceHeader: given ?? traceHeader,
    shownTrace: given ?? shownTrace,
  };
}

function attributesOf(input: Input, name: string): MessageAttributes {
  const attributes = recordOf(input, name);
  for (const [key, attribute] of Object.entries(attributes)) {
    if (!isObject(attribute)) throw malformed(`${name}.${key} must be a map`);
    for (const member of ["DataType", "StringValue", "BinaryValue"]) textOf(attribute, member);
    for (const member of ["StringListValues", "BinaryListValues"]) {
      if (listOf(attribute, member).length === 0) continue;
      throw new ServiceError(
        "AWS.SimpleQueueService.UnsupportedOperation",
        "Message attribute list values in SendMessage operation are not supported.",
        "UnsupportedOperation",
      );
    }
  }
  const problem = attributeProblem(attributes as MessageAttributes);
  if (problem !== undefined) throw invalidValue(problem);
  return attributes as MessageAttributes;
}

/** Counts the bytes of a message in a batch. A malformed message counts as nothing, because its own answer refuses it. */
export function sizeInBatch(input: Input): number {
  try {
    return sizeOf(textOf(input, "MessageBody") ?? "", attributesOf(input, "MessageAttributes"));
  } catch (error) {
    if (error instanceof ServiceError) return 0;
    throw error;
  }
}

/** Reads the system attributes of a message. Only the trace header of AWS X-Ray exists. */
export function systemAttributesIn(input: Input): MessageAttributes {
  const attributes = attributesOf(input, "MessageSystemAttributes");
  const other = Object.keys(attributes).find((name) => name !== "AWSTraceHeader");
  if (other === undefined) return attributes;
  throw invalidValue(`Message system attribute name '${other}' is invalid.`);
}

/** Tells whether a text may be a group or a deduplication identifier. */
export function isIdentifier(text: string): boolean {
  return /^[!-~]{1,128}$/.test(text);
}

/** Reads the group and the deduplication identifier. */
function identifiersOf(input: Input, { isFifo }: Queue) {
  const [groupId, deduplicationId] = ["MessageGroupId", "MessageDeduplicationId"].map((name) => {
    const text = textOf(input, name);
    if (text !== undefined && !isIdentifier(text)) {
      const reason =
        `${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
      throw invalidParameter(name, text, reason);
    }
    return text;
  });
  if (isFifo && groupId === undefined) throw missingParameter("MessageGroupId");
  if (!isFifo && deduplicationId !== undefined) {
    throw invalidParameter("MessageDeduplicationId", deduplicationId, WRONG_KIND);
  }
  return { groupId, deduplicationId };
}

const WRONG_KIND = "The request include parameter that is not valid for this queue type.";

function delayOf(input: Input, { isFifo, attributes }: Queue): number {
  const delay = integerOf(input, "DelaySeconds", [0, 900], "DelaySeconds must be >= 0 and <= 900.");
  if (isFifo && delay) throw invalidParameter("DelaySeconds", delay, WRONG_KIND);
  // A message of a FIFO queue has no delay of its own, not even a delay of 0.
  return isFifo || delay === undefined ? Number(attributes.DelaySeconds) : delay;
}
