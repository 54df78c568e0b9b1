import { assertEquals } from "@std/assert";
import { type Call, manifestWith, startTestPlatform } from "../../testdata/platform.ts";

const MANIFEST = manifestWith({
  check: { module: "check.ts" },
  orders: {
    module: "orders.ts",
    triggers: { routes: [{ method: "ANY", path: "/orders/{id}", authorizer: "check" }] },
  },
});

/** A result of an authorizer. The default allows every method. */
const result = (Effect = "Allow", Resource = "*", context?: unknown, Action = "execute-api:*") =>
  JSON.stringify({
    principalId: "ada",
    policyDocument: { Version: "2012-10-17", Statement: [{ Action, Effect, Resource }] },
    context,
  });

const ALLOW = { Effect: "Allow", Action: "*", Resource: "*" };

/** Makes an authorizer's result with the given statements. An element that a statement leaves out allows everything. */
const policy = (...statements: Readonly<Record<string, unknown>>[]) =>
  JSON.stringify({
    principalId: "ada",
    policyDocument: { Statement: statements.map((own) => ({ ...ALLOW, ...own })) },
  });

const from = (network: string) => ({ IpAddress: { "aws:SourceIp": network } });

const startWith = (authorizer: (call: Call) => ReturnType<typeof error> | string) =>
  startTestPlatform((call) => call.name === "check" ? authorizer(call) : "{}", {
    manifest: MANIFEST,
  });

const error = (errorMessage: string) => ({
  failure: "error" as const,
  payload: new TextEncoder().encode(JSON.stringify({ errorType: "Error", errorMessage })),
});

Deno.test("an authorizer gets the request, and its context goes to the function", async () => {
  await using test = await startWith(() =>
    result("Allow", "*", { tenant: "blue", n: 1, ok: true })
  );
  const headers = [["Authorization", "Bearer x"]] as const;
  const path = "/v0/orders/7?a=1";
  assertEquals((await test.send({ method: "POST", path, headers, body: "x" })).status, 200);
  const [{ event: asked }, { name, event }] = test.host.calls as [Call, Call];
  assertEquals([asked.type, asked.httpMethod, asked.path], ["REQUEST", "POST", "/orders/7"]);
  assertEquals([asked.headers.Authorization, asked.pathParameters], ["Bearer x", { id: "7" }]);
  assertEquals(["body" in asked, "isBase64Encoded" in asked], [false, false]);
  const arn = "arn:aws:execute-api:us-east-1:000000000000:app/v0/POST/orders/7";
  assertEquals(asked.methodArn, arn);
  const { integrationLatency, ...context } = event.requestContext.authorizer;
  assertEquals([name, context, Number.isInteger(integrationLatency)], [
    "orders",
    { principalId: "ada", tenant: "blue", n: "1", ok: "true" },
    true,
  ]);
});

Deno.test("an authorizer gets the keys that Amazon API Gateway sends", async () => {
  await using test = await startWith(() => result());
  await test.send({ method: "POST", path: "/v0/orders/7", body: "x" });
  const [{ event }] = test.host.calls as [Call];
  // From packages/parser/tests/events of aws-powertools/powertools-lambda-typescript.
  assertEquals(
    Object.keys(event).sort().join(" "),
    "headers httpMethod methodArn multiValueHeaders multiValueQueryStringParameters path pathParameters queryStringParameters requestContext resource stageVariables type",
  );
  const { queryStringParameters, multiValueQueryStringParameters, stageVariables } = event;
  const empty = [queryStringParameters, multiValueQueryStringParameters, stageVariables];
  assertEquals(empty, [{}, {}, {}], "they are empty, not null");
  assertEquals(
    Object.keys(event.requestContext).sort().join(" "),
    "accountId apiId deploymentId domainName domainPrefix extendedRequestId httpMethod identity path protocol requestId requestTime requestTimeEpoch resourceId resourcePath stage",
  );
});

Deno.test("an authorizer allows, denies and fails as on Amazon API Gateway", async () => {
  const refused = "User is not authorized to access this resource";
  const cases = [
    ["allows all", result(), 200, undefined],
    ["allows this method", result("Allow", "arn:aws:execute-api:*:*:*/v0/GET/orders/*"), 200],
    ["allows another method", result("Allow", "arn:aws:execute-api:*:*/v0/PUT/*"), 403, refused],
    ["allows another action", result("Allow", "*", {}, "s3:*"), 403, refused],
    ["denies", result("Deny"), 403, `${refused} with an explicit deny`],
    ["allows another address", policy({ Condition: from("192.0.2.1/32") }), 403, refused],
    ["allows this machine", policy({ Condition: from("127.0.0.0/8") }), 200],
    [
      "denies nothing but what NotResource leaves",
      policy({ Effect: "Deny", Resource: undefined, NotResource: "*" }, {}),
      200,
    ],
    [
      "has an unknown operator",
      policy({ Condition: { From: { "aws:SourceIp": "a" } } }),
      500,
      null,
    ],
    ["throws Unauthorized", error("Unauthorized"), 401, "Unauthorized"],
    ["throws something else", error("no"), 500, null],
    ["returns null", "null", 500, null],
    ["names no principal", result().replace('"principalId":"ada",', ""), 500, null],
    ["has a number as its principal", result().replace('"ada"', "1"), 500, null],
    ["has no statement", '{"principalId":"a","policyDocument":{"Statement":[]}}', 500, null],
    ["has an unknown effect", result("Perhaps"), 500, null],
    ["has no resource", result("Allow", null as never), 500, null],
    ["has an object in its context", result("Allow", "*", { a: {} }), 500, null],
  ] as const;
  for (const [rule, authorizer, status, message] of cases) {
    await using test = await startWith(() => authorizer);
    const response = await test.send({ path: "/v0/orders/7" });
    assertEquals(response.status, status, rule);
    assertEquals(test.host.calls.length, status === 200 ? 2 : 1);
    if (status === 200) continue;
    const body = JSON.parse(response.text);
    assertEquals(body.message === undefined ? body.Message : body.message, message, rule);
  }
});

Deno.test("a policy with many wildcards refuses a long path at once", async () => {
  await using test = await startWith(() => result("Allow", `${"*a".repeat(200)}b`));
  const response = await test.send({ path: `/v0/orders/${"a".repeat(800)}` });
  assertEquals(response.status, 403);
});
