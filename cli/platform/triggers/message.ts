import { Buffer } from "node:buffer";
import { type Refusal, refusal } from "../../lambda/http.ts";
import { MAX_PUBLICATION } from "../../application/limits.ts";
import type { Messaging } from "../services/messaging.ts";
import { makeChecker } from "../../manifest/checker.ts";

export interface Publication {
  readonly message: string;
  readonly subject?: string | null | undefined;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
}

export interface MessageAttribute {
  readonly Type: "String" | "String.Array" | "Number" | "Binary";
  /** The value as text. Bytes are in base64. */
  readonly Value: string;
}

export function publicationRefusal(problem: string): Refusal {
  return refusal(400, `Cannot publish the message: ${problem}`);
}

const SCHEMA = {
  type: "object",
  required: ["message"],
  properties: {
    message: { type: "string", minLength: 1 },
    subject: {
      type: ["string", "null"],
      pattern: "^[!-~][ -~]{0,99}$",
      patternErrorMessage: "must be 1 to 100 ASCII characters on one line, and start with no space",
    },
    attributes: {
      type: "object",
      default: {},
      propertyNames: { format: "attribute" },
      additionalProperties: {
        type: "object",
        required: ["Type", "Value"],
        properties: {
          Type: { enum: ["String", "String.Array", "Number", "Binary"] },
          Value: { type: "string", minLength: 1 },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

const check = makeChecker("message", SCHEMA, { attribute: attributeProblem });

/** Returns the problem of the name of an attribute, or `undefined`. */
function attributeProblem(name: string): string | undefined {
  if (/^(AWS|Amazon)\./i.test(name)) return 'must not start with "AWS." or "Amazon."';
  if (name === "__proto__") return "must be another name"; // Objects of JavaScript cannot have it safely.
  return /^(?!\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/.test(name)
    ? undefined
    : "must be the name of an attribute: letters, digits, _ and -, and single periods within";
}

/**
 * Checks a message by the rules of Amazon SNS.
 *
 * @throws {Refusal} If a rule is broken. The error names every key that is wrong.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function checkPublication(value: unknown): Publication {
  const problems = check(value);
  if (problems.length === 0) problems.push(...wrongValues(value as Publication));
  if (problems.length > 0) throw publicationRefusal(problems.join("; "));
  return value as Publication;
}

function* wrongValues(publication: Publication): Generator<string> {
  for (const [name, { Type, Value }] of Object.entries(publication.attributes)) {
    const expected = Type === "Number" && !/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(Value)
      ? "a number"
      : Type === "String.Array" && !isArrayOfScalars(Value)
      ? "a JSON array of strings, numbers, true, false and null"
      : Type === "Binary" && Buffer.from(Value, "base64").toString("base64") !== Value
      ? "base64"
      : undefined;
    if (expected !== undefined) yield `"attributes.${name}.Value" must be ${expected}`;
  }
  if (sizeOf(publication) > MAX_PUBLICATION) {
    yield `"message" and "attributes" must have at most ${MAX_PUBLICATION} bytes together`;
  }
}

/** Publishes a message with Amazon SNS. Returns the identifier of the message. */
export function publish(
  messaging: Messaging,
  topic: string,
  { message, subject, attributes }: Publication,
): string {
  const values = Object.entries(attributes).map(([name, { Type: DataType, Value }]) => [
    name,
    { DataType, [DataType === "Binary" ? "BinaryValue" : "StringValue"]: Value },
  ]);
  return messaging.publish(topic, {
    texts: { default: message },
    subject: subject ?? undefined,
    attributes: Object.fromEntries(values),
  });
}

function isArrayOfScalars(text: string): boolean {
  try {
    const array: unknown = JSON.parse(text);
    return Array.isArray(array) &&
      array.every((item) => item === null || typeof item !== "object");
  } catch {
    return false; // The caller reports the problem.
  }
}

/** Counts the bytes of a message, with the names, types and values of its attributes. */
function sizeOf({ message, attributes }: Publication): number {
  const texts = Object.entries(attributes).map(([name, { Type, Value }]) => name + Type + Value);
  return Buffer.byteLength(message + texts.join(""));
}
