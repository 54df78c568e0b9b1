import { assertEquals, assertThrows } from "@std/assert";
import { parseManifest } from "./manifest.ts";

const USERS = { issuer: "https://login.example/", audience: ["shop"] };

interface Settings {
  readonly route?: object;
  readonly check?: object;
  readonly manifest?: object;
}

/** A manifest with two functions, a route and a JWT authorizer. */
const textOf = ({ route = {}, check = {}, manifest = {} }: Settings): string =>
  JSON.stringify({
    name: "app",
    stage: "v0",
    authorizers: { users: USERS },
    functions: {
      f: {
        module: "f.ts",
        triggers: {
          routes: [{ method: "GET", path: "/a", ...route }, { method: "GET", path: "/b" }],
        },
      },
      check: { module: "check.ts", ...check },
    },
    ...manifest,
  });

const ROUTE = "functions.f.triggers.routes.0";
const http = { gateway: "http" };
const domain = { name: "shop.example", certificate: "arn:aws:acm:eu-west-1:1:certificate/a" };
const cors = (settings: object, others: object = {}) => ({ cors: settings, ...others });
const star = "must name each one if credentials is true, not *";
const ISSUER =
  "must be an https URL without a query, such as https://login.example (http only on localhost)";

const WRONG: readonly (readonly [Settings, string])[] = [
  [{ manifest: { gateway: "https" } }, '"gateway" must be one of "rest", "http"'],
  [
    { manifest: http, route: { stream: true } },
    `"${ROUTE}.stream" must be false, because an HTTP API cannot stream: use "gateway": "rest", or the trigger "url" of the function with "stream"`,
  ],
  [
    { route: { path: "$default", method: undefined } },
    `"${ROUTE}.path" needs "gateway": "http". A REST API takes ANY / and ANY /{proxy+} instead`,
  ],
  [
    { manifest: http, route: { path: "$default" } },
    `"${ROUTE}.method" must be absent, because $default takes every method`,
  ],
  [
    { manifest: http, route: { method: undefined } },
    `"${ROUTE}.method" is missing: expected one of "ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"`,
  ],
  [
    { manifest: http, route: { path: "/b" } },
    '"functions.f.triggers.routes.1" must be another route than GET /b, which "f" has',
  ],
  [
    { route: { scopes: ["read"] } },
    `"${ROUTE}.scopes" needs an "authorizer" of the manifest's "authorizers": only JWT authorizers check scopes`,
  ],
  [
    { route: { scopes: ["read"], authorizer: "check" } },
    `"${ROUTE}.scopes" needs an "authorizer" of the manifest's "authorizers": only JWT authorizers check scopes`,
  ],
  [
    { route: { scopes: ["read all"], authorizer: "users" } },
    `"${ROUTE}.scopes.0" must be a scope of 1 to 64 characters, without spaces, quotes and backslashes`,
  ],
  [
    { route: { authorizer: "user" } },
    `"${ROUTE}.authorizer" must be a function or an authorizer of the manifest: did you mean "users"?`,
  ],
  [
    { manifest: { authorizers: { check: USERS } } },
    '"authorizers.check" must have another name: a function has this name, and a route names either',
  ],
  ...[
    "http://login.example",
    "https://login.example?a=b",
    "login.example",
    "http://localhost.example",
  ]
    .map((issuer): [Settings, string] => [
      { manifest: { authorizers: { users: { ...USERS, issuer } } } },
      `"authorizers.users.issuer" ${ISSUER}`,
    ]),
  [
    { manifest: { authorizers: { users: { ...USERS, audience: [] } } } },
    '"authorizers.users.audience" must have at least one value',
  ],
  [
    { manifest: { authorizers: { users: { ...USERS, identity: "querystring.token" } } } },
    '"authorizers.users.identity" must be a header.NAME, because a REST API reads tokens of headers only; "gateway": "http" has others',
  ],
  [
    { check: { authorizes: "simple" } },
    '"functions.check.authorizes" needs "gateway": "http". An authorizer of a REST API returns a policy ("request")',
  ],
  [
    { check: { identity: ["context.routeKey"] } },
    '"functions.check.identity.0" is not in a REST API: use context.resourcePath and context.httpMethod',
  ],
  [
    { manifest: http, check: { identity: ["header.A", "context.resourcePath"] } },
    '"functions.check.identity.1" is not in an HTTP API: use context.routeKey',
  ],
  [
    { manifest: cors({ origin: "https://a.example" }, http) },
    '"cors.origin" is of a REST API: with "gateway": "http", use "origins", which also answers preflights',
  ],
  [
    { manifest: cors({ maxAge: 5 }) },
    '"cors.origins" is missing: expected the origins of the pages, such as https://app.example',
  ],
  [
    { manifest: cors({ origin: "https://a.example", maxAge: 5 }) },
    '"cors.maxAge" needs "origins" in place of "origin"',
  ],
  [
    { manifest: cors({ origin: "https://a.example", origins: ["*"] }) },
    '"cors.origin" must be absent beside "origins", which also counts for the own answers',
  ],
  [{ manifest: cors({ origins: ["*"], credentials: true }) }, `"cors.origins" ${star}`],
  [
    { manifest: cors({ origins: ["https://a.example"], methods: ["*"], credentials: true }) },
    `"cors.methods" ${star}`,
  ],
  [
    { manifest: cors({ origins: ["https://a.example/"] }) },
    '"cors.origins.0" must be an origin such as https://app.example, without a path, or *',
  ],
  [
    { manifest: { settings: { domain: { ...domain, basePath: "/shop" } } } },
    '"settings.domain.basePath" must be 1 to 128 letters, digits, - or _, without a slash',
  ],
];

Deno.test("parseManifest() refuses what the kind of gateway cannot do, and says what would be right", () => {
  for (const [settings, message] of WRONG) {
    const text = textOf(settings);
    const error = assertThrows(() => parseManifest(text, "app.json"), TypeError, "", message);
    assertEquals(error.message, `Cannot use the manifest "app.json": ${message}`);
  }
});

Deno.test("parseManifest() takes the keys of both kinds of gateways", () => {
  const right: readonly Settings[] = [
    { route: { authorizer: "users", scopes: ["read"] } },
    { manifest: http, route: { path: "$default", method: undefined, authorizer: "check" } },
    // A REST API takes one variable at a place, and an HTTP API any.
    {
      manifest: {
        ...http,
        functions: {
          f: {
            module: "f.ts",
            triggers: {
              routes: [
                { method: "GET", path: "/a/{x}" },
                { method: "GET", path: "/a/{y}/b" },
              ],
            },
          },
        },
      },
    },
    { manifest: http, check: { authorizes: "simple", identity: ["context.routeKey"] } },
    {
      manifest: cors({
        origins: ["https://a.example", "http://localhost:3000"],
        credentials: true,
      }),
    },
    ...[
      "http://localhost:4000/a",
      "http://127.0.0.1",
      "http://[::1]:1",
      "https://cognito-idp.${region}.amazonaws.com/${infra.pool}",
    ]
      .map((issuer) => ({ manifest: { authorizers: { users: { ...USERS, issuer } } } })),
  ];
  for (const settings of right) parseManifest(textOf(settings), "app.json");
});
