import { FnEvent, type JsonValue } from "../function/mod.ts";
import { read, readString, specificationError, wrongType } from "../function/read.ts";
import { readTime } from "../function/rfc3339.ts";

/**
 * The event of a schedule, or of a rule of the event bus.
 *
 * Every accessor raises a `CloudEventSpecificationError` where its key is absent or of the wrong type. A
 * schedule with an input of its own sends that input and nothing else, so all of them raise: read `rawEvent`.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html
 *
 * @example A schedule that fired
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnBridgePutEvent } from "@mate/core/scheduler";
 *
 * const event = new FnBridgePutEvent({
 *   source: "aws.scheduler",
 *   "detail-type": "Scheduled Event",
 *   time: "2026-03-01T09:05:00Z",
 *   detail: "{}",
 * });
 * assertEquals(event.time().getUTCHours(), 9);
 * assertEquals(event.detail(), {});
 * ```
 */
export class FnBridgePutEvent extends FnEvent {
  /** Who sent the event (`source`): `aws.scheduler` for a schedule, `aws.events` for a rule's. */
  source(): string {
    return readString(this.rawEvent, ["source"]);
  }

  /** What kind of event it is (`detail-type`), such as `Scheduled Event`. */
  detailType(): string {
    return readString(this.rawEvent, ["detail-type"]);
  }

  /**
   * What the event is about (`detail`): any JSON value. The service for schedules sends JSON in a string,
   * which is parsed; a string that is no JSON raises an error that does not show it.
   */
  detail(): JsonValue {
    const detail = read(this.rawEvent, ["detail"]);
    if (typeof detail !== "string") return detail;
    try {
      return JSON.parse(detail);
    } catch { // its message would show the detail
      throw specificationError(["detail"], 1, "is a string that is not JSON (RFC 8259)");
    }
  }

  /** The identifier of the event (`id`). */
  id(): string {
    return readString(this.rawEvent, ["id"]);
  }

  /** The number of the account that sent the event (`account`). */
  account(): string {
    return readString(this.rawEvent, ["account"]);
  }

  /** The region the event comes from (`region`). */
  region(): string {
    return readString(this.rawEvent, ["region"]);
  }

  /** The ARNs of what the event is about (`resources`), such as the rule or the schedule. */
  resources(): readonly string[] {
    const resources = read(this.rawEvent, ["resources"]);
    if (!Array.isArray(resources)) throw wrongType(["resources"], resources, "an array");
    return Array.from(resources, (_, index) => readString(this.rawEvent, ["resources", index]));
  }

  /** When the event happened (`time`, RFC 3339); for a schedule, when it was due. */
  time(): Date {
    return readTime(this.rawEvent, ["time"]);
  }

  /** The version of the event's envelope (`version`): `0`. */
  version(): string {
    return readString(this.rawEvent, ["version"]);
  }
}
