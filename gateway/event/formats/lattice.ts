import { own, read, readOptional, readString } from "../../../function/read.ts";
import { readIdentity } from "./authorizer.ts";
import { parseQuery, readMap } from "./entries.ts";
import type { Format } from "./format.ts";

const path = (event: Parameters<Format["path"]>[0]) =>
  readString(event, ["path"]).replace(/\?.*$/s, "");

/** The events of Amazon VPC Lattice, version 2. */
export const LATTICE: Format = {
  name: "lattice",
  gateway: "Amazon VPC Lattice",
  matches: (event, context) =>
    own(event, "version") === "2.0" && own(context, "serviceNetworkArn") !== undefined,
  sourceIp: "x-forwarded-for",
  method: ["method"],
  protocol: null,
  userAgent: "user-agent",
  domainName: "host",
  path,
  routePath: path,
  isPathDecoded: () => false,
  requestId: "x-amzn-trace-id",
  routeKey: () => null,
  headers: (event, isSelected) => {
    read(event, ["headers"]); // always sent
    return readMap(event, "headers", "texts or lists", isSelected) ?? [];
  },
  query: (event) => {
    const query = /\?(.*)$/s.exec(readString(event, ["path"]))?.[1];
    if (query !== undefined) return parseQuery(query);
    return readMap(event, "queryStringParameters", "texts or lists") ?? [];
  },
  body: (event) => readOptional(event, ["body"]),
  claims: null,
  authorizer: (event) => readIdentity(event, "principal"),
};
