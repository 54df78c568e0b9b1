import { own, read, readOptional, readString } from "../../../function/read.ts";
import { decodeForm, readMap } from "./entries.ts";
import type { Format } from "./format.ts";

const path = (event: Parameters<Format["path"]>[0]) => readString(event, ["path"]);

/** The events of an Application Load Balancer. */
export const ALB: Format = {
  name: "alb",
  gateway: "an Application Load Balancer",
  matches: (_event, context) => own(context, "elb") !== undefined,
  sourceIp: "x-forwarded-for",
  method: ["httpMethod"],
  protocol: null,
  userAgent: "user-agent",
  domainName: "host",
  path,
  routePath: path,
  isPathDecoded: () => false,
  requestId: "x-amzn-trace-id",
  routeKey: () => null,
  headers: (event, isSelected) => {
    const lists = readMap(event, "multiValueHeaders", "lists", isSelected);
    if (lists === undefined) read(event, ["headers"]); // one of both is always sent
    return lists ?? readMap(event, "headers", "texts", isSelected) ?? [];
  },
  query: (event) => {
    const encoded = readMap(event, "multiValueQueryStringParameters", "lists") ??
      readMap(event, "queryStringParameters", "texts") ?? [];
    return encoded.map(([name, value]) => [decodeForm(name), decodeForm(value)]);
  },
  body: (event) => readOptional(event, ["body"]) || null,
  claims: null,
  authorizer: () => null,
};
