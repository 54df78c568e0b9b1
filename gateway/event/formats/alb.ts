import { read, readOptionalString, readString } from "../../../function/read.ts";
import { decodeForm, readEither } from "./entries.ts";
import type { Format } from "./format.ts";

/** The events of an Application Load Balancer. */
export const ALB: Format = {
  name: "alb",
  sign: "elb",
  sourceIp: ["headers", "x-forwarded-for"],
  method: ["httpMethod"],
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  requestId: ["headers", "x-amzn-trace-id"],
  path: (event) => readString(event, ["path"]),
  headers: (event, wanted) => {
    if (!Object.hasOwn(event, "multiValueHeaders")) read(event, ["headers"]); // one of both is always sent
    return readEither(event, "multiValueHeaders", "headers", wanted);
  },
  query: (event) =>
    readEither(event, "multiValueQueryStringParameters", "queryStringParameters")
      .map(([name, value]) => [decodeForm(name), decodeForm(value)]),
  body: (event) => readOptionalString(event, ["body"]) || null,
};
