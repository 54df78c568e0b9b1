import { attributeProblem, type MessageAttributes, sizeOf } from "../message_attributes.ts";
import { MAX_PUBLICATION } from "../../rules/limits.ts";
import { ServiceError } from "../service_call.ts";
import { invalidAttribute, invalidParameter, listOf, type Parameters, textOf } from "./query.ts";

/** A message that somebody publishes. */
export interface Publication {
  /** The text for each protocol, or the text for all protocols as `default`. */
  readonly texts: Readonly<Record<string, unknown>> & { readonly default: string };
  readonly subject?: string | undefined;
  readonly attributes: MessageAttributes;
  /** The group of the message in the queues that get it. */
  readonly groupId?: string | undefined;
  /** The trace header of the request. */
  readonly traceHeader?: string | undefined;
}

/**
 * Reads and checks a message.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function publicationOf(parameters: Parameters): Publication {
  if (parameters.has("MessageDeduplicationId")) {
    throw invalidParameter(
      "The request includes MessageDeduplicationId parameter that is not valid for this topic type",
    );
  }
  const message = textOf(parameters, "Message") ?? "";
  if (message === "") throw invalidParameter("Empty message");
  const subject = textOf(parameters, "Subject");
  // deno-lint-ignore no-control-regex -- the service refuses control characters
  if (subject !== undefined && !/^[^\0-\x1f\x7f-\x9f]{1,100}$/u.test(subject)) {
    throw invalidParameter("Subject");
  }
  const attributes = attributesOf(parameters);
  if (sizeOf(message, attributes) > MAX_PUBLICATION) throw invalidParameter("Message too long");
  const groupId = textOf(parameters, "MessageGroupId");
  return {
    texts: textsOf(message, textOf(parameters, "MessageStructure")),
    subject,
    attributes,
    groupId,
  };
}

/** Reads the texts of a message. With the structure `json`, each protocol can have its own text. */
function textsOf(message: string, structure: string | undefined): Publication["texts"] {
  if (structure === undefined) return { default: message };
  if (structure !== "json") throw invalidParameter("MessageStructure");
  let texts: unknown;
  try {
    texts = JSON.parse(message);
  } catch {
    throw invalidParameter("Message Structure - JSON message body failed to parse");
  }
  const { default: text } = Object(texts) as { default?: unknown };
  if (typeof text !== "string") {
    throw invalidParameter("Message Structure - No default entry in JSON message body");
  }
  return texts as Publication["texts"];
}

/** Reads and checks the message attributes. */
export function attributesOf(parameters: Parameters): MessageAttributes {
  const attributes: Record<string, MessageAttributes[string]> = {};
  for (const entry of listOf(parameters, "MessageAttributes", "entry")) {
    const name = textOf(entry, "Name") ?? "";
    const given = entry.get("Value");
    const value: Parameters = given instanceof Map ? given : new Map();
    if (!value.has("DataType")) {
      throw new ServiceError(
        "ValidationError",
        `1 validation error detected: Value null at 'messageAttributes.${name}.member.dataType' failed to satisfy constraint: Member must not be null`,
      );
    }
    if (Object.hasOwn(attributes, name)) {
      throw invalidAttribute(`The attribute '${name}' is repeated.`);
    }
    Object.defineProperty(attributes, name, { // The name may be `__proto__`.
      enumerable: true,
      value: Object.fromEntries(
        ["DataType", "StringValue", "BinaryValue"].flatMap((key) => {
          const text = textOf(value, key);
          return text === undefined ? [] : [[key, text]];
        }),
      ),
    });
  }
  const problem = attributeProblem(attributes);
  if (problem !== undefined) throw invalidAttribute(problem);
  return attributes;
}
