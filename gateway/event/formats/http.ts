import {
  read,
  readOptional,
  readOptionalObject,
  readOptionalString,
  readString,
  wrongType,
} from "../../../function/read.ts";
import { readAuthorizerContext } from "./authorizer.ts";
import { parseQuery, readMap } from "./entries.ts";
import type { Format } from "./format.ts";

const CLAIMS = ["requestContext", "authorizer", "jwt", "claims"] as const;

/** Payload 2.0: an API Gateway HTTP API, or a Lambda function URL. */
export const HTTP: Format = {
  name: "http",
  sign: "http",
  version: "2.0",
  sourceIp: ["requestContext", "http", "sourceIp"],
  method: ["requestContext", "http", "method"],
  protocol: ["requestContext", "http", "protocol"],
  userAgent: ["requestContext", "http", "userAgent"],
  domainName: ["requestContext", "domainName"],
  requestId: ["requestContext", "requestId"],
  path: (event) => readString(event, ["rawPath"]),
  // A function URL does not decode the path. On the local platform, it has a host below localhost.
  isPathDecoded: (event) =>
    readOptionalString(event, ["requestContext", "accountId"]) !== "anonymous" &&
    !readOptionalString(event, ["requestContext", "domainName"])?.includes(".lambda-url."),
  routeKey: (event) => readString(event, ["routeKey"]),
  headers: (event, wanted) => {
    read(event, ["headers"]); // always sent
    const headers = readMap(event, "headers", false, wanted) ?? [];
    const cookies = readOptional(event, ["cookies"]);
    if (cookies === null || (wanted ?? "cookie") !== "cookie") return headers;
    if (!Array.isArray(cookies)) throw wrongType(["cookies"], cookies, "an array or null");
    // A function URL sends the cookies twice.
    return headers.filter(([name]) => name !== "cookie")
      .concat(cookies.map((_, index) => ["cookie", readString(event, ["cookies", index])]));
  },
  rawQuery: (event) => readOptionalString(event, ["rawQueryString"]),
  query: (event) => parseQuery(readOptionalString(event, ["rawQueryString"]) ?? ""),
  body: (event) => readOptionalString(event, ["body"]),
  claims: CLAIMS,
  authorizer: (event) =>
    readOptionalObject(event, CLAIMS) ??
      readAuthorizerContext(event, ["requestContext", "authorizer", "lambda"]) ??
      readOptionalObject(event, ["requestContext", "authorizer", "iam"]),
};
