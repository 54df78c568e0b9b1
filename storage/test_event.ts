import type { JsonObject } from "../function/mod.ts";
import { own } from "../function/read.ts";

/** Whether an event is what the service sends when notifications are set up, which is no notification. */
export function isTestEvent(event: JsonObject): boolean {
  return own(event, "Event") === "s3:TestEvent" && own(event, "Records") === undefined;
}
