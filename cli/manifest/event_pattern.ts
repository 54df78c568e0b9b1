import { isIPv4, isIPv6 } from "node:net";
import { wildcardComplexity } from "./wildcard_complexity.ts";
import { isObject } from "./json_object.ts";

/** A wrong part of a pattern. */
export interface PatternProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = PatternProblem["path"];

/** The conditions on one event: the values and operators that a field may have, by its dotted name. */
export type Conditions = ReadonlyMap<string, readonly unknown[]>;

/** The operators of event patterns and filter policies. */
const OPERATORS = [
  "anything-but",
  "cidr",
  "equals-ignore-case",
  "exactly",
  "exists",
  "numeric",
  "prefix",
  "suffix",
  "wildcard",
];

const COMPARISONS = ["=", "<", "<=", ">", ">="];

/** The names of fields that an alternative of `$or` cannot have: operators of today and of some day. */
const RESERVED = new Set([
  ...OPERATORS,
  ...COMPARISONS,
  ..."regex not-wildcard not-equals-ignore-case date-after date-on-or-after date-before".split(" "),
  ..."date-on-or-before in-date-range ip-address-in-range ip-address-not-in-range".split(" "),
]);

/** The most alternatives of a pattern, if each `$or` is multiplied with the others. */
const MAX_ALTERNATIVES = 1_000;

/** The least complexity of wildcards that Amazon EventBridge refuses. */
const MAX_COMPLEXITY = 10;

/**
 * Finds the wrong parts of an event pattern or a filter policy, by the rules of the engine of Amazon EventBridge.
 *
 * @see https://github.com/aws/event-ruler
 */
export function* wrongParts(pattern: unknown, path: Path): Generator<PatternProblem> {
  const problems = [...wrongFields(pattern, path, false)];
  yield* problems;
  if (problems.length > 0) return;
  if (countAlternatives(pattern as Fields) > MAX_ALTERNATIVES) {
    yield { path, message: `must have at most ${MAX_ALTERNATIVES} combinations of "$or"` };
  }
}

type Fields = Readonly<Record<string, unknown>>;

function* wrongFields(
  fields: unknown,
  path: Path,
  isAlternative: boolean,
): Generator<PatternProblem> {
  if (!isObject(fields)) return yield { path, message: "must be an array of values, or an object" };
  if (Object.keys(fields).length === 0) yield { path, message: "must have at least one key" };
  for (const [key, value] of Object.entries(fields)) {
    const here = [...path, key];
    if (key === "$or") yield* wrongAlternatives(value, here);
    else if (isAlternative && RESERVED.has(key)) {
      yield { path: here, message: 'must have another name: "$or" reserves it for operators' };
    } else if (Array.isArray(value)) yield* wrongMatchers(value, here);
    else yield* wrongFields(value, here, isAlternative);
  }
}

function* wrongAlternatives(value: unknown, path: Path): Generator<PatternProblem> {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isObject)) {
    return yield { path, message: "must be an array of at least two objects" };
  }
  for (const [index, fields] of value.entries()) yield* wrongFields(fields, [...path, index], true);
}

function* wrongMatchers(matchers: readonly unknown[], path: Path): Generator<PatternProblem> {
  if (matchers.length === 0) yield { path, message: "must be an array of values, or an object" };
  let isSound = true;
  for (const [index, matcher] of matchers.entries()) {
    if (typeof matcher !== "object" || matcher === null) continue;
    const [name = "", ...others] = Object.keys(matcher);
    const here = [...path, index];
    let problem: PatternProblem | undefined;
    if (Array.isArray(matcher) || others.length > 0 || !OPERATORS.includes(name)) {
      const operators = OPERATORS.filter((operator) => operator !== "exactly");
      const message = `must be a value, or an object with one of ${operators.join(", ")}`;
      problem = { path: here, message };
    } else {
      const message = operandProblem(name, (matcher as Fields)[name]);
      if (message !== undefined) problem = { path: [...here, name], message };
    }
    if (problem !== undefined) {
      yield problem;
      isSound = false;
    }
  }
  if (isSound && wildcardComplexity(matchers.flatMap(wildcardsOf)) >= MAX_COMPLEXITY) {
    yield {
      path,
      message: "must have fewer wildcards, or fewer repeated characters after a wildcard",
    };
  }
}

/** Lists the wildcards of one operator. */
function wildcardsOf(matcher: unknown): string[] {
  if (!isObject(matcher)) return [];
  const { wildcard = [], "anything-but": excluded } = matcher;
  return isObject(excluded) ? wildcardsOf(excluded) : [wildcard].flat() as string[];
}

/** Says what an operator takes if its operand is wrong. */
function operandProblem(name: string, operand: unknown): string | undefined {
  switch (name) {
    case "exists":
      return typeof operand === "boolean" ? undefined : "must be true or false";
    case "numeric":
      return numericProblem(operand);
    case "cidr":
      return isNetwork(operand)
        ? undefined
        : "must be a network such as 10.0.0.0/24 with less than 32 bits, or 2001:db8::/64 with less than 128";
    case "anything-but":
      return exclusionProblem(operand);
    case "prefix":
    case "suffix":
      if (isObject(operand) && Object.keys(operand).join() === "equals-ignore-case") {
        return operandProblem("equals-ignore-case", operand["equals-ignore-case"]);
      }
      return textProblem(operand);
    default:
      return textProblem(operand) ?? (name === "wildcard" ? wildcardProblem(operand) : undefined);
  }
}

const textProblem = (operand: unknown) =>
  typeof operand === "string" ? undefined : "must be a string";

function wildcardProblem(operand: unknown): string | undefined {
  const [wrong] = (operand as string).replaceAll(/\\[*\\]/g, "").match(/\*\*|\\/) ?? [];
  if (wrong === undefined) return undefined;
  return wrong === "**"
    ? "must have no two wildcards in a row"
    : "must have \\ only before * and \\";
}

/** Says what `anything-but` takes: strings, numbers, or another operator with strings. */
function exclusionProblem(operand: unknown): string | undefined {
  if (isObject(operand)) {
    const [[name = "", inner] = [], ...others] = Object.entries(operand);
    if (others.length > 0 || !/^(prefix|suffix|equals-ignore-case|wildcard)$/.test(name)) {
      return "must be strings, numbers, or one of prefix, suffix, equals-ignore-case, wildcard";
    }
    const values = [inner].flat();
    const isFix = name === "prefix" || name === "suffix";
    if (values.length === 0 || !values.every((value) => typeof value === "string")) {
      return `must have strings as "${name}"`;
    }
    if (isFix && values.includes("")) return `must have no empty string as "${name}"`;
    return name === "wildcard" ? values.map(wildcardProblem).find(Boolean) : undefined;
  }
  const types = new Set([operand].flat().map((value) => typeof value));
  const isSound = types.size === 1 && (types.has("string") || types.has("number"));
  return isSound ? undefined : "must be strings or numbers, not both";
}

function numericProblem(operand: unknown): string | undefined {
  const message = 'must be comparisons with numbers, such as [">", 0, "<=", 5]';
  if (!Array.isArray(operand)) return message;
  const [first, value, second, limit, ...others] = operand;
  if (!COMPARISONS.includes(first) || typeof value !== "number" || others.length > 0) {
    return message;
  }
  if (operand.length === 2) return undefined;
  const isRange = first.startsWith(">") && /^<=?$/.test(second) && typeof limit === "number";
  if (!isRange) return message;
  return value < limit ? undefined : "must have the smaller number first";
}

function isNetwork(operand: unknown): boolean {
  const [, base = "", bits] = /^([^/]*)\/(\d{1,3})$/.exec(String(operand)) ?? [];
  return typeof operand === "string" && bits !== undefined &&
    (isIPv4(base) && Number(bits) < 32 || isIPv6(base) && Number(bits) < 128);
}

function countAlternatives(fields: Fields): number {
  return Object.entries(fields).reduce((count, [key, value]) => {
    if (key === "$or") {
      return count * (value as Fields[]).reduce((sum, one) => sum + countAlternatives(one), 0);
    }
    return isObject(value) ? count * countAlternatives(value) : count;
  }, 1);
}

/**
 * Lists the alternatives of a correct pattern. An event matches the pattern if it meets all conditions of one alternative.
 * Nested keys and keys with dots are the same: `{ "a": { "b": [1] } }` and `{ "a.b": [1] }`.
 */
export function alternativesOf(pattern: Fields): readonly Conditions[] {
  const extend = (
    all: readonly Conditions[],
    fields: Fields,
    path: string,
  ): readonly Conditions[] =>
    Object.entries(fields).reduce((alternatives, [key, value]) => {
      if (key === "$or") {
        return (value as Fields[]).flatMap((one) => extend(alternatives, one, path));
      }
      if (isObject(value)) return extend(alternatives, value, `${path}${key}.`);
      return alternatives.map((one) => new Map([...one, [path + key, value as unknown[]]]));
    }, all);
  return extend([new Map()], pattern, "");
}
