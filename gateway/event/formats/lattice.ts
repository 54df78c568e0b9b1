import { read, readOptionalString, readString } from "../../../function/read.ts";
import { readIdentity } from "./authorizer.ts";
import { parseQuery, readMap } from "./entries.ts";
import type { Format } from "./format.ts";

/** The events of Amazon VPC Lattice, version 2. */
export const LATTICE: Format = {
  name: "lattice",
  sign: "serviceNetworkArn",
  version: "2.0",
  sourceIp: ["headers", "x-forwarded-for"],
  method: ["method"],
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  requestId: ["headers", "x-amzn-trace-id"],
  path: (event) => readString(event, ["path"]).split("?")[0]!,
  headers: (event, wanted) => {
    read(event, ["headers"]); // always sent
    return readMap(event, "headers", "both", wanted) ?? [];
  },
  query: (event) => {
    const [, ...query] = readString(event, ["path"]).split("?");
    if (query.length > 0) return parseQuery(query.join("?"));
    return readMap(event, "queryStringParameters", "both") ?? [];
  },
  body: (event) => readOptionalString(event, ["body"]),
  authorizer: (event) => readIdentity(event, "principal"),
};
