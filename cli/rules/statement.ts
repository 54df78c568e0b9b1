import type { PatternProblem } from "./event_pattern.ts";

/** A statement of an IAM policy. Resources may contain `${region}`, `${account}`, `${infra.NAME}`, and ARNs such as `${table.orders.arn}`. */
export interface Statement {
  /** The identifier. */
  readonly Sid?: string | undefined;
  /** Whether the actions are allowed or denied. */
  readonly Effect: "Allow" | "Deny";
  /** The actions, such as `dynamodb:GetItem`. */
  readonly Action?: string | readonly string[];
  /** All actions but these. A statement has either `Action` or `NotAction`. */
  readonly NotAction?: string | readonly string[];
  /** The ARNs of the resources. */
  readonly Resource?: string | readonly string[];
  /** All resources but these. A statement has either `Resource` or `NotResource`. */
  readonly NotResource?: string | readonly string[];
  /** The conditions. */
  readonly Condition?: Readonly<Record<string, unknown>> | undefined;
}

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

/** Finds the parts of a statement that IAM refuses. */
export function* wrongStatementParts(
  statement: Statement,
  path: PatternProblem["path"],
): Generator<PatternProblem> {
  for (const key of ["Action", "Resource"] as const) {
    if ((statement[key] === undefined) !== (statement[`Not${key}`] === undefined)) continue;
    yield { path, message: `must have either ${key} or Not${key}` };
  }
  for (const [operator, keys] of Object.entries(statement.Condition ?? {})) {
    const here = [...path, "Condition", operator];
    if (!isConditionOperator(operator)) {
      const message = "must be an operator of IAM, such as StringLike, Bool and NumericLessThan";
      yield { path: here, message };
    } else if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
      yield { path: here, message: "must be an object with condition keys" };
    } else {
      for (const [key, value] of Object.entries(keys)) {
        const values = [value].flat();
        if (values.length > 0 && values.every((one) => typeof one !== "object")) continue;
        yield { path: [...here, key], message: "must be a value, or an array of values" };
      }
    }
  }
}
