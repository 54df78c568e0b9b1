/**
 * What Amazon SQS and Amazon SNS have in common: the attributes of messages, and batches.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ServiceError } from "./service_call.ts";

/** An attribute of a message. Bytes are in base64. */
export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: string | undefined;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/**
 * Finds the first attribute that Amazon SQS and Amazon SNS refuse. Returns what is wrong, or `undefined`.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function attributeProblem(attributes: MessageAttributes): string | undefined {
  for (const [name, attribute] of Object.entries(attributes)) {
    const problem = nameProblem(name) ?? valueProblem(name, attribute);
    if (problem !== undefined) return problem;
  }
}

function nameProblem(name: string): string | undefined {
  if (/^(AWS|Amazon)\./i.test(name)) {
    return `The message attribute name '${name}' must not start with 'AWS.' or 'Amazon.'.`;
  }
  if (/^(?!\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/.test(name)) return undefined;
  return `Invalid message attribute name '${name}': it can have 256 letters, digits, underscores, hyphens and single periods within.`;
}

function valueProblem(
  name: string,
  { DataType = "", StringValue = "", BinaryValue = "" }: Partial<MessageAttribute>,
): string | undefined {
  const attribute = `The message attribute '${name}'`;
  if (DataType === "") return `${attribute} must contain a non-empty message attribute type.`;
  const [, kind] = /^(String|Number|Binary)(?:\..{1,}|$)/.exec(DataType) ?? [];
  if (kind === undefined || DataType.length > 256) {
    return `${attribute} has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`;
  }
  const [value, other] = kind === "Binary"
    ? [BinaryValue, StringValue]
    : [StringValue, BinaryValue];
  if (value === "") {
    return `${attribute} must contain a non-empty message attribute value for message attribute type '${DataType}'.`;
  }
  if (other !== "") return `${attribute} has values of two types.`;
  if (kind === "Number" && !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value)) {
    return `Can't cast the value of message (user) attribute '${name}' to a number.`;
  }
  if (kind === "Binary" && Buffer.from(value, "base64").toString("base64") !== value) {
    return `${attribute} must have a value in base64.`;
  }
}

/** Returns the bytes of an attribute's value. */
function valueOf({ StringValue, BinaryValue }: MessageAttribute): Buffer {
  return StringValue === undefined ? Buffer.from(BinaryValue!, "base64") : Buffer.from(StringValue);
}

/** Counts the bytes of a message: its body, and the names, types and values of its attributes. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  return Object.entries(attributes).reduce(
    (size, [name, attribute]) =>
      size + Buffer.byteLength(name + attribute.DataType) + valueOf(attribute).length,
    Buffer.byteLength(body),
  );
}

/**
 * Computes the digest of attributes as Amazon SQS does. Returns `undefined` if there are none.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation
 */
export function attributesMd5(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const hash = createHash("md5");
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const attribute = attributes[name]!;
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    hash.update(Uint8Array.of(attribute.StringValue === undefined ? 2 : 1));
    add(valueOf(attribute));
  }
  return hash.digest("hex");
}

export function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** The most entries of a batch of Amazon SQS or Amazon SNS. */
export const MAX_ENTRIES = 10;

/** The answer to one entry of a batch. */
export type Outcome = Readonly<Record<string, string | boolean>>;

type Fault =
  | "EmptyBatchRequest"
  | "TooManyEntriesInBatchRequest"
  | "InvalidBatchEntryId"
  | "BatchEntryIdsNotDistinct";

/** Finds what is wrong with the identifiers of the entries of a batch. */
export function batchFault(ids: readonly string[]): Fault | undefined {
  if (ids.length === 0) return "EmptyBatchRequest";
  if (ids.length > MAX_ENTRIES) return "TooManyEntriesInBatchRequest";
  if (!ids.every((id) => /^[\w-]{1,80}$/.test(id))) return "InvalidBatchEntryId";
  if (new Set(ids).size < ids.length) return "BatchEntryIdsNotDistinct";
}

/** Runs the entries of a batch one after the other. An entry that fails does not stop the others. */
export function runBatch<Entry>(
  entries: readonly (readonly [Id: string, entry: Entry])[],
  run: (entry: Entry) => Outcome | void,
): { Successful: Outcome[]; Failed: Outcome[] } {
  const Successful: Outcome[] = [];
  const Failed: Outcome[] = [];
  for (const [Id, entry] of entries) {
    try {
      Successful.push({ Id, ...run(entry) });
    } catch (error) {
      // What is not emulated must not look like a message that the service refuses.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}
