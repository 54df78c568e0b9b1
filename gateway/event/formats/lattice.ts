import { read, readOptionalString, readString } from "../../../function/read.ts";
import { readIdentity } from "./authorizer.ts";
import { parseQuery, readMap } from "./entries.ts";
import type { Format } from "./format.ts";
import { HEADER_FACTS } from "./header_facts.ts";

const path = (event: Parameters<Format["path"]>[0]) => readString(event, ["path"]).split("?")[0]!;

/** The events of Amazon VPC Lattice, version 2. */
export const LATTICE: Format = {
  name: "lattice",
  sign: "serviceNetworkArn",
  version: "2.0",
  ...HEADER_FACTS,
  method: ["method"],
  path,
  routePath: path,
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
