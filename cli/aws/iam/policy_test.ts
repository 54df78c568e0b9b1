import { runSimulation } from "@cloud-copilot/iam-simulate";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Statement } from "../../rules/statement.ts";
import { decide } from "./policy.ts";

const ACCOUNT = "123456789012";
const PRINCIPAL = `arn:aws:iam::${ACCOUNT}:role/shop-orders`;

/** Asks an evaluator that somebody else wrote. */
async function askSimulator(
  statements: readonly Statement[],
  { action, resource }: { action: string; resource: string },
  contextVariables: Record<string, string | string[]>,
): Promise<string> {
  const policy = { Version: "2012-10-17", Statement: statements };
  const result = await runSimulation({
    request: {
      principal: PRINCIPAL,
      action,
      resource: { resource, accountId: ACCOUNT },
      contextVariables,
    },
    identityPolicies: [{ name: "policy", policy }],
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  }, {});
  if (result.resultType === "error") throw new TypeError(JSON.stringify(result.errors));
  return result.overallResult;
}

const ANSWERS = { Allow: "Allowed", Deny: "ExplicitlyDenied", none: "ImplicitlyDenied" } as const;

const lowerCase = (context: Record<string, string | string[]>) =>
  Object.fromEntries(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));

const ARNS = [
  "*",
  `arn:aws:sqs:us-east-1:${ACCOUNT}:shop-jobs`,
  `arn:aws:sqs:*:*:shop-*`,
  `arn:aws:sqs:*:${ACCOUNT}:shop-job?`,
  `arn:aws:sqs:us-east-1:*`,
  `arn:aws:sqs:eu-*:${ACCOUNT}:shop-jobs`,
  "arn:aws:sqs:us-east-1:${aws:PrincipalAccount}:shop-jobs",
  "arn:aws:sqs:us-east-1:${aws:PrincipalAccount}:shop-${aws:username}",
];

/** The operators, with the condition keys and the values that IAM takes with them. */
const CONDITIONS = [
  {
    keys: ["aws:username", "aws:PrincipalArn", "aws:SourceIp"],
    operators: ["StringEquals", "StringEqualsIgnoreCase", "StringLike"].flatMap((name) => [
      name,
      name.replace("String", "StringNot"),
    ]),
    values: ["Jobs", "jobs", "j*", "job?", "${aws:username}", "x${aws:missing}", "10.*"],
  },
  {
    keys: ["aws:PrincipalArn"],
    operators: ["ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike"],
    values: [PRINCIPAL, "arn:aws:iam::*:role/*", "arn:aws:iam::*:user/*"],
  },
  {
    keys: ["aws:MultiFactorAuthAge"],
    operators: ["Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan"].map((name) =>
      `Numeric${name}`
    ),
    values: ["5", "5.0", "-1", "7"],
  },
  {
    keys: ["aws:CurrentTime"],
    operators: ["Equals", "NotEquals", "LessThan", "GreaterThan", "GreaterThanEquals"].map((name) =>
      `Date${name}`
    ),
    values: ["2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2027-06-01T12:00:00Z"],
  },
  { keys: ["aws:SecureTransport"], operators: ["Bool"], values: ["true", "false"] },
  {
    keys: ["aws:SourceIp"],
    operators: ["IpAddress", "NotIpAddress"],
    values: ["10.0.0.0/8", "10.1.2.3", "192.168.0.0/16"],
  },
  { keys: ["aws:username", "aws:SourceIp"], operators: ["Null"], values: ["true", "false"] },
  {
    keys: ["aws:TagKeys"],
    operators: ["ForAllValues:StringEquals", "ForAnyValue:StringLike", "ForAnyValue:StringNotLike"],
    values: ["a", "b*", "c"],
  },
];

const some = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

const condition = fc.constantFrom(...CONDITIONS).chain(({ keys, operators, values }) =>
  fc.record({
    key: fc.constantFrom(...keys),
    operator: fc.constantFrom(...operators),
    suffix: fc.constantFrom("", "IfExists"),
    values: some(values),
  }).map(({ key, operator, suffix, values }) => ({
    [operator === "Null" ? operator : operator + suffix]: { [key]: values },
  }))
);

const statement: fc.Arbitrary<Statement> = fc.record({
  Effect: fc.constantFrom("Allow" as const, "Allow" as const, "Deny" as const),
  action: fc.tuple(
    fc.constantFrom("Action", "Action", "NotAction"),
    some(["sqs:SendMessage", "sqs:*", "SQS:send*", "sqs:?endMessage", "sqs:ReceiveMessage", "*"]),
  ),
  resource: fc.tuple(fc.constantFrom("Resource", "Resource", "NotResource"), some(ARNS)),
  Condition: fc.option(condition, { nil: undefined }),
}).map(({ Effect, action, resource, Condition }) => ({
  Effect,
  ...Object.fromEntries([action, resource]),
  ...(Condition && { Condition }),
}));

const context: fc.Arbitrary<Record<string, string | string[]>> = fc.record({
  "aws:PrincipalAccount": fc.constant(ACCOUNT),
  "aws:PrincipalArn": fc.constant(PRINCIPAL),
  "aws:SecureTransport": fc.constantFrom("true", "false"),
  "aws:username": fc.constantFrom("jobs", "Jobs", "job?"),
  "aws:SourceIp": fc.constantFrom("10.1.2.3", "192.168.0.1"),
  "aws:CurrentTime": fc.constant("2026-01-01T00:00:00Z"),
  "aws:MultiFactorAuthAge": fc.constantFrom("5", "6"),
  "aws:TagKeys": fc.subarray(["a", "bc", "d"], { minLength: 1 }),
}, { requiredKeys: ["aws:PrincipalAccount"] });

Deno.test("decide() agrees with another evaluator on random policies", async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(
      fc.array(statement, { minLength: 1, maxLength: 3 }),
      context,
      async (statements, values) => {
        const access = {
          action: "sqs:SendMessage",
          resource: `arn:aws:sqs:us-east-1:${ACCOUNT}:shop-jobs`,
        };
        const expected = await askSimulator(statements, access, values);
        counts[expected] = (counts[expected] ?? 0) + 1;
        assertEquals(ANSWERS[decide(statements, access, lowerCase(values)) ?? "none"], expected);
      },
    ),
    { numRuns: 500 },
  );
  assertEquals(Object.values(counts).every((count) => count > 25), true, JSON.stringify(counts));
});

// The other evaluator does not know these rules of the guide of IAM.
Deno.test("decide() knows escapes and defaults of policy variables, and mixed addresses", () => {
  const values = { "aws:username": "j*", "aws:sourceip": "2001:db8::1" };
  const arn = (name: string) => `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`;
  const table: [statement: Partial<Statement>, resource: string, expected: boolean][] = [
    [{ Resource: arn("${*}") }, "*x", false],
    [{ Resource: arn("a${*}") }, "a*", true],
    [{ Resource: arn("a${*}") }, "ab", false],
    [{ Resource: arn("${aws:username}") }, "j*", true],
    [{ Resource: arn("${aws:username}") }, "jobs", false],
    [{ Resource: arn("${aws:missing, 'jobs'}") }, "jobs", true],
    [{ Resource: arn("${aws:missing}") }, "${aws:missing}", false],
    // Only in the last part, a wildcard reaches beyond a colon.
    [{ Resource: arn("a*z") }, "a:b:z", true],
    [{ Resource: "arn:aws:sqs:us*:jobs" }, "jobs", false],
    [{ Condition: { StringEquals: { "aws:username": "j${*}" } } }, "jobs", true],
    [{ Condition: { NotIpAddress: { "AWS:SourceIP": "10.0.0.0/8" } } }, "jobs", true],
    [{ Condition: { IpAddress: { "aws:SourceIp": "2001:db8::/32" } } }, "jobs", true],
    [{ Condition: { IpAddress: { "aws:SourceIp": "2001:db8::/999" } } }, "jobs", false],
  ];
  for (const [statement, name, expected] of table) {
    const all = { Effect: "Allow", Action: "sqs:*", Resource: "*", ...statement } as const;
    const access = { action: "sqs:SendMessage", resource: arn(name) };
    assertEquals(decide([all], access, values) === "Allow", expected, JSON.stringify(statement));
  }
});

Deno.test("decide() refuses an operator that IAM does not have", () => {
  const Condition = { StringMatches: { "aws:username": "a" } };
  const statement = { Effect: "Allow", Action: "*", Resource: "*", Condition } as const;
  assertThrows(
    () => decide([statement], { action: "sqs:SendMessage", resource: "*" }),
    TypeError,
    'Unknown operator of a condition: "StringMatches"',
  );
});
