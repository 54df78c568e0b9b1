import { ACCOUNT_ID } from "./identifiers.ts";
import {
  decodePart,
  encodeBody,
  forwardedHeaders,
  type HttpExchange,
  joinValues,
  logTime,
  parametersOf,
  pathBelowStage,
  routeOf,
  valuesOf,
} from "./http_facts.ts";
import { apiIdOf } from "./rest_event.ts";

/**
 * The event of an Amazon API Gateway HTTP API or of a Lambda function URL (payload format 2.0). If a header field or a
 * parameter has several values, the values are joined by commas.
 */
export type HttpEvent = {
  version: string;
  /** The route, such as `GET /orders/{id}`, or `$default`. */
  routeKey: string;
  /** The path, stage included. An HTTP API decodes the path, and a function URL does not. */
  rawPath: string;
  /** The query as transmitted. */
  rawQueryString: string;
  cookies?: string[];
  headers: Record<string, string>;
  /** The parameters of the query, decoded. */
  queryStringParameters?: Record<string, string>;
  requestContext: {
    accountId: string;
    apiId: string;
    authorizer?: HttpAuthorizer;
    domainName: string;
    domainPrefix: string;
    http: { method: string; path: string; protocol: string; sourceIp: string; userAgent: string };
    requestId: string;
    routeKey: string;
    stage: string;
    time: string;
    timeEpoch: number;
  };
  /** The parameters of the path, decoded. */
  pathParameters?: Record<string, string>;
  stageVariables?: Record<string, string>;
  body?: string;
  isBase64Encoded: boolean;
};

/** The data that an authorizer of an HTTP API passes on: the claims of a JSON web token, or the context of a function. */
export type HttpAuthorizer = {
  jwt?: { claims: Record<string, string>; scopes: string[] };
  lambda?: Record<string, string | number | boolean>;
};

/**
 * Makes the event of an HTTP API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function httpEvent(exchange: HttpExchange): HttpEvent {
  const { stage = "$default", claims, authorizer, stageVariables } = exchange;
  const match = routeOf(exchange, pathBelowStage(exchange, stage));
  const parameters = match?.parameters &&
    Object.entries(match.parameters).map(([name, value]) => [name, decodePart(value)] as const);
  const path = exchange.path.split("/").map(decodePart).join("/");
  const event = payload2(exchange, stage, match?.key ?? "$default", path);
  delete event.headers["cookie"];
  if (claims) event.requestContext.authorizer = { jwt: { claims: { ...claims }, scopes: [] } };
  else if (authorizer) event.requestContext.authorizer = { lambda: { ...authorizer } };
  return {
    ...event,
    ...(parameters && { pathParameters: Object.fromEntries(parameters) }),
    ...(stageVariables && { stageVariables: { ...stageVariables } }),
  };
}

/**
 * Makes the event of a Lambda function URL.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
export function urlEvent(exchange: HttpExchange): HttpEvent {
  const event = payload2(exchange, "$default", "$default", exchange.path);
  event.requestContext.accountId = "anonymous";
  return event;
}

function payload2(
  exchange: HttpExchange,
  stage: string,
  routeKey: string,
  rawPath: string,
): HttpEvent {
  const { method, host, query, time } = exchange;
  const headers = joinValues(valuesOf(forwardedHeaders(exchange)));
  const cookies = headers["cookie"]?.split(/[;,]\s*/).filter((cookie) => cookie !== "");
  const parameters = parametersOf(query);
  const { length } = exchange.body;
  return {
    version: "2.0",
    routeKey,
    rawPath,
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers: { ...headers, ...(length > 0 && { "content-length": String(length) }) },
    ...(parameters.size > 0 && { queryStringParameters: joinValues(parameters) }),
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId: exchange.apiId ?? apiIdOf(host),
      domainName: host,
      domainPrefix: host.replace(/[.:].*/, ""),
      http: {
        method,
        path: rawPath,
        protocol: exchange.protocol,
        sourceIp: exchange.sourceIp,
        userAgent: exchange.headers.get("user-agent")?.values.at(-1) ?? "",
      },
      requestId: exchange.requestId,
      routeKey,
      stage,
      time: logTime(time),
      timeEpoch: time.getTime(),
    },
    isBase64Encoded: false,
    ...encodeBody(exchange, false),
  };
}
