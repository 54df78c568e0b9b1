import { own, read, readOptionalString, readString } from "../../../function/read.ts";
import { readAuthorizerContext, readContextObject, readIdentity } from "./authorizer.ts";
import { readEither } from "./entries.ts";
import type { Format } from "./format.ts";

const PATH = ["requestContext", "path"] as const;
const METHOD = ["requestContext", "httpMethod"] as const;
const AUTHORIZER = ["requestContext", "authorizer"] as const;
const CLAIMS = ["requestContext", "authorizer", "claims"] as const;

/** Payload 1.0: an API Gateway REST API, or an HTTP API that is set to 1.0. */
export const REST: Format = {
  name: "rest",
  sourceIp: ["requestContext", "identity", "sourceIp"],
  method: METHOD,
  protocol: ["requestContext", "protocol"],
  userAgent: ["requestContext", "identity", "userAgent"],
  domainName: ["requestContext", "domainName"],
  requestId: ["requestContext", "requestId"],
  path: (event) => readString(event, PATH),
  routePath: (event) => {
    const path = readOptionalString(event, ["path"]);
    // An HTTP API, and a custom domain whose mapping has no stage, send the stage in both paths.
    return path === readOptionalString(event, PATH) ? null : path;
  },
  isPathDecoded: (event) => own(event, "version") === "1.0", // only an HTTP API sends a version
  routeKey: (event) => `${readString(event, METHOD)} ${readString(event, ["resource"])}`,
  headers: (event, wanted) => {
    read(event, ["headers"]); // always sent
    return readEither(event, "multiValueHeaders", "headers", wanted);
  },
  query: (event) => {
    read(event, ["queryStringParameters"]); // always sent
    return readEither(event, "multiValueQueryStringParameters", "queryStringParameters");
  },
  body: (event) => {
    read(event, ["body"]); // always sent
    return readOptionalString(event, ["body"]);
  },
  claims: CLAIMS,
  authorizer: (event) =>
    readContextObject(event, CLAIMS) ?? readAuthorizerContext(event, AUTHORIZER) ??
      readIdentity(event, "userArn"),
};
