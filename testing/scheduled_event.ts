import type { JsonValue } from "../function/json.ts";
import { ACCOUNT_ID, REGION } from "./identifiers.ts";

/**
 * The values of the accessors of `FnBridgePutEvent`.
 *
 * @typeParam DetailType The type of the event.
 */
export interface ScheduledEventInit<DetailType extends string = string> {
  /** The service that sends the event. */
  readonly source?: string;
  /** The type of the event. */
  readonly detailType?: DetailType;
  /** The content of the event. */
  readonly detail?: unknown;
  /** The identifier of the event. */
  readonly id?: string;
  /** The account. */
  readonly account?: string;
  /** The region. */
  readonly region?: string;
  /** The ARNs of the resources that the event is about. */
  readonly resources?: readonly string[];
  /** The time of the event. */
  readonly time?: Date;
  /** The version of the envelope. */
  readonly version?: string;
}

/**
 * An event of Amazon EventBridge.
 *
 * @typeParam DetailType The type of the event.
 */
export interface ScheduledEvent<DetailType extends string = string> {
  /** The version of the envelope. */
  version: string;
  /** The identifier of the event. */
  id: string;
  /** The type of the event. */
  "detail-type": DetailType;
  /** The service that sends the event. */
  source: string;
  /** The account. */
  account: string;
  /** The time (RFC 3339). */
  time: string;
  /** The region. */
  region: string;
  /** The ARNs of the resources that the event is about. */
  resources: string[];
  /** The content of the event. */
  // deno-lint-ignore no-explicit-any -- any JSON
  detail: any;
}

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
