import { ACCOUNT_ID, randomBase64, randomLetters } from "./identifiers.ts";
import {
  encodeBody,
  forwardedHeaders,
  type HttpExchange,
  lastValues,
  logTime,
  parametersOf,
  pathBelowStage,
  routeOf,
} from "./http_facts.ts";

/** The event of an Amazon API Gateway REST API (payload format 1.0). Parameters of the query are decoded. */
export type RestEvent = {
  /** The resource that handles the request, such as `/orders/{id}`. */
  resource: string;
  /** The path below the stage. */
  path: string;
  httpMethod: string;
  headers: Record<string, string>;
  multiValueHeaders: Record<string, string[]>;
  queryStringParameters: Record<string, string> | null;
  multiValueQueryStringParameters: Record<string, string[]> | null;
  /** The parameters of the path, as transmitted. */
  pathParameters: Record<string, string> | null;
  stageVariables: Record<string, string> | null;
  requestContext: {
    accountId: string;
    apiId: string;
    // deno-lint-ignore no-explicit-any -- an authorizer may pass on anything
    authorizer: Record<string, any> | null;
    deploymentId: string;
    domainName: string;
    domainPrefix: string;
    extendedRequestId: string;
    httpMethod: string;
    identity:
      & { sourceIp: string; userAgent: string | null }
      & Record<
        | "accessKey"
        | "accountId"
        | "apiKey"
        | "apiKeyId"
        | "caller"
        | "clientCert"
        | "cognitoAuthenticationProvider"
        | "cognitoAuthenticationType"
        | "cognitoIdentityId"
        | "cognitoIdentityPoolId"
        | "principalOrgId"
        | "user"
        | "userArn",
        null
      >;
    path: string;
    protocol: string;
    requestId: string;
    requestTime: string;
    requestTimeEpoch: number;
    resourceId: string;
    resourcePath: string;
    stage: string;
  };
  body: string | null;
  isBase64Encoded: boolean;
};

/** Header fields that a REST API does not pass on. */
const DROPPED =
  "connection content-length content-md5 expect max-forwards proxy-authenticate server te trailer transfer-encoding upgrade www-authenticate"
    .split(" ");

/**
 * Makes the event of a REST API.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function restEvent(exchange: HttpExchange): RestEvent {
  const { method, host, stage = "prod", time, stageVariables, claims, authorizer } = exchange;
  const path = pathBelowStage(exchange, stage);
  const match = routeOf(exchange, path);
  const proxy = path === "/" ? null : { proxy: path.slice(1) };
  const resource = match?.resource ?? (proxy ? "/{proxy+}" : "/");
  const fields = [...forwardedHeaders(exchange)].filter(([key]) => !DROPPED.includes(key))
    .map(([, { name, values }]) => [name, [...values]] as const);
  // A semicolon separates parameters too.
  const parameters = parametersOf(exchange.query.replaceAll(";", "&"));
  const hasQuery = parameters.size > 0;
  return {
    resource,
    path,
    httpMethod: method,
    headers: lastValues(new Map(fields)),
    multiValueHeaders: Object.fromEntries(fields) as Record<string, string[]>,
    queryStringParameters: hasQuery ? lastValues(parameters) : null,
    multiValueQueryStringParameters: hasQuery ? Object.fromEntries(parameters) : null,
    pathParameters: match ? match.parameters : proxy,
    stageVariables: stageVariables ? { ...stageVariables } : null,
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId: exchange.apiId ?? apiIdOf(host),
      authorizer: claims
        ? { claims: { ...claims } }
        : authorizer
        ? { principalId: "user", integrationLatency: 12, ...authorizer }
        : null,
      deploymentId: randomLetters(6),
      domainName: host,
      domainPrefix: host.replace(/[.:].*/, ""),
      extendedRequestId: exchange.extendedRequestId ?? randomBase64(11),
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        user: null,
        userArn: null,
        sourceIp: exchange.sourceIp,
        userAgent: exchange.headers.get("user-agent")?.values.at(-1) ?? null,
      },
      path: exchange.path,
      protocol: exchange.protocol,
      requestId: exchange.requestId,
      requestTime: logTime(time),
      requestTimeEpoch: time.getTime(),
      resourceId: randomLetters(6),
      resourcePath: resource,
      stage,
    },
    body: null,
    isBase64Encoded: false,
    ...encodeBody(exchange, true),
  };
}

/** The identifier of an API is the first label of its host. */
export function apiIdOf(host: string): string {
  return host.includes(".execute-api.") || host.includes(".lambda-url.")
    ? host.split(".")[0]!
    : randomLetters(10);
}
