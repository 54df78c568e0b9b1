import { own, read, readOptional, readString } from "../../../function/read.ts";
import { readIdentity } from "./authorizer.ts";
import { parseQuery, readMap } from "./entries.ts";
import type { Format } from "./format.ts";
import { HEADER_FACTS } from "./header_facts.ts";

const path = (event: Parameters<Format["path"]>[0]) =>
  readString(event, ["path"]).replace(/\?.*$/s, "");

/** The events of Amazon VPC Lattice, version 2. */
export const LATTICE: Format = {
  name: "lattice",
  gateway: "Amazon VPC Lattice",
  matches: (event, context) =>
    own(event, "version") === "2.0" && own(context, "serviceNetworkArn") !== undefined,
  ...HEADER_FACTS,
  method: ["method"],
  path,
  routePath: path,
  headers: (event, wanted) => {
    read(event, ["headers"]); // always sent
    return readMap(event, "headers", "texts or lists", wanted) ?? [];
  },
  query: (event) => {
    const query = /\?(.*)$/s.exec(readString(event, ["path"]))?.[1];
    if (query !== undefined) return parseQuery(query);
    return readMap(event, "queryStringParameters", "texts or lists") ?? [];
  },
  body: (event) => readOptional(event, ["body"]),
  authorizer: (event) => readIdentity(event, "principal"),
};
