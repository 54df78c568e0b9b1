import { assertEquals } from "@std/assert";
import type { CloudEventSpecificationError, JsonObject } from "../../../function/mod.ts";
import { load } from "../../testdata/events.ts";
import { FnProxyEvent } from "../proxy_event.ts";
import { formatOf } from "./recognise.ts";

/** The result of every accessor, or the key of the error that the accessor raises. */
function readAll(raw: JsonObject): Record<string, unknown> {
  const event = new FnProxyEvent(raw);
  const results: Record<string, () => unknown> = {
    format: () => event.format,
    sourceIp: () => event.sourceIp().text,
    httpMethod: () => event.httpMethod(),
    httpProtocol: () => event.httpProtocol(),
    httpUserAgent: () => event.httpUserAgent(),
    accept: () => event.header("Accept"),
    cookies: () => event.cookies(),
    queryDomainName: () => event.queryDomainName(),
    queryPath: () => event.queryPath(),
    routePath: () => formatOf(raw).routePath(raw),
    queryStringParameters: () => event.queryStringParameters(),
    dishes: () => event.queryValues("dish"),
    url: () => event.url().href,
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

const ALB_RESULTS = {
  format: "alb",
  sourceIp: "198.51.100.17",
  httpMethod: "GET",
  httpProtocol: "raises protocol",
  httpUserAgent: "curl/8.14.1",
  accept: "application/json",
  cookies: {},
  queryDomainName: "okay.example.com",
  queryPath: ["okay"],
  routePath: "/okay",
  queryStringParameters: { dish: "röschti" },
  dishes: ["röschti"],
  url: "http://okay.example.com/okay?dish=r%C3%B6schti",
  queryPayload: null,
  authorizerClaims: null,
  authorizer: null,
  requestId: TRACE_ID,
  routeKey: null,
  stageVariables: {},
  pathParameters: {},
};

const RESULTS: Record<string, unknown> = {
  api_v2: {
    format: "http",
    sourceIp: "198.51.100.17",
    httpMethod: "POST",
    httpProtocol: "HTTP/1.1",
    httpUserAgent: "curl/8.14.1",
    accept: "application/json",
    cookies: { session: "abc", theme: "dark" },
    queryDomainName: HTTP_API,
    queryPath: ["v0", "okay"],
    routePath: "/okay",
    queryStringParameters: { day: "friday & saturday", dish: "b" },
    dishes: ["a", "b"],
    url: `https://${HTTP_API}/v0/okay?day=friday%20%26%20saturday&dish=a&dish=b`,
    queryPayload: { order: 7 },
    authorizerClaims: { sub: "mira", scope: "orders" },
    authorizer: { sub: "mira", scope: "orders" },
    requestId: "UKx5cHVxliAEPfg=",
    routeKey: "POST /okay",
    stageVariables: { mode: "live" },
    pathParameters: {},
  },
  function_url: {
    format: "http",
    sourceIp: "198.51.100.17",
    httpMethod: "GET",
    httpProtocol: "HTTP/1.1",
    httpUserAgent: "curl/8.14.1",
    accept: "application/json",
    cookies: { session: "abc" },
    queryDomainName: FUNCTION_URL,
    queryPath: [],
    routePath: "/",
    queryStringParameters: {},
    dishes: [],
    url: `https://${FUNCTION_URL}/`,
    queryPayload: null,
    authorizerClaims: null,
    authorizer: null,
    requestId: "6c7d8e9f-0a1b-4c2d-8e3f-405162738495",
    routeKey: "$default",
    stageVariables: {},
    pathParameters: {},
  },
  alb: ALB_RESULTS,
  alb_multi_value: ALB_RESULTS,
  lattice_v2: {
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
