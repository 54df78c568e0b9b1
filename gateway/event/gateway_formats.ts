import {
  isObject,
  type JsonObject,
  own,
  read,
  readOptionalObject,
  readOptionalString,
  readString,
  specificationError,
  wrongType,
} from "../../function/read.ts";
import {
  decodeForm,
  findEither,
  findMap,
  type Format,
  parseQuery,
  readAuthorizerContext,
  readIdentity,
  readPairs,
} from "./format.ts";

/** The keys of the decoded parameters of the query: those with lists of values, and those with the last value. */
const QUERIES = ["multiValueQueryStringParameters", "queryStringParameters"] as const;

/** The events of an Application Load Balancer. */
const ALB: Format = {
  name: "alb",
  sign: "elb",
  method: ["httpMethod"],
  sourceIp: ["headers", "x-forwarded-for"],
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  requestId: ["headers", "x-amzn-trace-id"],
  path: (event) => readString(event, ["path"]),
  headers: (event) => {
    if (!Object.hasOwn(event, "multiValueHeaders")) read(event, ["headers"]); // one of both is always sent
    return findEither(event, "multiValueHeaders", "headers");
  },
  query: (event) =>
    readPairs(findEither(event, ...QUERIES)).map((
      [name, value],
    ) => [decodeForm(name), decodeForm(value)]),
  body: (event) => readOptionalString(event, ["body"]) || null,
};

const JWT_CLAIMS = ["requestContext", "authorizer", "jwt", "claims"] as const;

/** Payload 2.0: an API Gateway HTTP API, or a Lambda function URL. */
const HTTP: Format = {
  name: "http",
  sign: "http",
  version: "2.0",
  method: ["requestContext", "http", "method"],
  sourceIp: ["requestContext", "http", "sourceIp"],
  userAgent: ["requestContext", "http", "userAgent"],
  protocol: ["requestContext", "http", "protocol"],
  domainName: ["requestContext", "domainName"],
  requestId: ["requestContext", "requestId"],
  path: (event) => readString(event, ["rawPath"]),
  // A function URL does not decode the path. On the local platform, it has a host below localhost.
  isPathDecoded: (event) =>
    readOptionalString(event, ["requestContext", "accountId"]) !== "anonymous" &&
    !readOptionalString(event, ["requestContext", "domainName"])?.includes(".lambda-url."),
  routeKey: (event) => readString(event, ["routeKey"]),
  headers: (event, wanted) => {
    const sent = findMap(event, "headers", false, 1); // always sent
    const cookies = own(event, "cookies") ?? null;
    if (cookies === null || (wanted ?? "cookie") !== "cookie") return sent;
    if (!Array.isArray(cookies)) throw wrongType(["cookies"], cookies, "an array or null");
    // A function URL sends the cookies twice.
    const { cookie = "", ...map } = sent?.map ?? {};
    if (typeof cookie !== "string") throw wrongType(["headers", "cookie"], cookie, "a string");
    const texts = cookies.map((_, index) => readString(event, ["cookies", index]));
    return { ...sent!, map: texts.length > 0 ? { ...map, cookie: texts.join("; ") } : map };
  },
  rawQuery: (event) => readOptionalString(event, ["rawQueryString"]),
  query: (event) => parseQuery(readOptionalString(event, ["rawQueryString"]) ?? ""),
  body: (event) => readOptionalString(event, ["body"]),
  claims: JWT_CLAIMS,
  authorizer: (event) =>
    readOptionalObject(event, JWT_CLAIMS) ??
      readAuthorizerContext(event, ["requestContext", "authorizer", "lambda"]) ??
      readOptionalObject(event, ["requestContext", "authorizer", "iam"]),
};

/** The events of Amazon VPC Lattice, version 2. */
const LATTICE: Format = {
  name: "lattice",
  sign: "serviceNetworkArn",
  version: "2.0",
  method: ["method"],
  sourceIp: ["headers", "x-forwarded-for"],
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  requestId: ["headers", "x-amzn-trace-id"],
  path: (event) => readString(event, ["path"]).split("?")[0]!,
  headers: (event) => findMap(event, "headers", undefined, 1), // always sent
  query: (event) => {
    const [, ...query] = readString(event, ["path"]).split("?");
    if (query.length > 0) return parseQuery(query.join("?"));
    return readPairs(findMap(event, "queryStringParameters"));
  },
  body: (event) => readOptionalString(event, ["body"]),
  authorizer: (event) => readIdentity(event, "principal"),
};

const METHOD = ["requestContext", "httpMethod"] as const;
const CLAIMS = ["requestContext", "authorizer", "claims"] as const;

/** Payload 1.0: an API Gateway REST API, or an HTTP API that is set to 1.0. */
const REST: Format = {
  name: "rest",
  method: METHOD,
  sourceIp: ["requestContext", "identity", "sourceIp"],
  userAgent: ["requestContext", "identity", "userAgent"],
  protocol: ["requestContext", "protocol"],
  domainName: ["requestContext", "domainName"],
  requestId: ["requestContext", "requestId"],
  path: (event) => readString(event, ["requestContext", "path"]),
  routePath: ["path"],
  isPathDecoded: (event) => own(event, "version") === "1.0", // only an HTTP API sends a version
  routeKey: (event) => `${readString(event, METHOD)} ${readString(event, ["resource"])}`,
  headers: (event) => {
    read(event, ["headers"]); // always sent
    return findEither(event, "multiValueHeaders", "headers");
  },
  query: (event) => {
    read(event, ["queryStringParameters"]); // always sent
    return readPairs(findEither(event, ...QUERIES));
  },
  body: (event) => readOptionalString(event, ["body"], 1), // always sent
  claims: CLAIMS,
  authorizer: (event) =>
    readOptionalObject(event, CLAIMS) ??
      readAuthorizerContext(event, ["requestContext", "authorizer"]) ??
      readIdentity(event, "userArn"),
};

const FORMATS = [ALB, HTTP, LATTICE];

/**
 * The key of the format in an event of `@mate/core/web`. No JSON has it. It is registered, because a bundle may hold two
 * copies of the library.
 */
export const WEB_FORMAT: unique symbol = Symbol.for("@mate/core/gateway/format/3");

/** The raw event of a gateway with its format, which each accessor asks for. */
export interface GatewayEvent {
  readonly raw: JsonObject;
  readonly format: Format;
}

/** Recognises the format of an event. The event of another AWS service has a format whose name alone can be read. */
export function recogniseEvent(raw: JsonObject): GatewayEvent {
  const sender = senderOf(raw);
  return { raw, format: sender === undefined ? formatOf(raw) : foreignFormat(sender) };
}

/** Finds the format by the keys that only one gateway sends. Any other event counts as REST. */
function formatOf(event: JsonObject): Format {
  const web = (event as { [WEB_FORMAT]?: Format })[WEB_FORMAT];
  const context = own(event, "requestContext");
  if (web || !isObject(context)) return web ?? REST;
  for (const format of FORMATS) {
    const isSigned = own(context, format.sign!) !== undefined;
    if (isSigned && [undefined, own(event, "version")].includes(format.version)) return format;
  }
  return REST;
}

/** Finds the service that sent an event of Amazon EventBridge or an event of records, unless it looks like a request. */
function senderOf(event: JsonObject): unknown {
  if ((own(event, "requestContext") ?? own(event, "headers")) !== undefined) return undefined;
  const records = own(event, "Records");
  if (records === undefined) return own(event, "detail") && own(event, "source");
  const { eventSource, EventSource = "Records" } = Object(Object(records)[0]);
  return eventSource ?? EventSource;
}

/** The format of the event of another service. Whoever asks it for the place of a fact gets the error that names the service. */
function foreignFormat(sender: unknown): Format {
  return new Proxy(REST, {
    get({ name }, key) {
      if (key === "name") return name;
      const problem = `is absent: this looks like an event of "${sender}"`;
      throw specificationError(["requestContext"], problem);
    },
  });
}
