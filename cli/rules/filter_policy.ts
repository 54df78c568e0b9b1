import { type PatternProblem, readPattern } from "./event_pattern.ts";
import { parseJson } from "./json_object.ts";

/** What a filter policy of Amazon SNS looks at. */
export type FilterScope = "MessageAttributes" | "MessageBody";

/** The scopes by their names in the manifest. */
export const FILTER_SCOPES = { attributes: "MessageAttributes", body: "MessageBody" } as const;

const MAX_KEYS = 5;

/** The most combinations of the values of a filter policy. */
const MAX_COMBINATIONS = 150;

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
 * Reads a filter policy of Amazon SNS: finds the wrong parts, and makes the test for messages. A filter policy has the language
 * of event patterns, and its own limits.
 *
 * @param path The keys that lead to the policy, for the problems.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 */
export function readFilterPolicy(
  policy: unknown,
  scope: FilterScope = "MessageAttributes",
  path: PatternProblem["path"] = [],
) {
  const { problems, matches } = readPattern(policy, path);
  const own = problems.length > 0 ? problems : [...wrongParts(policy as Fields, path, scope)];
  return {
    problems: own,
    matches: ({ body, attributes }: FilteredMessage): boolean =>
      own.length === 0 &&
      matches(
        scope === "MessageBody" ? parseJson(body) : Object.fromEntries(fieldsOf(attributes)),
      ),
  };
}

function* wrongParts(
  fields: Fields,
  path: PatternProblem["path"],
  scope: FilterScope,
): Generator<PatternProblem> {
  if (Object.keys(fields).length > MAX_KEYS) {
    yield { path, message: `must have at most ${MAX_KEYS} keys` };
  }
  const nested = scope === "MessageAttributes" ? nestedKey(fields) : undefined;
  if (nested !== undefined) {
    yield {
      path: [...path, nested],
      message: "must be an array, because attributes are not nested",
    };
  }
  if (combinationsOf(fields) > MAX_COMBINATIONS) {
    yield { path, message: `must have at most ${MAX_COMBINATIONS} combinations of its values` };
  }
}

type Fields = { readonly [key: string]: readonly unknown[] | Fields };

function nestedKey(fields: Fields): string | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (!Array.isArray(value)) return key;
    const inner = key === "$or" ? value.map(nestedKey).find((one) => one !== undefined) : undefined;
    if (inner !== undefined) return inner;
  }
}

/** Multiplies the numbers of the values of all keys. A value at depth 3 counts three times. */
function combinationsOf(fields: Fields, depth = 1, start = 1): number {
  return Object.entries(fields).reduce((count, [key, value]) => {
    if (!Array.isArray(value)) return combinationsOf(value as Fields, depth + 1, count);
    if (key !== "$or") return count * value.length * depth;
    return value.reduce((sum, fields) => sum + combinationsOf(fields, depth, count), 0);
  }, start);
}

/** Lists the attributes as fields of an event. Amazon SNS ignores binary attributes. */
function* fieldsOf(attributes: FilteredMessage["attributes"]): Generator<[string, unknown]> {
  for (const [name, { Type, Value }] of Object.entries(attributes)) {
    if (Type === "String.Array") yield [name, parseJson(Value) ?? []];
    else if (Type.startsWith("Number")) yield [name, Number(Value)];
    else if (Type.startsWith("String")) yield [name, Value];
  }
}
