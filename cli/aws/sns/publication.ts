import { parseJson } from "../../rules/json_object.ts";
import { MAX_PUBLICATION } from "../../rules/limits.ts";
import { attributeProblem, type MessageAttributes, sizeOf } from "../messages.ts";
import { ServiceError, xmlResponse } from "../service_call.ts";

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
  const texts = parseJson(message);
  if (texts === undefined) {
    throw invalidParameter("Message Structure - JSON message body failed to parse");
  }
  if (typeof Object(texts).default !== "string") {
    throw invalidParameter("Message Structure - No default entry in JSON message body");
  }
  return texts as Publication["texts"];
}

/** Reads and checks the message attributes. */
export function attributesOf(parameters: Parameters): MessageAttributes {
  const names = new Set<string>();
  const entries = listOf(parameters, "MessageAttributes", "entry").map((entry) => {
    const name = textOf(entry, "Name") ?? "";
    const given = entry.get("Value");
    const value: Parameters = given instanceof Map ? given : new Map();
    const [DataType, StringValue, BinaryValue] = ["DataType", "StringValue", "BinaryValue"]
      .map((key) => textOf(value, key));
    if (DataType === undefined) {
      throw new ServiceError(
        "ValidationError",
        `1 validation error detected: Value null at 'messageAttributes.${name}.member.dataType' failed to satisfy constraint: Member must not be null`,
      );
    }
    if (names.has(name)) throw invalidAttribute(`The attribute '${name}' is repeated.`);
    names.add(name);
    return [name, { DataType, StringValue, BinaryValue }] as const;
  });
  const attributes = Object.fromEntries(entries);
  const problem = attributeProblem(attributes);
  if (problem !== undefined) throw invalidAttribute(problem);
  return attributes;
}

/** The parameters of a request in the query protocol of AWS: `a.member.1.b=c` is a text in a tree. */
export type Parameters = ReadonlyMap<string, string | Parameters>;

/** Reads the form of a request. A name that comes twice is refused, because readers could differ about its value. */
export function readForm(body: string): Parameters {
  const root = new Map<string, string | Parameters>();
  for (const [name, value] of new URLSearchParams(body)) {
    const keys = name.split(".");
    const last = keys.pop()!;
    let node = root;
    for (const key of keys) {
      const next = node.get(key) ?? new Map();
      if (typeof next === "string") throw invalidParameter(`"${name}" is repeated`);
      node.set(key, next);
      node = next as typeof root;
    }
    if (node.has(last)) throw invalidParameter(`"${name}" is repeated`);
    node.set(last, value);
  }
  return root;
}

/** Lists the parameters, or the items of a list. */
export function membersOf(value: unknown): Iterable<readonly [string, string | Parameters]> {
  if (!(value instanceof Map)) return [];
  const items = value.size === 1 ? value.get("member") : undefined;
  return items instanceof Map ? items : value;
}

export function textOf(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  if (value === undefined || typeof value === "string") return value;
  throw invalidParameter(`${name} must be a text`);
}

/** Reads the items of a list, such as `Entries.member.1` and `Attributes.entry.1`, in the order of their numbers. */
export function listOf(parameters: Parameters, name: string, item: string): readonly Parameters[] {
  const list = parameters.get(name);
  const members = list instanceof Map ? list.get(item) : undefined;
  if (list === undefined || list === "") return [];
  if (!(members instanceof Map)) throw invalidParameter(`${name} must be a list`);
  return [...members].sort(([a], [b]) => Number(a) - Number(b)).map(([index, member]) => {
    if (/^[1-9]\d{0,4}$/.test(index) && member instanceof Map) return member;
    throw invalidParameter(`${name} must be a list`);
  });
}

/** Reads the entries of a map whose values are texts. */
export function textsByName(parameters: Parameters, name: string): Record<string, string> {
  return Object.fromEntries(
    listOf(parameters, name, "entry").map((entry) => [
      textOf(entry, "key") ?? "",
      textOf(entry, "value") ?? "",
    ]),
  );
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const invalidParameter = (problem: string): ServiceError =>
  new ServiceError("InvalidParameter", `Invalid parameter: ${problem}`);

/** The error for a wrong message attribute. */
const invalidAttribute = (problem: string): ServiceError =>
  new ServiceError("ParameterValueInvalid", problem);

export const notFound = (what: string): ServiceError =>
  new ServiceError("NotFound", `${what} does not exist`, "NotFound", 404);

export function snsFailure({ code, message, status }: ServiceError): Response {
  const Type = status < 500 ? "Sender" : "Receiver";
  const RequestId = crypto.randomUUID();
  const error = { Error: { Type, Code: code, Message: message }, RequestId };
  return xmlResponse({ ErrorResponse: error }, status);
}
