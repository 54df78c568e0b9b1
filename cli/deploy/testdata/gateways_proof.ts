/**
 * Deploys an application behind an HTTP API to an emulated cloud, reads everything back, and moves it to a REST API and back.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertDone, prove } from "./prove.ts";

const LOGS = "arn:aws:logs:eu-west-1:123456789012:log-group:/mate/shop";

const APP = {
  name: "shop",
  stage: "v1",
  runtime: "nodejs22.x", // without the layer, the bundles are made faster
  gateway: "http",
  authorizers: { users: { issuer: "https://login.example", audience: ["shop"] } },
  cors: { origins: ["https://shop.example"], credentials: true },
  functions: {
    orders: {
      module: "orders.ts",
      triggers: {
        routes: [
          { method: "GET", path: "/orders/{id}", authorizer: "users", scopes: ["read"] },
          { method: "ANY", path: "/orders", authorizer: "check" },
          { path: "$default" },
        ],
      },
    },
    check: {
      module: "check.ts",
      authorizes: "simple",
      ttl: 60,
      identity: ["header.Authorization", "context.routeKey"],
    },
  },
  settings: { logs: { requests: true } },
};

/** The same application behind a REST API. */
const REST = {
  ...APP,
  gateway: "rest",
  functions: {
    orders: {
      module: "orders.ts",
      triggers: {
        routes: [{ method: "GET", path: "/orders/{id}", authorizer: "users", scopes: ["read"] }],
      },
    },
    check: { module: "check.ts" },
  },
};

await prove(
  "an application is deployed behind an HTTP API, and changes its gateway",
  () => false,
  async ({ cloud, emulator, makeShop, step }) => {
    const app = await makeShop("http");
    await Deno.remove(`${app.folder}/infra`, { recursive: true });
    await app.write("app.json", APP);
    for (const name of ["orders", "check"]) {
      await app.write(`${name}.ts`, "export const handler = () => 1;");
    }
    const before = await cloud.names();
    /** Reads what an interface of API Gateway has. */
    const read = async (path: string): Promise<Record<string, never>> => {
      const authorization =
        "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/apigateway/aws4_request";
      const response = await fetch(`${emulator.url}${path}`, { headers: { authorization } });
      const text = await response.text();
      assert(response.ok, `${path}: ${text}`);
      return JSON.parse(text);
    };
    const list = async (path: string) => {
      const { items, item } = await read(path);
      return (items ?? item ?? []) as Record<string, never>[];
    };
    const only = <T>(values: readonly T[]): T => {
      assertEquals(values.length, 1);
      return values[0]!;
    };

    await step("a deployment makes what the manifest has", async () => {
      const output = assertDone(await app.deploy());
      const { apiId, apiEndpoint, corsConfiguration, protocolType } = only(await list("/v2/apis"));
      assert(output.includes(`Base URL: ${apiEndpoint}\n`), output);
      assertMatch(output, /curl 'https:\/\/\S+\/orders\/1'/);
      const cors = Object.entries<unknown>(Object(corsConfiguration))
        .map(([key, value]) => [key, Array.isArray(value) ? value.sort() : value]);
      assertEquals<unknown>([protocolType, Object.fromEntries(cors)], ["HTTP", {
        allowCredentials: true,
        allowHeaders: ["Authorization", "Content-Type"],
        allowMethods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
        allowOrigins: ["https://shop.example"],
        exposeHeaders: [],
        maxAge: 0,
      }]);
      const integration: Record<string, unknown> = only(
        await list(`/v2/apis/${apiId}/integrations`),
      );
      const { integrationId, integrationType, integrationUri, payloadFormatVersion } = integration;
      assertEquals([integrationType, payloadFormatVersion], ["AWS_PROXY", "2.0"]);
      assertMatch(String(integrationUri), /:function:shop-orders\/invocations$/);
      const routes = await list(`/v2/apis/${apiId}/routes`);
      // The emulator cannot list authorizers.
      const ids = routes.flatMap(({ authorizerId }) => authorizerId ?? []);
      const authorizers = await Promise.all(
        ids.map((id) => read(`/v2/apis/${apiId}/authorizers/${id}`)),
      );
      const nameOf = new Map(authorizers.map(({ authorizerId, name }) => [authorizerId, name]));
      assertEquals<unknown>(
        authorizers.map((
          {
            name,
            authorizerType,
            identitySource,
            jwtConfiguration,
            enableSimpleResponses,
            authorizerResultTtlInSeconds,
          },
        ) => [
          name,
          authorizerType,
          [identitySource].flat().sort(),
          jwtConfiguration ?? null,
          enableSimpleResponses ?? false,
          authorizerResultTtlInSeconds ?? 0,
        ]).sort(),
        [
          [
            "check",
            "REQUEST",
            ["$context.routeKey", "$request.header.Authorization"],
            null,
            true,
            60,
          ],
          [
            "users",
            "JWT",
            ["$request.header.Authorization"],
            { audience: ["shop"], issuer: "https://login.example" },
            false,
            0,
          ],
        ],
      );
      assertEquals<unknown>(
        routes.map((
          { routeKey, target, authorizationType, authorizerId, authorizationScopes },
        ) => [
          routeKey,
          target === `integrations/${integrationId}`,
          authorizationType,
          nameOf.get(authorizerId) ?? null,
          authorizationScopes ?? [],
        ]).sort(),
        [
          ["$default", true, "NONE", null, []],
          ["ANY /orders", true, "CUSTOM", "check", []],
          ["GET /orders/{id}", true, "JWT", "users", ["read"]],
        ],
      );
      const { stageName, autoDeploy, defaultRouteSettings, accessLogSettings }: Record<
        string,
        unknown
      > = only(await list(`/v2/apis/${apiId}/stages`));
      assertEquals([stageName, autoDeploy], ["$default", true]);
      assertEquals((accessLogSettings as { destinationArn: string }).destinationArn, LOGS);
      const { throttlingRateLimit, throttlingBurstLimit } = defaultRouteSettings as Record<
        string,
        number
      >;
      assertEquals([throttlingRateLimit, throttlingBurstLimit], [100, 200]);
      const functions = await cloud.functions();
      const invokers = (name: string) =>
        functions[name]!.invokers.map((text) =>
          /GATEWAY\/\S+/.exec(text.replace(/(:123456789012:)\w+\//, "$1GATEWAY/"))?.[0]
        );
      assertEquals(
        invokers("shop-orders").sort(),
        ['GATEWAY/*/$default"}}', 'GATEWAY/*/*/orders"}}', 'GATEWAY/*/GET/orders/*"}}'].sort(),
      );
      assertEquals(invokers("shop-check").length, 1);
    });

    await step("a second deployment changes nothing", async () => {
      assertMatch(assertDone(await app.deploy()), /Nothing to do/);
    });

    for (
      const [manifest, made, gone] of [
        [REST, "/restapis", "/v2/apis"],
        [APP, "/v2/apis", "/restapis"],
      ] as const
    ) {
      await step(
        `the gateway becomes a ${manifest.gateway} API, and the old one answers until then`,
        async () => {
          const requests: string[] = [];
          emulator.done = ({ method, url }) => requests.push(`${method} ${new URL(url).pathname}`);
          await app.write("app.json", manifest);
          const output = assertDone(await app.deploy());
          emulator.done = () => {};
          assertMatch(
            output,
            /Changes the address of the HTTP gateway:\n {2}https:\S+ goes when the new one/,
          );
          assertEquals([(await list(made)).length, (await list(gone)).length], [1, 0]);
          const isPart = (request: string, api: string) =>
            new RegExp(` (${api}/|/2015-03-31/functions/[^/]+/policy)`).test(request);
          const ready = requests.findLastIndex((request) =>
            /^(POST|PUT|PATCH) /.test(request) && isPart(request, made)
          );
          const first = requests.findIndex((request) =>
            request.startsWith("DELETE ") && isPart(request, gone)
          );
          assert(ready >= 0 && first > ready, requests.join("\n"));
        },
      );
    }

    await step("undeploy() leaves nothing", async () => {
      assertDone(await app.undeploy({ deletesData: true }));
      assertEquals(await cloud.names(), before);
      assertEquals([(await list("/v2/apis")).length, (await list("/restapis")).length], [0, 0]);
    });
  },
);
