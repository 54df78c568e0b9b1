import { FnEvent } from "../function/mod.ts";
import { recordsOf } from "../function/record.ts";
import { FnQueueRecord } from "./record.ts";

/**
 * The event of messages from a queue of Amazon SQS. Iterate over the event, or use {@linkcode records}. To process each
 * message by itself, use `queueHandler()`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 *
 * @example Every message of an event
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { FnQueueEvent } from "@mate/core/queue";
 * import { queueEvent } from "@mate/core/testing";
 *
 * const event = new FnQueueEvent(queueEvent([{ payload: { item: "tea" } }, { payload: { item: "jam" } }]));
 * assertEquals([...event].map((record) => record.payload()), [{ item: "tea" }, { item: "jam" }]);
 * ```
 */
export class FnQueueEvent extends FnEvent implements Iterable<FnQueueRecord> {
  /**
   * The records of the event. A malformed record raises an error when it is read; the other records stay readable.
   *
   * @throws {CloudEventSpecificationError} If `Records` is absent or not an array.
   */
  records(): readonly FnQueueRecord[] {
    return recordsOf(this.rawEvent).map((_, index) => new FnQueueRecord(this.rawEvent, index));
  }

  /** Iterates over {@linkcode records}. */
  [Symbol.iterator](): IterableIterator<FnQueueRecord> {
    return this.records().values();
  }
}
