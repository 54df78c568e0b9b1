import { FnEvent, type JsonValue, type StandardSchema } from "../function/mod.ts";
import { parseJson, read, readString, readTime, wrongType } from "../function/read.ts";
import { validateAt } from "../function/schema.ts";

/**
 * The event of a rule of Amazon EventBridge, or of a schedule of EventBridge Scheduler.
 *
 * Every accessor raises a `CloudEventSpecificationError` if its key is absent or of the wrong type. A target with its
 * own input receives that input and nothing else, so all accessors raise: read `rawEvent` instead.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html
 *
 * @example A schedule
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnBridgePutEvent } from "@mate/core/scheduler";
 * import { scheduledEvent } from "@mate/core/testing";
 *
 * const event = new FnBridgePutEvent(scheduledEvent({ time: new Date("2026-03-01T09:05:00Z") }));
 * assertEquals(event.time().getUTCHours(), 9);
 * assertEquals(event.detail(), {});
 * ```
 */
export class FnBridgePutEvent extends FnEvent {
  /** The sender (`source`): `aws.scheduler` for EventBridge Scheduler, `aws.events` for a scheduled rule. */
  source(): string {
    return readString(this.rawEvent, ["source"]);
  }

  /** The kind of the event (`detail-type`), such as `Scheduled Event`. */
  detailType(): string {
    return readString(this.rawEvent, ["detail-type"]);
  }

  /**
   * The content of the event (`detail`): any JSON value. EventBridge Scheduler sends JSON in a string, which is parsed.
   * A string that is not JSON raises an error that does not show the string.
   */
  detail(): JsonValue;
  /** The content of the event, validated. Content that the schema refuses raises an error. */
  detail<Output>(schema: StandardSchema<Output>): Output;
  detail(schema?: StandardSchema): unknown {
    const raw = read(this.rawEvent, ["detail"]);
    const detail = typeof raw === "string" ? parseJson(raw, ["detail"]) : raw;
    return validateAt(schema, detail, ["detail"]);
  }

  /** The identifier of the event (`id`). */
  id(): string {
    return readString(this.rawEvent, ["id"]);
  }

  /** The number of the account that sent the event (`account`). */
  account(): string {
    return readString(this.rawEvent, ["account"]);
  }

  /** The region that the event comes from (`region`). */
  region(): string {
    return readString(this.rawEvent, ["region"]);
  }

  /** The ARNs of the resources that the event is about (`resources`), such as the rule or the schedule. */
  resources(): readonly string[] {
    const resources = read(this.rawEvent, ["resources"]);
    if (!Array.isArray(resources)) throw wrongType(["resources"], resources, "an array");
    return resources.map((_, index) => readString(this.rawEvent, ["resources", index]));
  }

  /** The time of the event (`time`, RFC 3339). For a schedule, this is the time when it was due. */
  time(): Date {
    return readTime(this.rawEvent, ["time"]);
  }

  /** The version of the envelope (`version`): `0`. */
  version(): string {
    return readString(this.rawEvent, ["version"]);
  }
}
