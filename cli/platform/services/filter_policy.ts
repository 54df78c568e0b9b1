import type { FilterScope } from "../../manifest/filter_policy.ts";
import { compilePattern, type EventPattern } from "./event_pattern.ts";

/** A message attribute, as Amazon SNS sends it to subscribers. The value of `Binary` is in base64. */
export interface Attribute {
  readonly Type: string;
  readonly Value: string;
}

/** The parts of a message that a filter policy looks at. */
export interface FilteredMessage {
  readonly body: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/**
 * Makes the test for a filter policy of Amazon SNS, which `wrongFilterParts()` accepts.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 */
export function compileFilterPolicy(
  policy: EventPattern,
  scope: FilterScope = "MessageAttributes",
): (message: FilteredMessage) => boolean {
  const matches = compilePattern(policy);
  return scope === "MessageBody"
    ? ({ body }) => matches(parse(body))
    : ({ attributes }) => matches(Object.fromEntries(fieldsOf(attributes)));
}

/** Lists the attributes as fields of an event. Amazon SNS ignores binary attributes. */
function* fieldsOf(attributes: FilteredMessage["attributes"]): Generator<[string, unknown]> {
  for (const [name, { Type, Value }] of Object.entries(attributes)) {
    if (Type === "String.Array") yield [name, parse(Value) ?? []];
    else if (Type.startsWith("Number")) yield [name, Number(Value)];
    else if (Type.startsWith("String")) yield [name, Value];
  }
}

/** Returns `undefined` for text that is not JSON. No pattern matches it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
