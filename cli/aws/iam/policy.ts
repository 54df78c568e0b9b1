import { ACCOUNT_ID, REGION } from "../../rules/arn.ts";
import { networkTest } from "../../rules/event_operators.ts";
import { isConditionOperator, type Statement } from "../../rules/statement.ts";
import { ANY, matchesWildcard, ONE, type Wildcard } from "../../rules/wildcard.ts";
import { type Access, ServiceError } from "../service_call.ts";

/**
 * Says what the statements of a policy say about an access. A statement that denies it has precedence. Returns `undefined` if
 * no statement applies: then the access is denied, too.
 *
 * @param context The values of condition keys. The names are in lower case.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function decide(
  statements: readonly Statement[],
  access: Access,
  context: Context = {},
): "Allow" | "Deny" | undefined {
  const effects = statements.filter((statement) => applies(statement, access, context))
    .map(({ Effect }) => Effect);
  return effects.includes("Deny") ? "Deny" : effects[0];
}

function applies(
  { Action, NotAction, Resource, NotResource, Condition = {} }: Statement,
  { action, resource }: Access,
  context: Context,
): boolean {
  const isAction = (pattern: string) => matchesText(pattern.toLowerCase(), action.toLowerCase());
  const isResource = (pattern: string) => matchesResource(pattern, resource, context);
  return covers(Action, NotAction, isAction) && covers(Resource, NotResource, isResource) &&
    meetsConditions(Condition, context);
}

type Patterns = string | readonly string[] | undefined;

/** An element such as `Action` covers what one of its patterns matches, and `NotAction` everything else. */
function covers(patterns: Patterns, others: Patterns, is: (pattern: string) => boolean): boolean {
  if (patterns !== undefined) return [patterns].flat().some(is);
  return others !== undefined && ![others].flat().some(is);
}

/** Tells whether a value of a request meets one value of a condition. */
type Test = (wanted: string, value: string, context: Context) => boolean;

const equals: Test = (wanted, value, context) => matchesText(literal(wanted), value, context);
const like: Test = (wanted, value, context) => matchesText(wanted, value, context);
const equalsIgnoringCase: Test = (wanted, value, context) =>
  equals(wanted.toLowerCase(), value.toLowerCase(), lowerCase(context));

/** Makes `*` and `?` stand for themselves. */
const literal = (text: string) =>
  text.replaceAll(/\$\{[^}]*\}|[*?]/g, (part) => part.length === 1 ? `\${${part}}` : part);

const lowerCase = (context: Context): Context =>
  Object.fromEntries(
    Object.entries(context).map(([key, value]) => [
      key,
      typeof value === "string" ? value.toLowerCase() : value,
    ]),
  );

/** The operators that are true if one value of the condition fits. An operator with `not` is true if no value fits. */
const TESTS: Readonly<Record<string, Test>> = {
  stringequals: equals,
  stringequalsignorecase: equalsIgnoringCase,
  stringlike: like,
  arnequals: arnLike,
  arnlike: arnLike,
  numericequals: comparison(Number, (a, b) => a === b),
  numericlessthan: comparison(Number, (a, b) => a < b),
  numericlessthanequals: comparison(Number, (a, b) => a <= b),
  numericgreaterthan: comparison(Number, (a, b) => a > b),
  numericgreaterthanequals: comparison(Number, (a, b) => a >= b),
  dateequals: comparison(timeOf, (a, b) => a === b),
  datelessthan: comparison(timeOf, (a, b) => a < b),
  datelessthanequals: comparison(timeOf, (a, b) => a <= b),
  dategreaterthan: comparison(timeOf, (a, b) => a > b),
  dategreaterthanequals: comparison(timeOf, (a, b) => a >= b),
  bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
  binaryequals: (wanted, value) => wanted === value,
  ipaddress: (wanted, value) => networkTest(wanted)?.(value) ?? false,
};

/**
 * Tells whether a request meets all conditions of a statement.
 *
 * @throws {TypeError} If IAM has no such operator.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
function meetsConditions(
  conditions: Readonly<Record<string, unknown>>,
  context: Context,
): boolean {
  return Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys as Record<string, unknown>).every(([key, wanted]) => {
      const name = key.toLowerCase();
      const found = Object.hasOwn(context, name) ? context[name]! : [];
      return meets(operator, [wanted].flat().map(String), [found].flat(), context);
    })
  );
}

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/i;

function meets(
  operator: string,
  wanted: readonly string[],
  values: readonly string[],
  context: Context,
): boolean {
  if (!isConditionOperator(operator)) {
    throw new TypeError(`Unknown operator of a condition: "${operator}"`);
  }
  const [, set, name, ifExists] = OPERATOR.exec(operator.toLowerCase())!;
  if (name === "null") return wanted.some((text) => (text === "true") === (values.length === 0));
  const isNegated = name!.includes("not");
  const test = TESTS[name!.replace("not", "")]!;
  // Nothing is known about a value with a variable that has no value, so nothing differs from it.
  if (isNegated && values.length > 0 && !wanted.every((one) => isResolved(one, context))) {
    return false;
  }
  const fits = (value: string) => isNegated !== wanted.some((one) => test(one, value, context));
  if (values.length === 0) {
    return set === "forallvalues" || set === undefined && (isNegated || ifExists !== undefined);
  }
  return set === "forallvalues" ? values.every(fits) : values.some(fits);
}

function arnLike(wanted: string, value: string, context: Context): boolean {
  const hasParts = (text: string) => text.split(":").length >= 6;
  return hasParts(wanted) && hasParts(value) && matchesArn(wanted, value, context);
}

/** Compares two values as numbers. If one of them is not a number, no comparison holds. */
function comparison(
  read: (text: string) => number,
  compare: (value: number, wanted: number) => boolean,
): Test {
  return (wanted, value) =>
    value.trim() !== "" && wanted.trim() !== "" && compare(read(value), read(wanted));
}

/** Reads a date of ISO 8601, or seconds since 1970. */
function timeOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
}

/** The values of condition keys. The names are in lower case. */
export type Context = Readonly<Record<string, string | readonly string[]>>;

/** Matches a text against a pattern: `*` stands for any characters, `?` for one, `${*}` for an asterisk. */
function matchesText(pattern: string, text: string, context: Context = {}): boolean {
  const wildcard = wildcardOf(pattern, context);
  return wildcard !== undefined && matchesWildcard(wildcard, text);
}

/** Matches the ARN of a resource against a pattern. IAM has variables in the last part of such a pattern only. */
function matchesResource(pattern: string, arn: string, context: Context): boolean {
  if (pattern === "*") return true;
  if (arn === "*" || /^([^:]*:){0,4}[^:]*\$\{(?![*?$]\})/.test(pattern)) return false;
  return matchesArn(pattern, arn, context);
}

/** Matches an ARN against a pattern, part by part. A wildcard does not reach beyond its part, except in the last one. */
function matchesArn(pattern: string, arn: string, context: Context): boolean {
  const wildcard = wildcardOf(pattern, context);
  if (wildcard === undefined) return false;
  const parts = partsOf(wildcard);
  // If the pattern has fewer parts than an ARN, the others are free.
  return partsOf(arn.split("")).every((part, index) =>
    index >= parts.length || matchesWildcard(parts[index]!, part.join(""))
  );
}

/** The number of the colons that divide an ARN. The last part may have further ones. */
const COLONS = 5;

function partsOf(characters: Wildcard): Wildcard[] {
  const parts: Wildcard[number][][] = [[]];
  for (const character of characters) {
    if (character === ":" && parts.length <= COLONS) parts.push([]);
    else parts.at(-1)!.push(character);
  }
  return parts;
}

/** Tells whether all policy variables of a text have values. */
function isResolved(pattern: string, context: Context): boolean {
  return wildcardOf(pattern, context) !== undefined;
}

/** Reads a pattern with policy variables. Returns `undefined` if a variable has no value: nothing matches then. */
function wildcardOf(pattern: string, context: Context): Wildcard | undefined {
  const wildcard: Wildcard[number][] = [];
  for (const [part, variable] of pattern.matchAll(/\$\{([^}]*)\}|[^]/g)) {
    if (variable === undefined) wildcard.push(part === "*" ? ANY : part === "?" ? ONE : part);
    else {
      const value = /^[*?$]$/.test(variable) ? variable : valueOf(variable, context);
      if (value === undefined) return undefined;
      wildcard.push(...value.split(""));
    }
  }
  return wildcard;
}

/**
 * Returns the value of a policy variable such as `aws:PrincipalArn` or `aws:username, 'somebody'`.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
function valueOf(variable: string, context: Context): string | undefined {
  const [, key = "", value] = /^\s*([^,\s]+)\s*(?:,\s*'([^']*)'\s*)?$/.exec(variable) ?? [];
  const found = Object.hasOwn(context, key.toLowerCase()) ? context[key.toLowerCase()] : undefined;
  return typeof found === "string" ? found : value;
}

/** The role of a function. */
interface Role {
  /** The ARN of the function. */
  readonly arn: string;
  /** The name of the role. */
  readonly role: string;
  readonly statements: readonly Statement[];
}

/** The rights of the functions: the statements that the deployment writes for their roles. */
export class Rights {
  /** `roles` has the role of each function by the function's name. */
  constructor(private readonly roles: Readonly<Record<string, Role>>) {}

  /** Tells whether the role of a function allows an access on this machine. */
  allows(functionName: string, { context = {}, ...access }: Access): boolean {
    const { statements, role, arn } = this.roles[functionName]!;
    const own = Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]);
    const decision = decide(statements, access, {
      ...globalContext(role),
      "lambda:sourcefunctionarn": arn,
      ...Object.fromEntries(own),
    });
    return decision === "Allow";
  }
}

/**
 * The condition keys that each request has.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
 */
function globalContext(role: string): Context {
  const now = new Date();
  return {
    "aws:currenttime": now.toISOString(),
    "aws:epochtime": String(Math.floor(now.getTime() / 1_000)),
    "aws:principalaccount": ACCOUNT_ID,
    "aws:principalarn": `arn:aws:iam::${ACCOUNT_ID}:role/${role}`,
    "aws:principaltype": "AssumedRole",
    "aws:requestedregion": REGION,
    "aws:resourceaccount": ACCOUNT_ID,
    "aws:securetransport": "true", // In the account, functions use TLS.
    "aws:viaawsservice": "false",
  };
}

/** Makes the error for an access that the manifest does not grant. */
export function denied(
  functionName: string,
  service: string,
  { action, resource }: Access,
): ServiceError {
  const message = `The function "${functionName}" may not ${action} on ${resource}: ` +
    'grant it in the manifest by "uses" or "statements"';
  const code = service === "s3" || service === "sqs" ? "AccessDenied" : "AuthorizationError";
  const type = service === "s3" || service === "sns" ? code : "AccessDeniedException";
  return new ServiceError(code, message, type, 403);
}
