import type { JsonObject } from "../../../function/json.ts";
import { isObject, own, specificationError } from "../../../function/read.ts";
import { ALB } from "./alb.ts";
import type { Format } from "./format.ts";
import { HTTP } from "./http.ts";
import { LATTICE } from "./lattice.ts";
import { REST } from "./rest.ts";

/** Recognises the format of an event by the keys that only one gateway sends. Any other event counts as REST. */
export function recogniseFormat(event: JsonObject): Format {
  const context = own(event, "requestContext");
  const known = isObject(context) ? context : {};
  return [ALB, HTTP, LATTICE].find((format) => format.matches(event, known)) ?? REST;
}

/** Keys of which every HTTP event has at least one. */
const HTTP_KEYS = ["requestContext", "headers", "multiValueHeaders", "httpMethod", "path", "body"]
  .concat("method", "rawPath", "queryStringParameters", "multiValueQueryStringParameters");

/**
 * Recognises the format of an HTTP event.
 *
 * @throws {CloudEventSpecificationError} If another AWS service sent the event. The message names the service.
 */
export function formatOf(event: JsonObject): Format {
  const service = HTTP_KEYS.some((key) => Object.hasOwn(event, key)) ? undefined : senderOf(event);
  if (service === undefined) return recogniseFormat(event);
  throw specificationError(
    ["requestContext"],
    `is absent: this looks like an event of ${service}, not like an HTTP request`,
  );
}

const SERVICES = [["aws:s3", "Amazon S3"], ["aws:sns", "Amazon SNS"], ["aws:sqs", "Amazon SQS"]];

function senderOf(event: JsonObject): string | undefined {
  const records = own(event, "Records");
  if (records !== undefined) {
    const record = Array.isArray(records) && isObject(records[0]) ? records[0] : {};
    const source = own(record, "eventSource") ?? own(record, "EventSource");
    return SERVICES.find(([name]) => name === source)?.[1] ?? "a service that sends records";
  }
  const isEnvelope = own(event, "source") !== undefined && own(event, "detail") !== undefined;
  return isEnvelope ? "Amazon EventBridge" : undefined;
}
