import { FnEvent } from "./event.ts";
import type { JsonArray, JsonObject, JsonValue } from "./json.ts";
import {
  read,
  readOptional,
  readString,
  specificationError,
  wrongType,
  wrongValue,
} from "./read.ts";

/**
 * The base of the record classes. A record is one item of the list `Records` in an event of Amazon S3, SNS or SQS.
 *
 * Use its subclasses: `FnNotificationRecord`, `FnMessageRecord` and `FnQueueRecord`.
 */
export abstract class FnRecord extends FnEvent {
  readonly #index: number | undefined;

  /** The service of the record, such as `s3` for `aws:s3`. */
  protected abstract readonly service: "s3" | "sns" | "sqs";

  /**
   * Wraps one record of an event.
   *
   * @param eventObject The event that holds the record: a plain JSON object.
   * @param index The place of the record, counted from 0. Omit it if the event has one record.
   * @throws {TypeError} If the event is not a plain object.
   */
  constructor(eventObject: unknown, index?: number) {
    super(eventObject);
    this.#index = index;
  }

  /**
   * The record as the service sent it, even if the record is malformed.
   *
   * @throws {CloudEventSpecificationError} If the event does not have this record.
   */
  rawRecord(): JsonValue {
    return read(this.rawEvent, this.recordPath());
  }

  /** The path of the record in the event. */
  protected recordPath(): (string | number)[] {
    const { length } = recordsOf(this.rawEvent);
    if (this.#index === undefined && length !== 1) {
      const count = length === 0 ? "no record" : `${length} records`;
      throw specificationError(["Records"], `holds ${count}: use records()`);
    }
    return ["Records", this.#index ?? 0];
  }

  /** The path of a key in the record. Throws if another service sent the record, because its keys mean other things. */
  protected path(...keys: string[]): (string | number)[] {
    const record = this.recordPath();
    for (const name of ["eventSource", "EventSource"]) {
      const source = readOptional(this.rawEvent, [...record, name]);
      // Compatible services have sources such as "minio:s3".
      if (typeof source === "string" && !source.endsWith(`:${this.service}`)) {
        throw wrongValue([...record, name], source, `"aws:${this.service}"`);
      }
    }
    return [...record, ...keys];
  }

  /** Reads a string of the record. */
  protected text(...keys: string[]): string {
    return readString(this.rawEvent, this.path(...keys));
  }
}

/**
 * Returns the records of an event, unchecked.
 *
 * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
 */
export function recordsOf(event: JsonObject): JsonArray {
  const records = read(event, ["Records"]);
  if (!Array.isArray(records)) throw wrongType(["Records"], records, "an array");
  return records;
}
