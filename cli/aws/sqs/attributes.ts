import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseObject } from "../../rules/json_object.ts";
import { type MessageAttributes, sizeOf } from "../messages.ts";
import { notEmulated, ServiceError } from "../service_call.ts";
import { invalidParameter, invalidValue } from "./errors.ts";

/** The attributes of a queue that clients can set, as texts. */
export type QueueAttributes = Readonly<Record<string, string>>;

const NUMBERS: Readonly<Record<string, readonly [least: number, greatest: number, value: number]>> =
  {
    DelaySeconds: [0, 900, 0],
    MaximumMessageSize: [1_024, 1_048_576, 1_048_576],
    MessageRetentionPeriod: [60, 1_209_600, 345_600],
    ReceiveMessageWaitTimeSeconds: [0, 20, 0],
    VisibilityTimeout: [0, 43_200, 30],
  };

/** The values of the attributes that only a FIFO queue has. The first one is the default. */
const FIFO_VALUES: Readonly<Record<string, readonly string[]>> = {
  ContentBasedDeduplication: ["false", "true"],
  DeduplicationScope: ["queue", "messageGroup"],
  FifoQueue: ["true"],
  FifoThroughputLimit: ["perQueue", "perMessageGroupId"],
};

/** The attributes of encryption. A client reads what it has set, and messages are not encrypted on this machine. */
const ENCRYPTION = ["KmsDataKeyReusePeriodSeconds", "KmsMasterKeyId", "SqsManagedSseEnabled"];

/** The attributes that the service computes. */
const COMPUTED_ATTRIBUTES = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesDelayed",
  "ApproximateNumberOfMessagesNotVisible",
  "CreatedTimestamp",
  "LastModifiedTimestamp",
  "QueueArn",
];

/** The attributes of Amazon SQS that are not emulated. */
const OTHERS = ["Policy", "RedriveAllowPolicy"];

const SETTABLE = [
  ...Object.keys(NUMBERS),
  ...Object.keys(FIFO_VALUES),
  ...ENCRYPTION,
  "RedrivePolicy",
];

export const ATTRIBUTE_NAMES = new Set([...SETTABLE, ...COMPUTED_ATTRIBUTES, ...OTHERS]);

export const unknownAttribute = (name: string): ServiceError =>
  new ServiceError("InvalidAttributeName", `Unknown Attribute ${name}.`);

/** The attributes of a new queue, without those that the client sets. */
export function defaultAttributes(isFifo: boolean): QueueAttributes {
  return {
    ...Object.fromEntries(Object.entries(NUMBERS).map(([name, [, , value]]) => [name, `${value}`])),
    SqsManagedSseEnabled: "true",
    ...(isFifo &&
      Object.fromEntries(Object.entries(FIFO_VALUES).map(([name, [value]]) => [name, value!]))),
  };
}

/**
 * Checks attributes that a client sets.
 *
 * @param isKnownQueue Tells whether an ARN is that of a queue of the same kind.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export function checkAttributes(
  attributes: QueueAttributes,
  isFifo: boolean,
  isKnownQueue: (arn: string) => boolean,
): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (OTHERS.includes(name)) throw notEmulated(`The attribute ${name} of a queue`);
    if (!SETTABLE.includes(name) || !isFifo && Object.hasOwn(FIFO_VALUES, name)) {
      throw unknownAttribute(name);
    }
    if (name === "RedrivePolicy") checkRedrivePolicy(value, isKnownQueue);
    else if (!isValue(name, value)) {
      const reason = name === "FifoQueue" ? " Reason: Modifying queue type is not supported." : "";
      throw new ServiceError(
        "InvalidAttributeValue",
        `Invalid value for the parameter ${name}.${reason}`,
      );
    }
  }
}

function isValue(name: string, value: string): boolean {
  const values = FIFO_VALUES[name];
  if (values !== undefined) return values.includes(value);
  const [least, greatest] = NUMBERS[name] ?? [];
  return least === undefined ||
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= greatest!;
}

export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number | string;
}

/** Reads the redrive policy of a queue. An empty text removes the policy. */
export function redrivePolicyOf({ RedrivePolicy }: QueueAttributes): RedrivePolicy | undefined {
  return RedrivePolicy ? JSON.parse(RedrivePolicy) : undefined;
}

function checkRedrivePolicy(text: string, isKnownQueue: (arn: string) => boolean): void {
  if (text === "") return;
  const refuse = (reason: string) => invalidParameter("RedrivePolicy", text, reason);
  const policy = parseObject(text);
  if (policy === undefined) throw refuse("Redrive policy is not a valid JSON map.");
  const { deadLetterTargetArn, maxReceiveCount, ...others } = policy;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refuse(`Unknown parameter ${other}.`);
  for (const [name, value] of Object.entries({ deadLetterTargetArn, maxReceiveCount })) {
    if (value === undefined) {
      throw refuse(`Redrive policy does not contain mandatory attribute: ${name}.`);
    }
  }
  const count = Number(maxReceiveCount);
  if (!Number.isInteger(count) || count < 1 || count > 1_000) {
    throw refuse("Invalid value for maxReceiveCount: it must be an integer between 1 and 1000.");
  }
  if (!isKnownQueue(String(deadLetterTargetArn))) {
    throw invalidValue(
      `Value ${text} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.`,
    );
  }
}

/** The bytes of messages that stay in memory. */
const MEMORY = 33_554_432;

/** What the sender of a message wrote. */
export interface Content {
  readonly body: string;
  readonly attributes: MessageAttributes;
}

/** The content of a message that is in memory or in a file. */
export interface Kept {
  readonly size: number;
  read(): Content;
  /** Forgets the content. */
  drop(): void;
}

/** The contents of the messages of all queues. What does not fit into the memory is in files. */
export class Contents {
  /** The bytes that the memory can still take. */
  #free: number;
  #files = 0;

  /** The folder must exist. Whoever made the folder removes it. */
  constructor(private readonly folder: string, memory = MEMORY) {
    this.#free = memory;
  }

  /** Keeps a content until the call of `drop`. */
  keep(content: Content): Kept {
    const size = sizeOf(content.body, content.attributes);
    if (size <= this.#free) {
      this.#free -= size;
      return { size, read: () => content, drop: () => void (this.#free += size) };
    }
    const file = join(this.folder, String(this.#files++));
    try {
      Deno.writeTextFileSync(file, JSON.stringify(content), { createNew: true, mode: 0o600 });
    } catch (error) {
      rmSync(file, { force: true }); // A full disk may have taken a part.
      throw new Error(`Cannot keep a message: ${(error as Error).message}`, { cause: error });
    }
    return keptIn(file, size);
  }
}

/** A function of its own, because functions that are made in one function keep all of its values in memory. */
function keptIn(file: string, size: number): Kept {
  return {
    size,
    read: () => JSON.parse(Deno.readTextFileSync(file)),
    drop: () => Deno.removeSync(file),
  };
}
