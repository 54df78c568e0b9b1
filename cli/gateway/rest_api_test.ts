import { assertEquals } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { type Call, startTestPlatform } from "../testdata/platform.ts";

const ORIGIN = "https://shop.example";

const start = (manifest: object, answer: Parameters<typeof startTestPlatform>[0] = () => "{}") => {
  const routes = [
    { method: "GET", path: "/orders/{id}", authorizer: "check" },
    { method: "ANY", path: "/any" },
    { method: "POST", path: "/own" },
    { method: "OPTIONS", path: "/own" },
  ];
  const functions = { f: { module: "f.ts", triggers: { routes } }, check: { module: "check.ts" } };
  const text = JSON.stringify({ name: "app", stage: "v0", functions, ...manifest });
  return startTestPlatform(answer, { manifest: parseManifest(text, "app.json") });
};

Deno.test("a REST API with cors answers OPTIONS for each path without a function", async () => {
  const cors = {
    origins: [ORIGIN, "http://localhost:3000"],
    methods: ["GET"],
    headers: ["X-A", "X-B"],
    exposeHeaders: ["ETag"],
    credentials: true,
    maxAge: 60,
  };
  await using test = await start({ cors });
  const corsOf = async (method: string, path: string, origin: string) => {
    const before = test.host.calls.length;
    const { status, headers } = await test.send({ method, path, headers: [["Origin", origin]] });
    const fields = headers.filter(([name]) => /^(access-control-|vary)/i.test(name))
      .map(([name, value]) => `${name.replace(/^access-control-/i, "").toLowerCase()}: ${value}`);
    return [status, test.host.calls.length - before, ...fields];
  };
  const others = [
    "allow-methods: GET",
    "allow-headers: X-A,X-B",
    "allow-credentials: true",
    "max-age: 60",
    "vary: Origin",
  ];
  const local = "http://localhost:3000";
  assertEquals(await corsOf("OPTIONS", "/v0/orders/7", ORIGIN), [
    204,
    0,
    `allow-origin: ${ORIGIN}`,
    ...others,
  ]);
  assertEquals(await corsOf("OPTIONS", "/v0/orders/7", local), [
    204,
    0,
    `allow-origin: ${local}`,
    ...others,
  ]);
  assertEquals(await corsOf("OPTIONS", "/v0/orders/7", "https://evil.example"), [
    204,
    0,
    `allow-origin: ${ORIGIN}`,
    ...others,
  ]);
  // A path with OPTIONS or ANY keeps its function, which sets the fields itself.
  assertEquals(await corsOf("OPTIONS", "/v0/any", ORIGIN), [200, 1]);
  assertEquals(await corsOf("OPTIONS", "/v0/own", ORIGIN), [200, 1]);
  const own = [`allow-origin: ${ORIGIN}`, "allow-credentials: true", "expose-headers: ETag"];
  assertEquals(await corsOf("OPTIONS", "/v0/nope", ORIGIN), [403, 0, ...own]);
  assertEquals(await corsOf("PUT", "/v0/orders/7", ORIGIN), [403, 0, ...own]);
});

Deno.test("a REST API with cors.origin alone answers no preflight", async () => {
  await using test = await start({ cors: { origin: ORIGIN } });
  assertEquals((await test.send({ method: "OPTIONS", path: "/v0/orders/7" })).status, 403);
});

Deno.test("a REST API answers below the base path of its domain too, which is in path", async () => {
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html says so of payload 1.0.
  const domain = { name: "api.example", certificate: "${infra.certificate}", basePath: "shop" };
  const allow = JSON.stringify({
    principalId: "ada",
    policyDocument: { Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] },
  });
  await using test = await start(
    { settings: { domain } },
    ({ name }) => name === "check" ? allow : "{}",
  );
  for (
    const [path, eventPath] of [["/shop/orders/7", "/shop/orders/7"], ["/v0/orders/7", "/orders/7"]]
  ) {
    const headers = [["Host", `localhost:${test.platform.port}`]] as const;
    assertEquals((await test.send({ path: path!, headers })).status, 200);
    const [{ event: asked }, { event }] = test.host.calls.splice(0) as [Call, Call];
    assertEquals([event.path, event.requestContext.path, event.requestContext.stage], [
      eventPath,
      path,
      "v0",
    ]);
    assertEquals([event.resource, event.pathParameters], ["/orders/{id}", { id: "7" }]);
    assertEquals(asked.methodArn, "arn:aws:execute-api:us-east-1:000000000000:app/v0/GET/orders/7");
  }
});
