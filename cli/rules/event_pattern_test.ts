import { assertEquals } from "@std/assert";
import { readPattern } from "./event_pattern.ts";
import { readFilterPolicy } from "./filter_policy.ts";
import { isComplex } from "./wildcard.ts";

const RANGE = 'must be comparisons with numbers, such as [">", 0, "<=", 5]';
const NETWORK =
  "must be a network such as 10.0.0.0/24 with less than 32 bits, or 2001:db8::/64 with less than 128";

// The rules are those of the compiler of aws/event-ruler.
Deno.test("readPattern() finds what Amazon EventBridge refuses", () => {
  const table: [matcher: unknown, problem: string | undefined][] = [
    [{ prefix: ["a"] }, "must be a string"],
    [{ prefix: { "equals-ignore-case": ["a"] } }, "must be a string"],
    [{ prefix: { wildcard: "a" } }, "must be a string"],
    [{ suffix: 5 }, "must be a string"],
    [{ "equals-ignore-case": ["a"] }, "must be a string"],
    [{ "equals-ignore-case": { prefix: "a" } }, "must be a string"],
    [{ exists: "true" }, "must be true or false"],
    [{ wildcard: ["a"] }, "must be a string"],
    [{ wildcard: "a**b" }, "must have no two wildcards in a row"],
    [{ wildcard: "a\\**b" }, undefined],
    [{ wildcard: "a\\b" }, "must have \\ only before * and \\"],
    [{ numeric: [] }, RANGE],
    [{ numeric: 5 }, RANGE],
    [{ numeric: ["=", "5"] }, RANGE],
    [{ numeric: ["<", 5, ">", 1] }, RANGE],
    [{ numeric: [">", 1, ">", 2] }, RANGE],
    [{ numeric: [">", 1, "<"] }, RANGE],
    [{ numeric: [">", 1, "<", 5, "<", 6] }, RANGE],
    [{ numeric: [">", 5, "<", 1] }, "must have the smaller number first"],
    [{ numeric: [">=", 1, "<", 5] }, undefined],
    [{ cidr: "10.0.0.0" }, NETWORK],
    [{ cidr: "10.0.0.0/32" }, NETWORK],
    [{ cidr: "10.0.0/8" }, NETWORK],
    [{ cidr: "2001:db8::/128" }, NETWORK],
    [{ cidr: "2001:db8::/127" }, undefined],
    [{ "anything-but": [] }, "must be strings or numbers, not both"],
    [{ "anything-but": ["a", 5] }, "must be strings or numbers, not both"],
    [{ "anything-but": [null] }, "must be strings or numbers, not both"],
    [{ "anything-but": true }, "must be strings or numbers, not both"],
    [{ "anything-but": { prefix: "" } }, 'must have no empty string as "prefix"'],
    [{ "anything-but": { suffix: ["a", 5] } }, 'must have strings as "suffix"'],
    [
      { "anything-but": { prefix: { "equals-ignore-case": "a" } } },
      'must have strings as "prefix"',
    ],
    [{ "anything-but": { wildcard: ["a**"] } }, "must have no two wildcards in a row"],
    [
      { "anything-but": { numeric: ["=", 1] } },
      "must be strings, numbers, or one of prefix, suffix, equals-ignore-case, wildcard",
    ],
    [{ "anything-but": { wildcard: ["*/a/*", "*.b"] } }, undefined],
  ];
  for (const [matcher, problem] of table) {
    const path = ["k", 0, Object.keys(matcher as object)[0]!];
    const expected = problem === undefined ? [] : [{ path, message: problem }];
    assertEquals(readPattern({ k: [matcher] }).problems, expected, JSON.stringify(matcher));
  }
});

Deno.test("readPattern() finds the wrong structures of a pattern", () => {
  const matchers =
    "anything-but, cidr, equals-ignore-case, exists, numeric, prefix, suffix, wildcard";
  const value = `must be a value, or an object with one of ${matchers}`;
  const array = "must be an array of values, or an object";
  const complex = "must have fewer wildcards, or fewer repeated characters after a wildcard";
  const or = Array.from({ length: 11 }, (_, index) => ({ k: [index] }));
  const table: [pattern: unknown, path: string, problem: string][] = [
    [{}, "", "must have at least one key"],
    [{ a: {} }, "a", "must have at least one key"],
    [{ a: 5 }, "a", array],
    [{ a: [] }, "a", array],
    [{ a: [[1]] }, "a.0", value],
    [{ a: [{}] }, "a.0", value],
    [{ a: [{ EXISTS: true }] }, "a.0", value],
    [{ $or: [{ a: [1] }] }, "$or", "must be an array of at least two objects"],
    [{ $or: { a: [1] } }, "$or", "must be an array of at least two objects"],
    [
      { $or: [{ a: [1] }, { prefix: ["b"] }] },
      "$or.1.prefix",
      'must have another name: "$or" reserves it for operators',
    ],
    [
      { x: { $or: or }, y: { $or: or }, z: { $or: or } },
      "",
      'must have at most 1000 combinations of "$or"',
    ],
    [{ a: [{ wildcard: "*:*:*:*:*:event-bus/*" }] }, "a", complex],
    [{ a: Array.from("1234", (end) => ({ wildcard: `*/datasync/*.${end}` })) }, "a", complex],
    [{ a: Array.from("0123456789abcdef", (part) => ({ wildcard: `*${part}*` })) }, "a", complex],
  ];
  for (const [pattern, path, message] of table) {
    const found = readPattern(pattern).problems.map((one) => ({
      ...one,
      path: one.path.join("."),
    }));
    assertEquals(found, [{ path, message }], JSON.stringify(pattern));
  }
});

// The expectations are those of aws/event-ruler for its MachineComplexityEvaluator, without the quotes around a value.
Deno.test("isComplex() compares a limit with the most prefixes that one text matches", () => {
  const table: [wildcards: string[], count: number][] = [
    [["*ab*ad"], 4],
    [["*ab*d"], 3],
    [["*aba*"], 4],
    [["a*b*bb"], 5],
    [["a*b*cd"], 3],
    [["*ab*b*b*"], 7],
    [["*a*a*a*a*a*a*a*a*"], 17],
    [["a*aaa", "aa*aa"], 7],
    [["*abc", "*abcde"], 4],
    [["ab*cd", "ab*wx", "ab*yz"], 6],
    [["abc"], 1],
  ];
  for (const [wildcards, count] of table) {
    const found = [count, count + 1].map((limit) => isComplex(wildcards, limit));
    assertEquals(found, [true, false], wildcards.join());
  }
});

Deno.test("readFilterPolicy() finds what Amazon SNS refuses", () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  const combinations = "must have at most 150 combinations of its values";
  const table: [policy: object, scope: "MessageAttributes" | "MessageBody", problem?: string][] = [
    [{ a: values(150) }, "MessageAttributes"],
    [{ a: values(151) }, "MessageAttributes", combinations],
    [{ a: values(15), b: values(11) }, "MessageAttributes", combinations],
    [{ a: { b: values(75) } }, "MessageBody"],
    [{ a: { b: values(76) } }, "MessageBody", combinations],
    [{ $or: [{ a: values(75) }, { b: values(75) }] }, "MessageAttributes"],
    [{ $or: [{ a: values(75) }, { b: values(76) }] }, "MessageAttributes", combinations],
    [
      { a: { b: ["c"] } },
      "MessageAttributes",
      "must be an array, because attributes are not nested",
    ],
    [
      Object.fromEntries(values(6).map((key) => [key, [1]])),
      "MessageBody",
      "must have at most 5 keys",
    ],
    [{ a: [{ prefix: 5 }] }, "MessageBody", "must be a string"],
  ];
  for (const [policy, scope, problem] of table) {
    const found = readFilterPolicy(policy, scope).problems.map(({ message }) => message);
    assertEquals(found, problem === undefined ? [] : [problem], JSON.stringify(policy));
  }
});
