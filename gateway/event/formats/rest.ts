import {
  own,
  read,
  readOptionalObject,
  readOptionalString,
  readString,
} from "../../../function/read.ts";
import { readAuthorizerContext, readIdentity } from "./authorizer.ts";
import { readEither } from "./entries.ts";
import type { Format } from "./format.ts";

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
  path: (event) => readString(event, ["requestContext", "path"]),
  routePath: ["path"],
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
  body: (event) => readOptionalString(event, ["body"], 1), // always sent
  claims: CLAIMS,
  authorizer: (event) =>
    readOptionalObject(event, CLAIMS) ?? readAuthorizerContext(event, AUTHORIZER) ??
      readIdentity(event, "userArn"),
};
