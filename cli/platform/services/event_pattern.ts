import { BlockList } from "node:net";
import { ANY, matchesWildcard } from "../../application/wildcard.ts";

export type EventPattern = { readonly [key: string]: unknown };

/**
 * Tells whether an event matches a pattern of Amazon EventBridge.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  return Object.entries(pattern).every(([key, wanted]) => {
    if (key === "$or" && Array.isArray(wanted)) {
      return wanted.some((alternative) => matchesPattern(alternative, event));
    }
    const values = valuesOf(event, key);
    if (Array.isArray(wanted)) return wanted.some((matcher) => matchesAny(matcher, values));
    return values.some((value) => isObject(value) && matchesPattern(wanted as EventPattern, value));
  });
}

/** Returns the values of a key: the elements of an array, or one value. */
function valuesOf(event: unknown, key: string): readonly unknown[] {
  if (!isObject(event) || !Object.hasOwn(event, key)) return [];
  return [event[key]].flat();
}

function matchesAny(matcher: unknown, values: readonly unknown[]): boolean {
  if (isObject(matcher) && "exists" in matcher) return matcher.exists === values.length > 0;
  return values.some((value) => matches(matcher, value));
}

function matches(matcher: unknown, value: unknown): boolean {
  if (!isObject(matcher)) return matcher === value;
  const [[name, operand] = [], ...others] = Object.entries(matcher);
  if (name === undefined || others.length > 0) return false;
  if (name === "numeric") return typeof value === "number" && isInRange(operand, value);
  if (name === "anything-but") {
    return value !== null && !isObject(value) &&
      ![operand].flat().some((item) => expand(item).some((one) => matches(one, value)));
  }
  return typeof value === "string" && matchesText(name, operand, value);
}

/** Splits `{ prefix: ["a", "b"] }` into one matcher for each value. Only `anything-but` allows such a list. */
function expand(matcher: unknown): readonly unknown[] {
  if (!isObject(matcher)) return [matcher];
  return Object.entries(matcher).flatMap(([name, operand]) =>
    [operand].flat().map((item) => ({ [name]: item }))
  );
}

function matchesText(name: string, operand: unknown, value: string): boolean {
  if (isObject(operand) && typeof operand["equals-ignore-case"] === "string") {
    return matchesText(name, operand["equals-ignore-case"].toLowerCase(), value.toLowerCase());
  }
  return typeof operand === "string" && (TEXT_MATCHERS[name]?.(value, operand) ?? false);
}

const TEXT_MATCHERS: Readonly<Record<string, (value: string, operand: string) => boolean>> = {
  prefix: (value, operand) => value.startsWith(operand),
  suffix: (value, operand) => value.endsWith(operand),
  "equals-ignore-case": (value, operand) => value.toLowerCase() === operand.toLowerCase(),
  wildcard: isLike,
  cidr: isInNetwork,
};

/** Matches text against a pattern: `*` stands for any characters, `\*` for an asterisk, `\\` for a backslash. */
function isLike(value: string, pattern: string): boolean {
  const wildcard = (pattern.match(/\\[*\\]|[^]/g) ?? [])
    .map((part) => part === "*" ? ANY : part.at(-1)!);
  return matchesWildcard(wildcard, value);
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** Tells whether all comparisons of a list such as `[">", 0, "<=", 5]` are true for a number. */
function isInRange(operand: unknown, value: number): boolean {
  if (!Array.isArray(operand) || operand.length === 0) return false;
  for (let index = 0; index < operand.length; index += 2) {
    if (!COMPARISONS[operand[index]]?.(value, operand[index + 1])) return false;
  }
  return true;
}

function isInNetwork(address: string, network: string): boolean {
  const [base = "", length] = network.split("/");
  const familyOf = (text: string) => text.includes(":") ? "ipv6" : "ipv4";
  const list = new BlockList();
  try {
    list.addSubnet(base, Number(length), familyOf(base));
  } catch {
    return false; // The operand is not a network.
  }
  return list.check(address, familyOf(address));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
