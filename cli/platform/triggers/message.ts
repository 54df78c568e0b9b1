import { Buffer } from "node:buffer";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { REGION, topicArn } from "../arn.ts";
import { MAX_PUBLICATION } from "../limits.ts";
import { describeProblems, record } from "../../manifest/schema.ts";

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

/** A message that cannot be published. */
export class PublicationError extends TypeError {
  constructor(problem: string, options?: ErrorOptions) {
    super(`Cannot publish the message: ${problem}`, options);
    this.name = "PublicationError";
  }
}

const ATTRIBUTE: z.ZodType<MessageAttribute> = z.strictObject({
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

const PUBLICATION: z.ZodType<Publication> = z.strictObject({
  message: z.string({ error: "must be a string" }).min(1, { error: "must not be empty" }),
  subject: z.string({ error: "must be a string" }).regex(/^[!-~][ -~]{0,99}$/, {
    error: "must be 1 to 100 ASCII characters on one line, and start with no space",
  }).nullish(),
  attributes: record(
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
 * @throws {PublicationError} If it cannot be published; the message names every key that is wrong.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function checkPublication(value: unknown): Publication {
  const result = PUBLICATION.safeParse(value);
  if (result.success) return result.data;
  throw new PublicationError(describeProblems(result.error, "a message"));
}

/**
 * Makes the event that Amazon SNS sends to a function. The signature has the form of a real one, but nothing can verify it.
 *
 * @param messageId The identifier of the message. Every subscriber gets the same one.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export function createMessageEvent(
  topic: string,
  functionName: string,
  { message, subject, attributes }: Publication,
  messageId: string,
  time: Date,
): Readonly<Record<string, unknown>> {
  const arn = topicArn(topic);
  const subscription = `${arn}:${uuidOf(`${topic} ${functionName}`)}`;
  const service = `https://sns.${REGION}.amazonaws.com`;
  return {
    Records: [{
      EventSource: "aws:sns",
      EventVersion: "1.0",
      EventSubscriptionArn: subscription,
      Sns: {
        Type: "Notification",
        MessageId: messageId,
        TopicArn: arn,
        Subject: subject ?? null,
        Message: message,
        Timestamp: time.toISOString(),
        SignatureVersion: "1",
        Signature: randomBytes(256).toString("base64"),
        SigningCertUrl: `${service}/SimpleNotificationService-${"0".repeat(32)}.pem`,
        UnsubscribeUrl: `${service}/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
        MessageAttributes: attributes,
      },
    }],
  };
}

/** The identifier of a new message. */
export function createMessageId(): string {
  return randomUUID();
}

/** A UUID. The same text always has the same one. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [8, 4, 4, 4, 12].map((length, index) => {
    const start = [0, 8, 12, 16, 20][index]!;
    return hex.slice(start, start + length);
  }).join("-");
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
  return Object.entries(attributes).reduce(
    (size, [name, { Type, Value }]) =>
      size + Buffer.byteLength(name + Type) +
      Buffer.byteLength(Value, Type === "Binary" ? "base64" : "utf8"),
    Buffer.byteLength(message),
  );
}
