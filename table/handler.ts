import { asError, checkWork, refuseFailures, startTimer, timeForBatch } from "../function/batch.ts";
import type { FnContext, StandardSchema } from "../function/mod.ts";
import { specificationError } from "../function/read.ts";
import { logger, withRequestId } from "../logger/mod.ts";
import type { TableItem } from "./attributes.ts";
import { FnTableEvent, FnTableRecord } from "./event.ts";

/**
 * The work for one change, sync or async. If it throws or rejects, this change and all later ones come again.
 *
 * @typeParam Image The type of `record.newImage()`.
 * @param record The change.
 * @param context The facts about the invocation. The context is absent if the caller of the handler gave none.
 */
export type TableWork<Image = TableItem> = (
  record: FnTableRecord<Image>,
  context: FnContext,
) => unknown;

/** The options of {@linkcode tableHandler}. */
export interface TableHandlerOptions<Image = TableItem> {
  /**
   * The schema checks the new image of an insertion or a change before its work begins. `record.newImage()` returns the
   * output of the schema.
   */
  readonly schema?: StandardSchema<Image> | undefined;
}

/** The result that AWS Lambda expects if `ReportBatchItemFailures` is set for the stream. */
export interface TableResult {
  /** The first change that was not done. AWS Lambda sends this change and all later ones again. */
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/** A handler of events of Amazon DynamoDB Streams, as AWS Lambda calls it. */
export type TableHandler = (event: unknown, context?: FnContext) => Promise<TableResult>;

interface Change<Image> {
  readonly record: FnTableRecord<Image>;
  readonly sequenceNumber: string;
}

/**
 * Makes a handler of events of Amazon DynamoDB Streams. It processes the changes one after the other, and reports the first
 * change that was not done. Set `ReportBatchItemFailures` for the stream. Otherwise AWS Lambda ignores the report.
 *
 * - After a failure, no later change is processed, because AWS Lambda sends the failed change and all later ones again.
 * - The failure is logged with the sequence number and the causes, but without the item.
 * - About 500 ms before the deadline, the first change that is not done is reported, also if it is under way.
 *
 * @typeParam Image The output of the schema.
 * @param work The work for one change.
 * @param options The schema.
 * @returns The handler. If the event has no records or comes from another service, or if a record has no sequence number,
 * the handler rejects before any work, so that AWS Lambda sends the whole batch again.
 * @throws {TypeError} If the work is not a function, or if the schema is invalid.
 *
 * @example New images that a schema checks
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { tableHandler } from "@mate/core/table";
 * import { createContext, tableEvent } from "@mate/core/testing";
 * import { z } from "zod";
 *
 * const counts: number[] = [];
 * const handler = tableHandler((record) => {
 *   const image = record.newImage(); // null if the item was removed
 *   if (image !== null) counts.push(image.count);
 * }, { schema: z.object({ count: z.number() }) });
 *
 * const event = tableEvent([
 *   { newImage: { id: "1", count: 3 } },
 *   { newImage: { id: "2" }, sequenceNumber: "222" },
 * ]);
 * const { batchItemFailures } = await handler(event, createContext());
 * assertEquals([counts, batchItemFailures], [[3], [{ itemIdentifier: "222" }]]);
 * ```
 */
export function tableHandler<Image = TableItem>(
  work: TableWork<Image>,
  options: TableHandlerOptions<Image> = {},
): TableHandler {
  const { schema } = options;
  checkWork(work, schema);
  return async (eventObject, context) =>
    await withRequestId(context?.awsRequestId ?? "", async () => {
      const changes = new FnTableEvent(eventObject).records().map((_, index) => {
        const record = new FnTableRecord(eventObject, index, schema);
        return { record, sequenceNumber: record.sequenceNumber() };
      });
      if (changes.length === 0) throw specificationError(["Records"], "holds no record");
      const process = async ({ record }: Change<Image>) => {
        const isValidated = schema !== undefined && record.eventName() !== "REMOVE";
        if (isValidated) record.newImage(); // a refused image fails before the work
        refuseFailures(await work(record, context as FnContext));
      };
      const failed = await findFailure(changes, process, context);
      const batchItemFailures = failed ? [{ itemIdentifier: failed.sequenceNumber }] : [];
      return { batchItemFailures };
    });
}

/** Processes the changes in their order. Returns the first one that is not done, and logs it. */
async function findFailure<Image>(
  changes: readonly Change<Image>[],
  process: (change: Change<Image>) => Promise<void>,
  context: FnContext | undefined,
): Promise<Change<Image> | undefined> {
  const { reached, stop } = startTimer(timeForBatch(context));
  const deadline = reached.then(() => "late" as const);
  try {
    for (const [index, change] of changes.entries()) {
      const { sequenceNumber } = change;
      const untouched = changes.length - index;
      // Work that never waits leaves the timer no turn.
      if (timeForBatch(context) <= 0) {
        logger.error("Left changes untouched because of the deadline", {
          sequenceNumber,
          untouched,
        });
        return change;
      }
      const done = process(change).then(() => undefined, (error) => ({ error: asError(error) }));
      const outcome = await Promise.race([done, deadline]);
      if (outcome === undefined) continue;
      const log = logger.child({ sequenceNumber });
      if (outcome === "late") log.error("Cannot finish the change before the deadline");
      else log.error("Cannot process the change", outcome.error);
      if (untouched > 1) {
        logger.error("Left the later changes untouched", { untouched: untouched - 1 });
      }
      return change;
    }
  } finally {
    stop();
  }
}
