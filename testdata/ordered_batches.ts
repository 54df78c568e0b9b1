/** Tests of the handlers of streams, which process the records of a batch in their order. */
import {
  BatchProcessor,
  type EventType,
  processPartialResponse,
} from "@aws-lambda-powertools/batch";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { BatchHandler } from "../batch/batch.ts";
import { CloudEventSpecificationError, type FnContext } from "../function/mod.ts";
import { logger } from "../logger/mod.ts";
import { captureLog } from "../testing/mod.ts";
import { standard } from "./service_events.ts";

interface Numbered {
  sequenceNumber(): string;
}

type MakeHandler = (work: (record: Numbered) => unknown, options?: object) => BatchHandler;

const contextOf = (remaining = 60_000) =>
  ({ awsRequestId: "id-1", getRemainingTimeInMillis: () => remaining }) as FnContext;

/** Runs a handler. Returns the sequence numbers of the failures, and the log. */
export async function runBatch(handler: BatchHandler, event: unknown, context = contextOf()) {
  const { result, records: log } = await captureLog(() => handler(event, context));
  return { failures: result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), log };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

/**
 * Tests what holds for the handlers of all streams. A test of a service adds what it reads.
 *
 * @param name The name of the function that makes the handler.
 * @param noun What the log calls a record.
 * @param type The name of the service in Powertools.
 * @param makeHandler Makes the handler.
 * @param makeRecords Makes an event. Each record holds the text "secret", which no log may show.
 */
export function testOrderedBatches(
  name: string,
  noun: string,
  type: keyof typeof EventType,
  makeHandler: MakeHandler,
  makeRecords: (records: { sequenceNumber: string }[]) => { Records: object[] },
): void {
  /** Makes an event of records with the sequence numbers "1", "2" and so on. */
  const makeEvent = (length: number) =>
    makeRecords(Array.from({ length }, (_, index) => ({ sequenceNumber: `${index + 1}` })));
  const run = (work: (record: Numbered) => unknown, length: number, context?: FnContext) =>
    runBatch(makeHandler(work), makeEvent(length), context);

  Deno.test(`${name}() works in order and reports the first failure, the lowest that Powertools reports`, async () => {
    await fc.assert(fc.asyncProperty(
      fc.array(fc.record({ fails: fc.boolean(), turns: fc.nat(1) }), {
        minLength: 1,
        maxLength: 8,
      }),
      async (plan) => {
        const begun: string[] = [];
        let busy = 0;
        const { failures } = await run(async (record) => {
          assertEquals(busy++, 0, "two records run side by side");
          begun.push(record.sequenceNumber());
          const { fails, turns } = plan[begun.length - 1]!;
          for (let count = 0; count < turns; count++) await turn();
          busy--;
          if (fails) throw new Error("failed");
        }, plan.length);
        const first = plan.findIndex(({ fails }) => fails);
        const numbers = plan.map((_, index) => String(index + 1));
        assertEquals(begun, first < 0 ? numbers : numbers.slice(0, first + 1));
        assertEquals(failures, first < 0 ? [] : [String(first + 1)]);
        const left = plan.values();
        const theirs = await processPartialResponse(
          makeEvent(plan.length) as never,
          () => left.next().value!.fails ? Promise.reject(new Error("failed")) : Promise.resolve(),
          new BatchProcessor(type),
          { throwOnFullBatchFailure: false },
        );
        const [lowest] = theirs.batchItemFailures;
        assertEquals(failures, lowest ? [lowest.itemIdentifier] : []);
      },
    ));
  });

  Deno.test(`${name}() logs a failure once, with its causes and without the content`, async () => {
    const { failures, log } = await run((record) => {
      logger.info("Working");
      if (record.sequenceNumber() !== "2") return;
      throw new Error("Cannot ship", { cause: new TypeError("timed out") });
    }, 4);
    assertEquals(failures, ["2"]);
    assert(log.every(({ requestId }) => requestId === "id-1"));
    const [failure, rest, ...more] = log.filter(({ message }) => message !== "Working");
    assertEquals([failure!.level, failure!.sequenceNumber], ["ERROR", "2"]);
    assertEquals((failure!.cause as { errorMessage: string }).errorMessage, "timed out");
    assertEquals([rest!.message, rest!.data, more], [
      `Left ${noun}s untouched because of an earlier failure`,
      { sequenceNumber: "3", untouched: 2 },
      [],
    ]);
    const thrown = await run(() => {
      throw 7;
    }, 1);
    assertEquals(thrown.log.map(({ errorMessage, cause }) => [errorMessage, cause]), [
      ["The work threw a number", 7],
    ]);
    assert(!JSON.stringify([log, thrown.log]).includes("secret"));
  });

  Deno.test(`${name}() fails a ${noun} whose work returns the failures of a whole batch`, async () => {
    const { failures, log } = await run(
      () => ({ batchItemFailures: [{ itemIdentifier: "2" }] }),
      2,
    );
    assertEquals(failures, ["1"]);
    assertMatch(String(log[0]!.errorMessage), /^Invalid result "batchItemFailures": /);
    for (const result of [{ batchItemFailures: [] }, { batchItemFailures: "x" }, [], 5]) {
      assertEquals((await run(() => result, 2)).failures, []);
    }
  });

  Deno.test(`${name}() reports the ${noun} that the deadline finds under way, and begins no other`, async () => {
    const begun: string[] = [];
    let end: (() => void) | undefined;
    const { failures, log } = await run(
      (record) => {
        begun.push(record.sequenceNumber());
        return record.sequenceNumber() === "1" ? undefined : new Promise<void>((_, reject) => {
          end = () => reject(new Error("late"));
        });
      },
      3,
      contextOf(520),
    );
    const { records: after } = await captureLog(async () => {
      end!();
      await turn();
    });
    assertEquals([begun, failures, after], [["1", "2"], ["2"], []]);
    const facts = log.map(({ message, sequenceNumber, data }) => [message, sequenceNumber ?? data]);
    assertEquals(facts, [
      [`Cannot finish the ${noun} before the deadline`, "2"],
      [`Left ${noun}s untouched because of the deadline`, { sequenceNumber: "3", untouched: 1 }],
    ]);
  });

  Deno.test(`${name}() sees the deadline also if the work never waits`, async () => {
    let remaining = 900;
    const context = { getRemainingTimeInMillis: () => remaining } as FnContext;
    const { failures, log } = await run(() => void (remaining -= 300), 3, context);
    assertEquals([failures, log.length], [["3"], 1]);
  });

  Deno.test(`${name}() reports the first ${noun} and starts no timer if no time is left`, async () => {
    for (const remaining of [500, 0, -20]) {
      const { setTimeout } = globalThis;
      const times: unknown[] = [];
      globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
        times.push(args[1]);
        return setTimeout(...args);
      }) as typeof setTimeout;
      try {
        const begun: unknown[] = [];
        const { failures } = await run((record) => begun.push(record), 2, contextOf(remaining));
        assertEquals([failures, begun, times], [["1"], [], []], `${remaining} ms`);
      } finally {
        globalThis.setTimeout = setTimeout;
      }
    }
  });

  Deno.test(`${name}() waits for its ${noun}s, however long the remaining time is`, async () => {
    for (const remaining of [2 ** 31 + 500, Infinity]) {
      const { failures, log } = await run(turn, 1, contextOf(remaining));
      assertEquals([failures, log], [[], []]);
    }
    assertEquals(await makeHandler(turn)(makeEvent(1)), { batchItemFailures: [] });
  });

  Deno.test(`${name}() rejects an event that it cannot report in parts, before any work`, async () => {
    const begun: unknown[] = [];
    const handler = makeHandler((record) => begun.push(record));
    const { Records } = makeEvent(1);
    const unnamed = makeRecords([{ sequenceNumber: "1" }, { sequenceNumber: "" }]);
    for (
      const event of [null, {}, { Records: null }, { Records: [] }, standard, unnamed, {
        Records: [...Records, null],
      }, { Records: [...Records, { ...Records[0], eventSource: "aws:salad" }] }]
    ) {
      const error = await assertRejects(() => handler(event));
      assert(error instanceof CloudEventSpecificationError || error instanceof TypeError);
    }
    assertEquals(begun, []);
  });

  Deno.test(`${name}() refuses wrong options when the handler is made`, () => {
    const cases = [
      [null, {}, "Cannot make the handler: expected a function, got null"],
      [() => {}, { size: 1 }, 'Unknown option "size": expected one of schema'],
      [() => {}, { schema: {} }, "Invalid schema: expected a schema of Standard Schema, version 1"],
    ] as const;
    for (const [work, options, message] of cases) {
      const error = assertThrows(() => makeHandler(work as never, options), TypeError);
      assertEquals(error.message, message);
    }
  });
}
