import type { Manifest, Statement } from "./types.ts";

/** An operator of a condition, such as `StringLike` and `ForAnyValue:ArnLikeIfExists`. */
const OPERATOR = new RegExp(
  "^(Null|((ForAllValues|ForAnyValue):)?(String(Not)?(Equals(IgnoreCase)?|Like)|Arn(Not)?(Equals|Like)" +
    "|(Numeric|Date)((Not)?Equals|(Less|Greater)Than(Equals)?)|Bool|BinaryEquals|(Not)?IpAddress)(IfExists)?)$",
  "i",
);

/**
 * Tells whether IAM has an operator.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function isConditionOperator(name: string): boolean {
  return OPERATOR.test(name);
}

/** Finds the statements that IAM refuses. */
export function* findStatementConflicts({ functions }: Manifest) {
  for (const [owner, { statements }] of Object.entries(functions)) {
    for (const [index, statement] of statements.entries()) {
      const path = ["functions", owner, "statements", index];
      for (const key of ["Action", "Resource"] as const) {
        if ((statement[key] === undefined) !== (statement[`Not${key}`] === undefined)) continue;
        yield { path, message: `must have either ${key} or Not${key}` };
      }
      yield* wrongConditions(statement, [...path, "Condition"]);
    }
  }
}

function* wrongConditions(
  { Condition = {} }: Statement,
  path: readonly (string | number)[],
): Generator<{ path: readonly (string | number)[]; message: string }> {
  for (const [operator, keys] of Object.entries(Condition)) {
    if (!isConditionOperator(operator)) {
      const message = "must be an operator of IAM, such as StringLike, Bool and NumericLessThan";
      yield { path: [...path, operator], message };
    } else if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
      yield { path: [...path, operator], message: "must be an object with condition keys" };
    } else {
      for (const [key, value] of Object.entries(keys)) {
        const values = [value].flat();
        if (values.length > 0 && values.every((one) => typeof one !== "object")) continue;
        yield { path: [...path, operator, key], message: "must be a value, or an array of values" };
      }
    }
  }
}
