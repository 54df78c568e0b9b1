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

const COMPARISONS = ["=", "<", "<=", ">", ">="];

/**
 * Finds the wrong parts of an event pattern or a filter policy: unknown operators, some wrong operands, and values that are
 * neither an object nor an array with elements.
 */
export function* wrongParts(
  value: unknown,
  path: readonly (string | number)[],
): Generator<{ path: readonly (string | number)[]; message: string }> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) {
      if (typeof item !== "object" || item === null) continue;
      const [name = "", ...others] = Object.keys(item);
      if (others.length === 0 && OPERATORS.includes(name)) {
        const problem = operandProblem(name, item[name]);
        if (problem !== undefined) yield { path: [...path, index, name], message: problem };
        continue;
      }
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

/** Says what an operator takes if its operand never matches. */
function operandProblem(name: string, operand: unknown): string | undefined {
  if (name === "exists" && typeof operand !== "boolean") return "must be true or false";
  if (name !== "numeric") return undefined;
  const isRange = Array.isArray(operand) && operand.length > 0 && operand.length % 2 === 0 &&
    operand.every((part, index) =>
      index % 2 === 0 ? COMPARISONS.includes(part) : typeof part === "number"
    );
  return isRange ? undefined : 'must be comparisons with numbers, such as [">", 0, "<=", 5]';
}
