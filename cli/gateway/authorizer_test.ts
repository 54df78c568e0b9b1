import { assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { proxyEvent } from "@mate/core/testing";
import { resolveApplication } from "../application/resolve.ts";
import type { FunctionHost } from "../lambda/function_host.ts";
import { LOCAL } from "../rules/arn.ts";
import { type Call, manifestWith, startTestPlatform } from "../testdata/platform.ts";
import { Authorizers } from "./authorizer.ts";
import { restAuthorizing } from "./rest_authorizer.ts";

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

const error = (errorMessage: string, errorType = "Error") => ({
  failure: "error" as const,
  payload: new TextEncoder().encode(JSON.stringify({ errorType, errorMessage })),
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

// AWS documents only that the token must match (API_CreateAuthorizer.html, identityValidationExpression). The patterns of public
// templates match whole tokens, such as "^Bearer [-0-9a-zA-Z\\._]*$" and "^Basic .*".
Deno.test("an authorizer of tokens gets the token alone, and answers 401 unless the whole token is valid", async () => {
  for (const [ttl, validation] of [[0, "^Bearer \\w+$"], [300, "Bearer x|Bearer y"]] as const) {
    const manifest = manifestWith({
      check: {
        module: "check.ts",
        authorizes: "token",
        identity: ["header.X-Token"],
        validation,
        ttl,
      },
      orders: {
        module: "orders.ts",
        triggers: { routes: [{ method: "GET", path: "/orders/{id}", authorizer: "check" }] },
      },
    });
    const answer = ({ name }: Call) => name === "check" ? result() : "{}";
    await using test = await startTestPlatform(answer, { manifest });
    const send = async (...headers: [string, string][]) =>
      (await test.send({ method: "GET", path: "/v0/orders/7", headers })).status;
    assertEquals(await send(), 401);
    assertEquals(await send(["Authorization", "Bearer x"]), 401);
    for (const token of ["Basic x", "Bearer x.y", "a Bearer x", "Bearer xBearer y"]) {
      assertEquals(await send(["X-Token", token]), 401, token);
    }
    assertEquals(test.host.calls, [], "the function was not asked");
    assertEquals(await send(["x-token", "Bearer x"]), 200);
    assertEquals(await send(["x-token", "Bearer x"]), 200);
    const asked = test.host.calls.filter(({ name }) => name === "check");
    assertEquals(asked.length, ttl === 0 ? 2 : 1);
    assertEquals<unknown>(asked[0]!.event, {
      type: "TOKEN",
      authorizationToken: "Bearer x",
      methodArn: "arn:aws:execute-api:us-east-1:000000000000:app/v0/GET/orders/7",
    });
  }
});

Deno.test("the log of a denied request says what the authorizer returned or threw, and what it got", async () => {
  for (
    const [answer, parts] of [
      [result("Deny"), [/denies arn:.*: \[\{"Action":"execute-api:\*","Effect":"Deny"/]],
      [error("Unauthorized"), [/threw "Unauthorized"; it got an event with type, methodArn, /]],
      [
        error("no split", "TypeError"),
        [/failed: TypeError: no split; it got an event with type, .*"authorizes": "token" gives/],
      ],
      [error("no secret"), [
        /failed: Error: no secret; it got an event with type, (?!.*"token").*$/,
      ]],
      ['"no"', [
        /expected "principalId" to be a string; it got an event with .*, and returned "no"/,
      ]],
    ] as const
  ) {
    await using test = await startWith(() => answer);
    await test.send({ method: "GET", path: "/v0/orders/7" });
    const log = test.log.after(0).map(({ text }) => text).join("\n");
    for (const part of parts) assertMatch(log, part);
  }
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
    [
      "throws, and its runtime sends null",
      { ...error(""), payload: Buffer.from("null") },
      500,
      null,
    ],
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

/** An application with two routes that the authorizer protects. */
const withCache = (settings: Readonly<Record<string, unknown>>) =>
  manifestWith({
    check: { module: "check.ts", ...settings },
    orders: {
      module: "orders.ts",
      triggers: {
        routes: [
          { method: "ANY", path: "/orders/{id}", authorizer: "check" },
          { method: "GET", path: "/sales", authorizer: "check" },
        ],
      },
    },
  });

Deno.test("a policy is kept for the ttl by its sources, and evaluated anew for each route", async () => {
  const answers = new Map<string, string | ReturnType<typeof error>>([
    ["a", result("Allow", "arn:aws:execute-api:*:*:*/v0/*/orders/*", { tenant: "blue" })],
    ["d", result("Deny")],
    ["u", error("Unauthorized")],
    ["f", error("no")],
  ]);
  const manifest = withCache({
    ttl: 300,
    identity: ["header.AUTHORIZATION", "querystring.k", "context.identity.sourceIp"],
  });
  await using test = await startTestPlatform(
    ({ name, event }) => name === "check" ? answers.get(event.headers.Authorization)! : "{}",
    { manifest },
  );
  const ask = async (token: string, path: string, name = "Authorization") => {
    const before = test.host.calls.length;
    const headers = token === "none" ? [] : [[name, token] as const];
    const { status } = await test.send({ path: `/v0${path}`, headers });
    return [status, test.host.calls.slice(before).map(({ name }) => name).join(" ")];
  };
  const table = [
    ["a", "/orders/1?k=1", 200, "check orders"],
    ["a", "/orders/2?k=1", 200, "orders"],
    ["a", "/sales?k=1", 403, ""], // the kept policy does not name this route
    ["a", "/orders/2?k=2", 200, "check orders"],
    ["d", "/orders/1?k=1", 403, "check"],
    ["d", "/orders/2?k=1", 403, ""],
    ["u", "/orders/1?k=1", 401, "check"], // only results are kept
    ["u", "/orders/1?k=1", 401, "check"],
    ["f", "/orders/1?k=1", 500, "check"],
    ["f", "/orders/1?k=1", 500, "check"],
    ["none", "/orders/1?k=1", 401, ""], // a missing or empty source
    ["", "/orders/1?k=1", 401, ""],
    ["a", "/orders/1", 401, ""],
    ["a", "/orders/1?k=", 401, ""],
  ] as const;
  for (const [token, path, status, calls] of table) {
    assertEquals(await ask(token, path), [status, calls], `${token} ${path}`);
  }
  assertEquals(await ask("a", "/orders/1?k=1", "authorization"), [200, "orders"]);
  const contexts = test.host.calls.filter(({ name }) => name === "orders")
    .map(({ event }) => event.requestContext.authorizer);
  assertEquals(contexts.map(({ principalId, tenant }) => [principalId, tenant]).flat(), [
    ..."ada blue ada blue ada blue ada blue".split(" "),
  ]);
  assertEquals(contexts[1].integrationLatency, 0, "API Gateway has asked nobody");
  test.platform.flushAuthorizers();
  assertEquals(await ask("a", "/orders/2?k=1"), [200, "check orders"]);
});

Deno.test("a policy is kept no longer than the ttl", async () => {
  let calls = 0;
  const invoke = () => {
    calls++;
    return Promise.resolve({
      requestId: "",
      payload: new TextEncoder().encode(result()),
      logTail: "",
    });
  };
  const { gateway } = resolveApplication(withCache({ ttl: 60 }), LOCAL);
  const host = { invoke } as unknown as FunctionHost;
  const authorizers = new Authorizers(gateway, restAuthorizing, host, () => {});
  const at = async (seconds: number, Authorization = "x") => {
    const time = new Date(1e12 + seconds * 1_000);
    const request = { url: "/orders/7", headers: { Authorization } };
    await authorizers.authorize("check", await proxyEvent(request), time, "");
    return calls;
  };
  assertEquals([await at(0), await at(59), await at(60), await at(119), await at(120)], [
    1,
    1,
    2,
    2,
    3,
  ]);
  assertEquals([await at(120, "y"), await at(121, "x")], [4, 4]);
});

Deno.test("a policy without a ttl is asked for by each request, whatever its sources", async () => {
  await using test = await startTestPlatform(({ name }) => name === "check" ? result() : "{}", {
    manifest: withCache({ identity: ["header.Authorization"] }),
  });
  for (const _ of [1, 2]) assertEquals((await test.send({ path: "/v0/sales" })).status, 200);
  assertEquals(test.host.calls.map(({ name }) => name).join(" "), "check orders check orders");
});

Deno.test("the log warns once if a policy that is kept names one route only", async () => {
  const arn = "arn:aws:execute-api:us-east-1:000000000000:app/v0";
  for (
    const [settings, resource, isWarned] of [
      [{ ttl: 60 }, undefined, true],
      [{ ttl: 60 }, `${arn}/*`, false],
      [{ ttl: 0 }, undefined, false],
    ] as const
  ) {
    await using test = await startTestPlatform(
      ({ name, event }) => name === "check" ? result("Allow", resource ?? event.methodArn) : "{}",
      { manifest: withCache(settings) },
    );
    for (const token of ["a", "b"]) {
      await test.send({ path: "/v0/sales", headers: [["Authorization", token]] });
    }
    const warnings = test.log.after(0).map(({ text }) => text)
      .filter((text) => text.startsWith("WARN"));
    assertEquals(
      warnings,
      isWarned
        ? [
          `WARN The policy of the authorizer "check" counts for all routes for 60 s, because it has a ttl, but it names only ${arn}/GET/sales: return a policy for "${arn}/*", or set the ttl to 0`,
        ]
        : [],
    );
  }
});
