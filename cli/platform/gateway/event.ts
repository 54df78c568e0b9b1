import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ACCOUNT_ID, createTraceId } from "../arn.ts";
import { requestTime } from "./request_time.ts";
import type { RouteMatch } from "./routes.ts";

/** An HTTP request, as read from the wire. */
export interface HttpRequest {
  readonly method: string;
  /** The path as transmitted, the stage included. */
  readonly path: string;
  /** The query as transmitted, without `?`; empty if there is none. */
  readonly query: string;
  /** The host of the request, and perhaps a port. It takes precedence over the `Host` header. */
  readonly authority: string;
  /** The names and values of the headers, in turn, as transmitted. */
  readonly rawHeaders: readonly string[];
  /** The protocol, such as `HTTP/1.1`. */
  readonly protocol: string;
  /** The IP address of the client. */
  readonly sourceIp: string;
  /** The port that the client connected to. */
  readonly port: number;
  /** The body; empty if there is none. */
  readonly body: Uint8Array;
  readonly time: Date;
}

/** The event of a REST API with Lambda proxy integration. */
export type ProxyEvent = ReturnType<typeof createProxyEvent>;

/** The API that handles a request. */
export interface Api {
  /** The name of the application. */
  readonly name: string;
  readonly stage: string;
}

/** The identifiers of a request, in its event and in the headers of its response. */
export interface RequestIds {
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/** Request headers that the gateway does not pass on. */
const DROPPED: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-md5",
  "expect",
  "max-forwards",
  "proxy-authenticate",
  "server",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "www-authenticate",
]);

/**
 * Makes the event of a REST API with Lambda proxy integration (payload format 1.0) and `binaryMediaTypes: ["*\/*"]`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function createProxyEvent(
  request: HttpRequest,
  match: RouteMatch,
  path: string,
  api: Api,
  { requestId, extendedRequestId }: RequestIds,
) {
  const headers = readHeaders(request);
  const parameters = readQuery(request.query);
  const domainName = request.authority.toLowerCase();
  const { resource } = match.route;
  return {
    resource,
    path,
    httpMethod: request.method,
    headers: Object.fromEntries([...headers.values()].map((h) => [h.name, h.values.at(-1)!])),
    multiValueHeaders: Object.fromEntries([...headers.values()].map((h) => [h.name, h.values])),
    queryStringParameters: parameters &&
      Object.fromEntries([...parameters].map(([name, values]) => [name, values.at(-1)!])),
    multiValueQueryStringParameters: parameters && Object.fromEntries(parameters),
    pathParameters: match.pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId: shortId(api.name, 10),
      deploymentId: shortId(`${api.name} ${api.stage}`, 6),
      domainName,
      domainPrefix: domainName.replace(/[.:].*/, ""),
      extendedRequestId,
      httpMethod: request.method,
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: request.sourceIp,
        user: null,
        userAgent: headers.get("user-agent")?.values.at(-1) ?? null,
        userArn: null,
      },
      path: request.path,
      protocol: request.protocol,
      requestId,
      requestTime: requestTime(request.time),
      requestTimeEpoch: request.time.getTime(),
      resourceId: shortId(resource, 6),
      resourcePath: resource,
      stage: api.stage,
    },
    body: request.body.length === 0 ? null : Buffer.from(request.body).toString("base64"),
    isBase64Encoded: request.body.length > 0,
  };
}

/** A header that may be repeated, under the first spelling of its name. */
interface Header {
  readonly name: string;
  readonly values: string[];
}

/** The headers by lower-case name: the client's, and those that the gateway adds. */
function readHeaders(request: HttpRequest): ReadonlyMap<string, Header> {
  const headers = new Map<string, Header>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]!;
    const key = name.toLowerCase();
    if (DROPPED.has(key)) continue;
    const known = headers.get(key);
    if (known) known.values.push(request.rawHeaders[i + 1]!);
    else headers.set(key, { name, values: [request.rawHeaders[i + 1]!] });
  }
  const set = (name: string, value: string) => {
    headers.set(name.toLowerCase(), { name, values: [value] });
  };
  set(headers.get("host")?.name ?? "Host", request.authority);
  const trace = headers.get("x-amzn-trace-id")?.values.at(-1);
  set("X-Amzn-Trace-Id", trace ?? createTraceId(request.time));
  const hops = headers.get("x-forwarded-for")?.values ?? [];
  set("X-Forwarded-For", [...hops, request.sourceIp].join(", "));
  set("X-Forwarded-Port", String(request.port));
  set("X-Forwarded-Proto", "http");
  return headers;
}

/**
 * The parameters of a query, decoded; `null` if there are none. A semicolon separates like `&`, as the documentation of the
 * gateway warns.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html#api-gateway-known-issues-rest-apis
 */
function readQuery(query: string): ReadonlyMap<string, string[]> | null {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query.replaceAll(";", "&"))) {
    const known = parameters.get(name);
    if (known) known.push(value);
    else parameters.set(name, [value]);
  }
  return parameters.size === 0 ? null : parameters;
}

/** An identifier of lower-case letters and digits. The same text always has the same identifier. */
function shortId(text: string, length: number): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 24);
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length);
}
