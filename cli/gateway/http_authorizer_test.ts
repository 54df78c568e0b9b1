// The rules are those of https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html
import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { type Call, startTestPlatform } from "../testdata/platform.ts";

const ARN = "arn:aws:execute-api:us-east-1:000000000000:app/$default";

async function start(check: object, answer: (call: Call) => unknown) {
  const route = (path: string) => ({ method: "GET", path, authorizer: "check" });
  const manifest = {
    name: "app",
    stage: "v0",
    gateway: "http",
    functions: {
      f: { module: "f.ts", triggers: { routes: [route("/a/{id}"), route("/b")] } },
      check: { module: "check.ts", ...check },
    },
  };
  const test = await startTestPlatform(
    (call) => call.name === "check" ? JSON.stringify(answer(call)) : "{}",
    { manifest: parseManifest(JSON.stringify(manifest), "app.json") },
  );
  return {
    ...test,
    /** Sends a request, and returns the status and the functions that were called. */
    async get(path: string, token?: string) {
      const before = test.host.calls.length;
      const headers = [["Host", `localhost:${test.platform.port}`], ["Cookie", "c=1"]] as [
        string,
        string,
      ][];
      if (token !== undefined) headers.push(["authorization", token]);
      const { status, text } = await test.send({ path, headers });
      const names = test.host.calls.slice(before).map(({ name }) => name).join(" ");
      return status === 200 ? [status, names] : [status, names, JSON.parse(text).message];
    },
  };
}

const policy = (Effect: string, Resource: unknown, context?: object) => ({
  principalId: "ada",
  policyDocument: {
    Version: "2012-10-17",
    Statement: [{ Action: "execute-api:Invoke", Effect, Resource }],
  },
  context,
});

Deno.test("an authorizer of an HTTP API gets the payload format 2.0, and its context goes to the function", async () => {
  const context = { name: "ada", number: 1, boolean: true, array: ["a"], map: { a: "b" } };
  await using test = await start({}, () => policy("Allow", "*", context));
  assertEquals(await test.get("/a/7?x=1", "t"), [200, "check f"]);
  const [{ event: asked }, { event }] = test.host.calls as [Call, Call];
  assertEquals(
    Object.keys(asked).sort().join(" "),
    "cookies headers identitySource pathParameters queryStringParameters rawPath rawQueryString requestContext routeArn routeKey type version",
  );
  const { version, type, routeArn, routeKey, pathParameters, identitySource } = asked;
  assertEquals([version, type, routeArn, routeKey, pathParameters, identitySource], [
    "2.0",
    "REQUEST",
    `${ARN}/GET/a/7`,
    "GET /a/{id}",
    { id: "7" },
    null,
  ]);
  assertEquals([asked.headers.authorization, asked.cookies], ["t", ["c=1"]]);
  assertEquals(event.requestContext.authorizer, { lambda: context });
});

Deno.test("an authorizer of an HTTP API allows, denies and fails as on Amazon API Gateway", async () => {
  const internal = "Internal Server Error";
  const cases = [
    ["request", policy("Allow", "*"), [200, "check f"]],
    ["request", policy("Allow", `${ARN}/GET/a/*`), [200, "check f"]],
    ["request", policy("Allow", `${ARN}/GET/b`), [403, "check", "Forbidden"]],
    ["request", policy("Deny", "*"), [403, "check", "Forbidden"]],
    ["request", policy("Perhaps", "*"), [500, "check", internal]],
    ["request", null, [500, "check", internal]],
    ["request", { isAuthorized: true }, [500, "check", internal]], // only with simple responses
    ["simple", { isAuthorized: true }, [200, "check f"]],
    ["simple", { isAuthorized: false }, [403, "check", "Forbidden"]],
    ["simple", { isAuthorized: "true" }, [500, "check", internal]],
    ["simple", policy("Allow", "*"), [500, "check", internal]],
  ] as const;
  for (const [authorizes, answer, expected] of cases) {
    await using test = await start({ authorizes }, () => answer);
    assertEquals<unknown>(await test.get("/a/7"), expected, JSON.stringify([authorizes, answer]));
  }
  await using test = await start({}, () => ({ isAuthorized: true }));
  await test.get("/a/7");
  const remedy = 'for "isAuthorized", give the function "authorizes": "simple" in the manifest';
  assertStringIncludes(test.log.after(0).at(-1)!.text, remedy);
});

Deno.test("a cached answer counts for all routes of an HTTP API, unless context.routeKey is a source", async () => {
  const allows = ({ event }: Call) => ({ isAuthorized: event.routeKey === "GET /b" });
  const simple = { authorizes: "simple", ttl: 60 };
  await using test = await start(simple, allows);
  assertEquals(await test.get("/b", "t"), [200, "check f"]);
  assertEquals(await test.get("/a/1", "t"), [200, "f"]); // the trap that the guide documents
  assertEquals(await test.get("/a/1", "u"), [403, "check", "Forbidden"]);
  assertEquals(await test.get("/b", "u"), [403, "", "Forbidden"]);
  assertEquals(await test.get("/b"), [401, "", "Unauthorized"]); // without a source, nobody is asked
  const identity = ["header.Authorization", "context.routeKey"];
  await using other = await start({ ...simple, identity }, allows);
  assertEquals(await other.get("/b", "t"), [200, "check f"]);
  assertEquals(other.host.calls[0]!.event.identitySource, ["t", "GET /b"]);
  assertEquals(await other.get("/a/1", "t"), [403, "check", "Forbidden"]);
  assertEquals(await other.get("/b", "t"), [200, "f"]);
});
