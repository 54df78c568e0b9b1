import { assertEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError, type JsonObject } from "../../function/mod.ts";
import { proxyEvent } from "../../testing/mod.ts";
import { HttpNotFoundError } from "../errors/client_errors.ts";
import { load } from "../testdata/events.ts";
import { FnProxyEvent } from "./proxy_event.ts";
import { recogniseEvent } from "./gateway_formats.ts";
import { readRoutePath } from "./route_path.ts";

/** The result of every accessor, or the key of the error that the accessor raises. */
function readAll(raw: JsonObject): Record<string, unknown> {
  const event = new FnProxyEvent(raw);
  const results: Record<string, () => unknown> = {
    format: () => event.format,
    sourceIp: () => event.sourceIp().text,
    accept: () => event.header("Accept"),
    routePath: () => readRoutePath(recogniseEvent(raw)),
    dishes: () => event.queryValues("dish"),
    url: () => event.url().href,
    httpMethod: () => event.httpMethod(),
    httpProtocol: () => event.httpProtocol(),
    httpUserAgent: () => event.httpUserAgent(),
    cookies: () => event.cookies(),
    queryDomainName: () => event.queryDomainName(),
    queryPath: () => event.queryPath(),
    queryStringParameters: () => event.queryStringParameters(),
    queryPayload: () => event.queryPayload(),
    authorizerClaims: () => event.authorizerClaims(),
    authorizer: () => event.authorizer(),
    requestId: () => event.requestId(),
    routeKey: () => event.routeKey(),
    stageVariables: () => event.stageVariables(),
    pathParameters: () => event.pathParameters(),
  };
  return Object.fromEntries(
    Object.entries(results).map(([name, read]) => {
      try {
        return [name, read()];
      } catch (error) {
        return [name, `raises ${(error as CloudEventSpecificationError).path}`];
      }
    }),
  );
}

const TRACE_ID = "Root=1-69201a3c-0f3c5a7d2b9e48610c4d7a21";
const HTTP_API = "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com";
const FUNCTION_URL = "abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws";

const COMMON = {
  sourceIp: "198.51.100.17",
  httpMethod: "GET",
  httpProtocol: "HTTP/1.1",
  httpUserAgent: "curl/8.14.1",
  accept: "application/json",
  cookies: {},
  queryPath: ["okay"],
  routePath: "/okay",
  queryStringParameters: {},
  dishes: [],
  queryPayload: null,
  authorizerClaims: null,
  authorizer: null,
  stageVariables: {},
  pathParameters: {},
};

const ALB_RESULTS = {
  ...COMMON,
  format: "alb",
  httpProtocol: "raises protocol",
  queryDomainName: "okay.example.com",
  queryStringParameters: { dish: "röschti" },
  dishes: ["röschti"],
  url: "http://okay.example.com/okay?dish=r%C3%B6schti",
  requestId: TRACE_ID,
  routeKey: null,
};

const RESULTS: Record<string, unknown> = {
  rest: {
    ...COMMON,
    format: "rest",
    httpUserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    queryDomainName: HTTP_API,
    queryPath: ["v0", "okay", "caf%C3%A9", "menu"],
    routePath: "/okay/caf%C3%A9/menu",
    queryStringParameters: { day: "friday & saturday", dish: "soup" },
    dishes: ["röschti", "soup"],
    url: `https://${HTTP_API}/v0/okay/caf%C3%A9/menu` +
      "?day=friday%20%26%20saturday&dish=r%C3%B6schti&dish=soup",
    requestId: "5f0b6c1e-2a77-4a0c-9d52-61f3f0f7b6a4",
    routeKey: "GET /okay/{proxy+}",
    stageVariables: { mode: "live" },
    pathParameters: { proxy: "café/menu" },
  },
  restConsoleTest: {
    ...COMMON,
    format: "rest",
    sourceIp: "raises requestContext.identity.sourceIp",
    httpMethod: "POST",
    httpUserAgent: "aws-internal/3 exec-env/AWS_Lambda_java17",
    accept: undefined,
    queryDomainName: "testprefix.testdomainname",
    url: "https://testprefix.testdomainname/okay",
    queryPayload: { order: 7 },
    authorizer: (load("restConsoleTest")["requestContext"] as JsonObject)["identity"],
    requestId: "5f0b6c1e-2a77-4a0c-9d52-61f3f0f7b6a4",
    routeKey: "POST /okay",
  },
  apiV2: {
    ...COMMON,
    format: "http",
    httpMethod: "POST",
    cookies: { session: "abc", theme: "dark" },
    queryDomainName: HTTP_API,
    queryPath: ["v0", "okay"],
    queryStringParameters: { day: "friday & saturday", dish: "b" },
    dishes: ["a", "b"],
    url: `https://${HTTP_API}/v0/okay?day=friday%20%26%20saturday&dish=a&dish=b`,
    queryPayload: { order: 7 },
    authorizerClaims: { sub: "mira", scope: "orders" },
    authorizer: { sub: "mira", scope: "orders" },
    requestId: "UKx5cHVxliAEPfg=",
    routeKey: "POST /okay",
    stageVariables: { mode: "live" },
  },
  functionUrl: {
    ...COMMON,
    format: "http",
    cookies: { session: "abc" },
    queryDomainName: FUNCTION_URL,
    queryPath: [],
    routePath: "/",
    url: `https://${FUNCTION_URL}/`,
    requestId: "6c7d8e9f-0a1b-4c2d-8e3f-405162738495",
    routeKey: "$default",
  },
  alb: ALB_RESULTS,
  albMultiValue: ALB_RESULTS,
  latticeV2: {
    ...ALB_RESULTS,
    format: "lattice",
    sourceIp: "10.0.3.7",
    queryStringParameters: { dish: "soup" },
    dishes: ["soup"],
    url: "https://okay.example.com/okay?dish=soup",
    requestId: "",
  },
};

Deno.test("FnProxyEvent reads the events of every gateway", () => {
  for (const [kind, expected] of Object.entries(RESULTS)) {
    assertEquals<unknown>(readAll(load(kind)), expected, kind);
  }
});

Deno.test("pathParameters() decodes each parameter exactly once", async () => {
  for (const gateway of ["rest", "http"] as const) {
    const url = "https://api.example.com/orders/J%C3%B6rg%2520";
    const raw = await proxyEvent({ url }, { gateway, route: "GET /orders/{id}" });
    const event = new FnProxyEvent(raw);
    assertEquals(event.pathParameters(), { id: "Jörg%20" });
    assertEquals(event.routeKey(), "GET /orders/{id}");
    assertEquals(event.url().href, url);
  }
  for (const facts of [{ domainName: FUNCTION_URL }, { accountId: "anonymous" }]) {
    const requestContext = { http: {}, domainName: "page.localhost", ...facts };
    const event = { version: "2.0", rawPath: "/a%20b", headers: {}, requestContext };
    assertEquals(new FnProxyEvent(event).url().pathname, "/a%20b");
  }
  const pathParameters = { id: "100%" };
  const decoded = new FnProxyEvent({ version: "1.0", pathParameters });
  assertEquals(decoded.pathParameters(), pathParameters);
  assertThrows(() => new FnProxyEvent({ pathParameters }).pathParameters(), HttpNotFoundError);
  assertEquals(new FnProxyEvent({ pathParameters: null }).pathParameters(), {});
});

Deno.test("authorizer() returns the data of every kind of authorizer", () => {
  const identity = { userArn: "arn:aws:iam::1:user/ada", sourceIp: "192.0.2.1" };
  const added = { principalId: "p", integrationLatency: 7, claims: null, scopes: null };
  const principal = { principal: "arn:aws:iam::1:role/ada" };
  const v2 = (authorizer: unknown) => ({
    version: "2.0",
    requestContext: { http: {}, ...(authorizer === undefined ? {} : { authorizer }) },
  });
  const lattice = (identity: unknown) => ({
    version: "2.0",
    requestContext: { serviceNetworkArn: "arn", identity },
  });
  for (
    const [raw, expected] of [
      [{ requestContext: { authorizer: { claims: { sub: "a" } } } }, { sub: "a" }],
      [{ requestContext: { authorizer: { ...added, n: 1 } } }, { n: 1 }],
      [{ requestContext: { authorizer: { scopes: "read", n: 1 } } }, { scopes: "read", n: 1 }],
      [{ requestContext: { authorizer: added, identity } }, identity],
      [{ requestContext: { authorizer: null, identity: { userArn: null } } }, null],
      [{ requestContext: { identity: { userArn: "" } } }, null],
      [lattice({ principal: "" }), null],
      [{ requestContext: {} }, null],
      [v2({ jwt: { claims: { sub: "a" }, scopes: null } }), { sub: "a" }],
      [v2({ lambda: { role: "cook" } }), { role: "cook" }],
      [v2({ lambda: { claims: "c", scopes: ["s"] } }), { claims: "c", scopes: ["s"] }],
      [v2({ lambda: null }), null],
      [v2({ iam: { userId: "ada" } }), { userId: "ada" }],
      [v2(undefined), null],
      [lattice(principal), principal],
      [lattice({ sourceVpcArn: "arn" }), null],
      [{ requestContext: { elb: {} } }, null],
    ] as const
  ) {
    assertEquals<unknown>(new FnProxyEvent(raw).authorizer(), expected, JSON.stringify(raw));
  }
});

Deno.test("sourceIp() of a load balancer is the last address, without its port", () => {
  const addressOf = (forwarded: string) => {
    const headers = { "x-forwarded-for": forwarded };
    return new FnProxyEvent({ headers, requestContext: { elb: {} } }).sourceIp();
  };
  for (
    const [forwarded, expected] of [
      ["192.0.2.1", "192.0.2.1"],
      ["203.0.113.9, 192.0.2.1:4711", "192.0.2.1"],
      ["2001:DB8::1", "2001:db8::1"],
      ["x,[2001:db8::1]:4711", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
    ]
  ) {
    assertEquals(addressOf(forwarded!).text, expected!);
  }
  for (const forwarded of ["", "192.0.2.1, unknown", "192.0.2.1:", "[192.0.2.1", ":80"]) {
    const error = assertThrows(() => addressOf(forwarded), CloudEventSpecificationError);
    assertEquals(error.path, "headers.x-forwarded-for");
  }
});

Deno.test("url() and queryDomainName() read the host of a load balancer", () => {
  const wrap = (headers: Record<string, string>) =>
    new FnProxyEvent({ headers, path: "//evil.example/", requestContext: { elb: {} } });
  const event = wrap({ Host: "API.example.com:8443" });
  assertEquals(event.queryDomainName(), "api.example.com");
  assertEquals(event.url().href, "https://api.example.com:8443//evil.example/");
  assertEquals(wrap({ host: "[::1]:80" }).queryDomainName(), "[::1]");
  assertEquals(wrap({}).url().href, "https://localhost//evil.example/");
  assertThrows(() => wrap({}).queryDomainName(), CloudEventSpecificationError, "headers.host");
});

Deno.test("a name or value with a malformed escape stays as transmitted", () => {
  const query = "a%zz=1+%&b=%FF+x&c=d+e&&f&g=h=i";
  const expected = { "a%zz": "1+%", b: "%FF+x", c: "d e", f: "", g: "h=i" };
  const http = { version: "2.0", rawQueryString: query, requestContext: { http: {} } };
  const lattice = {
    version: "2.0",
    path: `/x?${query}`,
    requestContext: { serviceNetworkArn: "arn" },
  };
  const queryStringParameters = { "a%zz": "1+%", b: "%FF+x", c: "d+e", f: "", g: "h=i" };
  const alb = { requestContext: { elb: {} }, queryStringParameters };
  for (const raw of [http, lattice, alb]) {
    assertEquals(new FnProxyEvent(raw).queryStringParameters(), expected);
  }
  assertEquals(new FnProxyEvent(lattice).queryPath(), ["x"]);
});

Deno.test("url() has the query as the client sent it, if the gateway kept it", async () => {
  const url = "https://api.example.com/x?flag&a=b+c&a=%7e&z=%zz&q=?";
  for (const gateway of ["http", "url"] as const) {
    const event = new FnProxyEvent(await proxyEvent({ url }, { gateway }));
    assertEquals(event.url().search, new URL(url).search, gateway);
    assertEquals(event.toRequest().url, event.url().href);
    assertEquals(event.queryString(), `GET ${event.url()}`);
  }
});

Deno.test("keys that a gateway may leave out count as null", () => {
  for (
    const raw of [
      { version: "2.0", requestContext: { http: {} } },
      { requestContext: { elb: {} } },
      { version: "2.0", path: "/", requestContext: { serviceNetworkArn: "arn" } },
    ]
  ) {
    const event = new FnProxyEvent(raw);
    assertEquals([event.queryPayload(), event.text()], [null, ""]);
    assertEquals(event.queryStringParameters(), {});
    assertEquals(event.queryValues("a"), []);
  }
});

Deno.test("routePath() is the path below the stage", () => {
  for (
    const [rawPath, stage, expected] of [
      ["/v0/okay", "v0", "/okay"],
      ["/v0", "v0", "/"],
      ["/v0/", "v0", "/"],
      ["/v01/okay", "v0", "/v01/okay"],
      ["/okay", "$default", "/okay"],
    ] as const
  ) {
    const raw = { version: "2.0", rawPath, requestContext: { http: {}, stage } };
    assertEquals(readRoutePath(recogniseEvent(raw)), expected);
    // A REST API whose custom domain has the stage in the URL sends it in both paths.
    const rest = { path: rawPath, requestContext: { path: rawPath, stage } };
    assertEquals(readRoutePath(recogniseEvent(rest)), expected);
  }
  const requestContext = { path: "/v0/v0/okay", stage: "v0" };
  assertEquals(readRoutePath(recogniseEvent({ path: "/v0/okay", requestContext })), "/v0/okay");
  assertEquals(readRoutePath(recogniseEvent({ requestContext })), "/v0/okay");
  assertEquals(readRoutePath(recogniseEvent({ path: "/okay", requestContext: {} })), "/okay");
  assertEquals(
    readRoutePath(recogniseEvent({ path: "/null/a", requestContext: { elb: {} } })),
    "/null/a",
  );
});

Deno.test("the stage is taken off a path only if the gateway put it there", () => {
  for (
    const [path, resource, pathParameters, expected] of [
      // a custom domain without a mapping: the resource is the whole path
      ["/v0/okay", "/v0/okay", null, "/v0/okay"],
      ["/v0/okay/", "/v0/okay", null, "/v0/okay/"],
      ["/v0", "/v0", null, "/v0"],
      ["/v0/a%20b/c", "/v0/{dish}/c", { dish: "a b" }, "/v0/a%20b/c"],
      ["/v0/a b/c", "/v0/{dish}/c", { dish: "a%20b" }, "/v0/a b/c"],
      ["/v0/a/b", "/{proxy+}", { proxy: "v0/a/b" }, "/v0/a/b"],
      ["/v0/a/b", "/v0/{proxy+}", { proxy: "a/b" }, "/v0/a/b"],
      ["/v0/100%", "/v0/{dish}", { dish: "100%" }, "/v0/100%"],
      // a mapping that has the name of the stage: the resource is what follows
      ["/v0/okay", "/okay", null, "/okay"],
      ["/v0", "/", null, "/"],
      ["/v0/", "/", null, "/"],
      ["/v0/v0/okay", "/v0/okay", null, "/v0/okay"],
      ["/v0/a/b", "/{proxy+}", { proxy: "a/b" }, "/a/b"],
      ["/v0/a/b", "/a/{id}", { id: "b" }, "/a/b"],
      // an HTTP API without a resource
      ["/v0/okay", "$default", null, "/okay"],
      ["/v0/okay", undefined, undefined, "/okay"],
    ] as const
  ) {
    const requestContext = { path, stage: "v0", httpMethod: "GET" };
    const given = JSON.parse(JSON.stringify({ path, resource, pathParameters, requestContext }));
    assertEquals(readRoutePath(recogniseEvent(given)), expected, JSON.stringify(given));
    // Only the path of the context has the stage: the other path is below it, unless the resource tells more.
    const below = { ...given, requestContext: { ...requestContext, path: `/v0${path}` } };
    const isTold = typeof resource === "string" && resource !== "$default";
    assertEquals(readRoutePath(recogniseEvent(below)), isTold ? expected : path);
  }
});
