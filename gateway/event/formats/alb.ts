import { read, readOptionalString, readString } from "../../../function/read.ts";
import { decodeForm, readEither } from "./entries.ts";
import type { Format } from "./format.ts";
import { HEADER_FACTS } from "./header_facts.ts";

const path = (event: Parameters<Format["path"]>[0]) => readString(event, ["path"]);

/** The events of an Application Load Balancer. */
export const ALB: Format = {
  name: "alb",
  sign: "elb",
  ...HEADER_FACTS,
  method: ["httpMethod"],
  path,
  routePath: path,
  headers: (event, wanted) => {
    if (!Object.hasOwn(event, "multiValueHeaders")) read(event, ["headers"]); // one of both is always sent
    return readEither(event, "multiValueHeaders", "headers", wanted);
  },
  query: (event) =>
    readEither(event, "multiValueQueryStringParameters", "queryStringParameters")
      .map(([name, value]) => [decodeForm(name), decodeForm(value)]),
  body: (event) => readOptionalString(event, ["body"]) || null,
};
