import { Buffer } from "node:buffer";
import { z } from "zod";
import { topicArn } from "../arn.ts";
import { type Refusal, refusal } from "../http.ts";
import { MAX_PUBLICATION } from "../limits.ts";
import type { Messaging } from "../services/messaging.ts";
import { describe, object, wordIssue } from "../../manifest/problems.ts";

/** A message as it is published. */
export interface Publication {
  readonly message: string;
  readonly subject?: string | null | undefined;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
}

/** An attribute of a message. */
export interface MessageAttribute {
  readonly Type: "String" | "String.Array" | "Number" | "Binary";
  /** The value; bytes are in base64. */
  readonly Value: string;
}

/** Refuses a message that cannot be published. */
export function publicationRefusal(problem: string): Refusal {
  return refusal(400, `Cannot publish the message: ${problem}`);
}

const ATTRIBUTE: z.ZodType<MessageAttribute> = object({
  Type: z.enum(["String", "String.Array", "Number", "Binary"], {
    error: "must be String, String.Array, Number or Binary",
  }),
  Value: z.string({ error: "must be a string" }).min(1, { error: "must not be empty" }),
}).superRefine(({ Type, Value }, context) => {
  const problem = Type === "Number" && !/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(Value)
    ? "must be a number"
    : Type === "String.Array" && !isArrayOfScalars(Value)
    ? "must be a JSON array of strings, numbers, true, false and null"
    : Type === "Binary" && Buffer.from(Value, "base64").toString("base64") !== Value
    ? "must be base64"
    : undefined;
  if (problem !== undefined) {
    context.addIssue({ code: "custom", path: ["Value"], message: problem });
  }
});

const PUBLICATION: z.ZodType<Publication> = object({
  message: z.string({ error: "must be a string" }).min(1, { error: "must not be empty" }),
  subject: z.string({ error: "must be a string" }).regex(/^[!-~][ -~]{0,99}$/, {
    error: "must be 1 to 100 ASCII characters on one line, and start with no space",
  }).nullish(),
  attributes: z.record(
    z.string().regex(/^(?!(AWS|Amazon)\.)/i, {
      error: 'must not start with "AWS." or "Amazon."',
    }).regex(/^(?!\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/, {
      error:
        "must be the name of an attribute: letters, digits, _ and -, and single periods within",
    }),
    ATTRIBUTE,
  ).default({}),
}).refine((publication) => sizeOf(publication) <= MAX_PUBLICATION, {
  path: ["message"],
  error: `must have at most ${MAX_PUBLICATION} bytes, those of the attributes included`,
});

/**
 * Checks a message by the rules of Amazon SNS.
 *
 * @throws {Refusal} If it cannot be published; the message names every key that is wrong.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function checkPublication(value: unknown): Publication {
  const { attributes } = Object(value);
  if (Object.hasOwn(Object(attributes), "__proto__")) { // Zod drops the key silently
    throw publicationRefusal('"attributes" must have no key "__proto__"');
  }
  const result = PUBLICATION.safeParse(value, { error: wordIssue });
  if (result.success) return result.data;
  throw publicationRefusal(describe(result.error, "message"));
}

/** Publishes a message by Amazon SNS. Returns the identifier of the message. */
export async function publish(
  messaging: Messaging,
  topic: string,
  { message, subject, attributes }: Publication,
): Promise<string> {
  const form = new URLSearchParams({
    Action: "Publish",
    Version: "2010-03-31",
    TopicArn: topicArn(topic),
    Message: message,
  });
  if (subject) form.set("Subject", subject);
  for (const [index, [name, { Type, Value }]] of Object.entries(attributes).entries()) {
    const entry = `MessageAttributes.entry.${index + 1}`;
    form.set(`${entry}.Name`, name);
    form.set(`${entry}.Value.DataType`, Type);
    form.set(`${entry}.Value.${Type === "Binary" ? "BinaryValue" : "StringValue"}`, Value);
  }
  const response = await messaging.answer("sns", new Headers(), form.toString(), "");
  const text = await response.text();
  const [, id] = /<MessageId>([^<]+)</.exec(text) ?? [];
  if (id === undefined) throw new Error(`Cannot publish to the topic "${topic}": ${text}`);
  return id;
}

function isArrayOfScalars(text: string): boolean {
  try {
    const array: unknown = JSON.parse(text);
    return Array.isArray(array) &&
      array.every((item) => item === null || typeof item !== "object");
  } catch {
    return false; // The caller says what is expected.
  }
}

/** How many bytes of the limit a message takes: its own, and those of the names, types and values of its attributes. */
function sizeOf({ message, attributes }: Publication): number {
  const texts = Object.entries(attributes).flatMap((
    [name, { Type, Value }],
  ) => [name, Type, Value]);
  return Buffer.byteLength([message, ...texts].join(""));
}
