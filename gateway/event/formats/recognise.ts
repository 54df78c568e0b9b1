import type { JsonObject } from "../../../function/json.ts";
import { isObject, own, specificationError } from "../../../function/read.ts";
import { ALB } from "./alb.ts";
import type { Format } from "./format.ts";
import { HTTP } from "./http.ts";
import { LATTICE } from "./lattice.ts";
import { REST } from "./rest.ts";

const FORMATS = [ALB, HTTP, LATTICE];

/** The event of the last call and its format, because each accessor asks again. */
let lastEvent: JsonObject | undefined;
let lastFormat = REST;

/** Recognises the format of an event by the keys that only one gateway sends. Any other event counts as REST. */
export function recogniseFormat(event: JsonObject): Format {
  if (event === lastEvent) return lastFormat;
  const context = own(event, "requestContext");
  if (!isObject(context)) return REST;
  for (const format of FORMATS) {
    const isSigned = own(context, format.sign!) !== undefined;
    const isVersion = format.version === undefined || own(event, "version") === format.version;
    if (isSigned && isVersion) return format;
  }
  return REST;
}

/**
 * Recognises the format of an HTTP event.
 *
 * @throws {CloudEventSpecificationError} If another AWS service sent the event. The message says which.
 */
export function formatOf(event: JsonObject): Format {
  if (event === lastEvent) return lastFormat;
  const sender = senderOf(event);
  if (sender === undefined) {
    [lastEvent, lastFormat] = [event, recogniseFormat(event)];
    return lastFormat;
  }
  throw specificationError(
    ["requestContext"],
    `is absent: this looks like an event of "${sender}"`,
  );
}

/** Finds the service that sent an event of Amazon EventBridge or an event of records, unless it looks like a request. */
function senderOf(event: JsonObject): unknown {
  if ((own(event, "requestContext") ?? own(event, "headers")) !== undefined) return undefined;
  const records = own(event, "Records");
  if (records === undefined) return own(event, "detail") && own(event, "source");
  const { eventSource, EventSource = "Records" } = Object(Object(records)[0]);
  return eventSource ?? EventSource;
}
