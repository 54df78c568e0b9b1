/** The operators of event patterns and filter policies. */
const OPERATORS = [
  "anything-but",
  "cidr",
  "equals-ignore-case",
  "exists",
  "numeric",
  "prefix",
  "suffix",
  "wildcard",
];

/**
 * Finds the wrong parts of an event pattern or a filter policy: unknown operators, and values that are neither an object nor
 * an array with elements.
 */
export function* wrongParts(
  value: unknown,
  path: readonly (string | number)[],
): Generator<{ path: readonly (string | number)[]; message: string }> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) {
      if (typeof item !== "object" || item === null) continue;
      const [name = "", ...others] = Object.keys(item);
      if (others.length === 0 && OPERATORS.includes(name)) continue;
      const message = `must be a value, or an object with one of ${OPERATORS.join(", ")}`;
      yield { path: [...path, index], message };
    }
  } else if (Array.isArray(value) || typeof value !== "object" || value === null) {
    yield { path, message: "must be an array of values, or an object" };
  } else {
    for (const [key, child] of Object.entries(value)) {
      if (key === "$or" && Array.isArray(child)) {
        for (const [index, pattern] of child.entries()) {
          yield* wrongParts(pattern, [...path, key, index]);
        }
      } else {
        yield* wrongParts(child, [...path, key]);
      }
    }
  }
}
