import type { JsonValue } from "../function/json.ts";
import { ACCOUNT_ID, REGION } from "./identifiers.ts";

/**
 * The values of the accessors of `FnBridgePutEvent`.
 *
 * @typeParam DetailType The type of the event.
 */
export type ScheduledEventInit<DetailType extends string = string> = {
  readonly source?: string;
  readonly detailType?: DetailType;
  readonly detail?: unknown;
  readonly id?: string;
  readonly account?: string;
  readonly region?: string;
  readonly resources?: readonly string[];
  readonly time?: Date;
  readonly version?: string;
};

/**
 * An event of Amazon EventBridge.
 *
 * @typeParam DetailType The type of the event.
 */
export type ScheduledEvent<DetailType extends string = string> = {
  version: string;
  id: string;
  "detail-type": DetailType;
  source: string;
  account: string;
  time: string;
  region: string;
  resources: string[];
  // deno-lint-ignore no-explicit-any -- any JSON
  detail: any;
};

/**
 * Makes an event of Amazon EventBridge, as a rule with a schedule sends it.
 *
 * @typeParam DetailType The type of the event.
 * @param init The values that the test cares about.
 * @returns The event.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
 *
 * @example Test a function that runs every night
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnBridgePutEvent } from "@mate/core/scheduler";
 * import { scheduledEvent } from "@mate/core/testing";
 *
 * const event = new FnBridgePutEvent(scheduledEvent({ time: new Date("2026-03-01T02:00:00Z") }));
 * assertEquals([event.source(), event.time().getUTCHours()], ["aws.events", 2]);
 * ```
 */
export function scheduledEvent<DetailType extends string = "Scheduled Event">(
  init: ScheduledEventInit<DetailType> = {},
): ScheduledEvent<DetailType> {
  const { region = REGION, account = ACCOUNT_ID, time = new Date() } = init;
  return {
    version: init.version ?? "0",
    id: init.id ?? crypto.randomUUID(),
    "detail-type": init.detailType ?? "Scheduled Event" as DetailType,
    source: init.source ?? "aws.events",
    account,
    time: time.toISOString().replace(/\.\d+/, ""),
    region,
    resources: [...init.resources ?? [`arn:aws:events:${region}:${account}:rule/schedule`]],
    detail: init.detail === undefined ? {} : init.detail as JsonValue,
  };
}
