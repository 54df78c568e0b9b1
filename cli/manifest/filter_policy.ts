import { type PatternProblem, wrongParts } from "./event_pattern.ts";

/** What a filter policy of Amazon SNS looks at. */
export type FilterScope = "MessageAttributes" | "MessageBody";

/** The scopes by their names in the manifest. */
export const FILTER_SCOPES = { attributes: "MessageAttributes", body: "MessageBody" } as const;

const MAX_KEYS = 5;

/** The most combinations of the values of a filter policy. */
const MAX_COMBINATIONS = 150;

/**
 * Finds the wrong parts of a filter policy of Amazon SNS. It has the language of event patterns, and its own limits.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
export function* wrongFilterParts(
  policy: unknown,
  path: PatternProblem["path"],
  scope: FilterScope = "MessageAttributes",
): Generator<PatternProblem> {
  const problems = [...wrongParts(policy, path)];
  yield* problems;
  if (problems.length > 0) return;
  const fields = policy as Fields;
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
