import { BlockList, isIPv4, isIPv6 } from "node:net";
import { isObject } from "./json_object.ts";
import { ANY, matchesWildcard } from "./wildcard.ts";

/** Tells whether a value of an event fits. */
export type Test = (value: unknown) => boolean;

/** Makes the test of an operator with its operand, or says what the operand must be. */
type Operator = (operand: unknown) => Test | string;

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** The operators that compare texts. */
const TEXT_TESTS: Readonly<Record<string, (operand: string) => (value: string) => boolean>> = {
  exactly: (operand) => (value) => value === operand,
  prefix: (operand) => (value) => value.startsWith(operand),
  suffix: (operand) => (value) => value.endsWith(operand),
  "equals-ignore-case": (operand) => (value) => value.toLowerCase() === operand.toLowerCase(),
  // `*` stands for any characters, `\*` for an asterisk, `\\` for a backslash.
  wildcard: (operand) => {
    const parts = (operand.match(/\\[*\\]|[^]/g) ?? [])
      .map((part) => part === "*" ? ANY : part.at(-1)!);
    return (value) => matchesWildcard(parts, value);
  },
};

/** The operators of event patterns and filter policies. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  "anything-but": readExclusion,
  cidr: (operand) =>
    typeof operand === "string" && isNetwork(operand) && networkTest(operand) ||
    "must be a network such as 10.0.0.0/24 with less than 32 bits, or 2001:db8::/64 with less than 128",
  exists: (operand) => typeof operand === "boolean" ? () => operand : "must be true or false",
  numeric: readComparisons,
  ...Object.fromEntries(
    Object.keys(TEXT_TESTS).map((name): [string, Operator] => [
      name,
      (operand) => readText(name, operand),
    ]),
  ),
};

const NAMES = Object.keys(OPERATORS).filter((name) => name !== "exactly").sort();

/** The names of fields that an alternative of `$or` cannot have: operators of today and of some day. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(OPERATORS),
  ...Object.keys(COMPARISONS),
  ..."regex not-wildcard not-equals-ignore-case date-after date-on-or-after date-before".split(" "),
  ..."date-on-or-before in-date-range ip-address-in-range ip-address-not-in-range".split(" "),
]);

/** What a value or an operator of a pattern is: its test, or why there is none. */
export type Matcher = { readonly test: Test } | {
  /** The operator, if only its operand is wrong. */
  readonly operator?: string;
  readonly problem: string;
};

/** Reads a value or an operator of a pattern. */
export function readMatcher(matcher: unknown): Matcher {
  if (typeof matcher === "string" && isAddress(matcher)) return { test: networkTest(matcher)! };
  if (typeof matcher !== "object" || matcher === null) {
    return { test: (value) => value === matcher };
  }
  const [name = "", ...others] = Object.keys(matcher);
  if (Array.isArray(matcher) || others.length > 0 || !Object.hasOwn(OPERATORS, name)) {
    return { problem: `must be a value, or an object with one of ${NAMES.join(", ")}` };
  }
  const read = OPERATORS[name]!((matcher as Record<string, unknown>)[name]);
  return typeof read === "string" ? { operator: name, problem: read } : { test: read };
}

function readText(name: string, operand: unknown): Test | string {
  const isFix = name === "prefix" || name === "suffix";
  if (isFix && isObject(operand) && Object.keys(operand).join() === "equals-ignore-case") {
    const text = operand["equals-ignore-case"];
    const test = readText(name, typeof text === "string" ? text.toLowerCase() : text);
    if (typeof test === "string") return test;
    return (value) => typeof value === "string" && test(value.toLowerCase());
  }
  if (typeof operand !== "string") return "must be a string";
  const [wrong] = name === "wildcard"
    ? operand.replaceAll(/\\[*\\]/g, "").match(/\*\*|\\/) ?? []
    : [];
  if (wrong === "**") return "must have no two wildcards in a row";
  if (wrong !== undefined) return "must have \\ only before * and \\";
  const test = TEXT_TESTS[name]!(operand);
  return (value) => typeof value === "string" && test(value);
}

/** Reads what `anything-but` takes: strings, numbers, or another operator with strings. */
function readExclusion(operand: unknown): Test | string {
  if (!isObject(operand)) {
    const excluded = [operand].flat();
    const types = new Set(excluded.map((value) => typeof value));
    const isSound = types.size === 1 && (types.has("string") || types.has("number"));
    return isSound ? (value) => !excluded.includes(value) : "must be strings or numbers, not both";
  }
  const [[name = "", inner] = [], ...others] = Object.entries(operand);
  if (others.length > 0 || !/^(prefix|suffix|equals-ignore-case|wildcard)$/.test(name)) {
    return "must be strings, numbers, or one of prefix, suffix, equals-ignore-case, wildcard";
  }
  const texts = [inner].flat();
  if (texts.length === 0 || !texts.every((text) => typeof text === "string")) {
    return `must have strings as "${name}"`;
  }
  if (/fix$/.test(name) && texts.includes("")) return `must have no empty string as "${name}"`;
  const read = texts.map((text) => readText(name, text));
  const problem = read.find((one) => typeof one === "string");
  return problem ?? ((value) => !read.some((test) => (test as Test)(value)));
}

/** Reads one or two comparisons such as `[">", 0, "<=", 5]`. */
function readComparisons(operand: unknown): Test | string {
  const message = 'must be comparisons with numbers, such as [">", 0, "<=", 5]';
  if (!Array.isArray(operand)) return message;
  const [first, bottom, second, top, ...others] = operand;
  if (
    !Object.hasOwn(COMPARISONS, String(first)) || typeof bottom !== "number" || others.length > 0
  ) {
    return message;
  }
  const holds: Test = (value) => typeof value === "number" && COMPARISONS[first]!(value, bottom);
  if (operand.length === 2) return holds;
  const isRange = first.startsWith(">") && /^<=?$/.test(second) && typeof top === "number";
  if (!isRange) return message;
  if (bottom >= top) return "must have the smaller number first";
  return (value) => holds(value) && COMPARISONS[second]!(value as number, top);
}

function isNetwork(operand: string): boolean {
  const [, base = "", bits] = /^([^/]*)\/(\d{1,3})$/.exec(operand) ?? [];
  return Number(bits) < (isIPv4(base) ? 32 : 128);
}

/** Tells whether the engine takes a text for an address. It does not know IPv6 addresses with dots or zones. */
const isAddress = (text: string) => isIPv4(text) || isIPv6(text) && /^[\da-f:]*$/i.test(text);

/** Makes the test for the addresses of a network such as `10.0.0.0/24`, or for each way to write one address. */
export function networkTest(text: string): Test | undefined {
  const [base = "", bits] = text.split("/");
  const familyOf = (address: string) => isIPv4(address) ? "ipv4" : "ipv6";
  const most = isIPv4(base) ? 32 : 128;
  if (!isAddress(base) || !/^\d{1,3}$/.test(bits ?? "0") || Number(bits) > most) return undefined;
  const list = new BlockList();
  list.addSubnet(base, Number(bits ?? most), familyOf(base));
  return (value) =>
    typeof value === "string" && isAddress(value) && list.check(value, familyOf(value));
}
