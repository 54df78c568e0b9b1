import type { JsonObject } from "../../function/mod.ts";

/** A request of a client, from which every gateway makes its event. */
export interface ClientRequest {
  readonly method: string;
  readonly host: string;
  /** The parts of the path, decoded. */
  readonly path: readonly string[];
  /** The parameters of the query, decoded. */
  readonly query: readonly (readonly [string, string])[];
  /** The header fields, without `Cookie` and `Host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
}

const ADDRESS = "198.51.100.17";

/** Makes the events of a REST API, an HTTP API, a function URL, a load balancer and VPC Lattice for one request. */
export function fiveEvents(request: ClientRequest): Record<string, JsonObject> {
  const { method, host, query, cookies, body, isBase64Encoded } = request;
  const path = `/${request.path.map(encodeURIComponent).join("/")}`;
  const headers: Record<string, string> = {
    ...request.headers,
    "host": host,
    "user-agent": "test/1",
    "x-forwarded-for": `203.0.113.9, ${ADDRESS}`,
    "x-forwarded-proto": "https",
  };
  const withCookie = cookies.length === 0 ? headers : { ...headers, cookie: cookies.join("; ") };
  const multiValueHeaders = mapValues(withCookie, (value) => [value]);
  const encoded = query.map((pair) => pair.map(encodeURIComponent) as [string, string]);
  const rawQueryString = encoded.map((pair) => pair.join("=")).join("&");
  const decodedLists = group(query);
  const common = { body, isBase64Encoded };
  const rest = {
    ...common,
    path,
    httpMethod: method,
    resource: "/{proxy+}",
    headers: mapKeys(withCookie, (name) => name.toUpperCase()),
    multiValueHeaders: mapKeys(multiValueHeaders, (name) => name.toUpperCase()),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : decodedLists,
    requestContext: {
      path,
      httpMethod: method,
      domainName: host,
      identity: { sourceIp: ADDRESS, userAgent: "test/1" },
    },
  };
  const http = (domainName: string, rawPath: string, headers: JsonObject) => ({
    ...common,
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers,
    ...(cookies.length === 0 ? {} : { cookies: [...cookies] }),
    requestContext: {
      domainName,
      stage: "$default",
      http: { method, path: rawPath, sourceIp: ADDRESS, userAgent: "test/1" },
    },
  });
  const alb = {
    ...common,
    httpMethod: method,
    path,
    multiValueHeaders,
    multiValueQueryStringParameters: group(encoded),
    requestContext: { elb: { targetGroupArn: "arn" } },
  };
  const lattice = {
    ...common,
    version: "2.0",
    method,
    path: rawQueryString === "" ? path : `${path}?${rawQueryString}`,
    headers: multiValueHeaders,
    requestContext: { serviceNetworkArn: "arn", serviceArn: "arn" },
  };
  return {
    rest,
    http: http(host, `/${request.path.join("/")}`, headers),
    url: http(`${host}.lambda-url.eu-central-1.on.aws`, path, withCookie),
    alb,
    lattice,
  };
}

function group(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = new Map<string, string[]>(pairs.map(([name]) => [name, []]));
  for (const [name, value] of pairs) groups.get(name)!.push(value);
  return Object.fromEntries(groups);
}

function mapValues<A, B>(map: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

function mapKeys<A>(map: Record<string, A>, change: (name: string) => string): Record<string, A> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [change(name), value]));
}
