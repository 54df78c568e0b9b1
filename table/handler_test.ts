import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import * as z from "zod";
import { CloudEventSpecificationError, type FnContext } from "../function/mod.ts";
import { logger } from "../logger/mod.ts";
import { change, standard } from "../testdata/service_events.ts";
import { captureLog, type TableChangeInit, tableEvent } from "../testing/mod.ts";
import { tableHandler, type TableHandlerOptions, type TableItem, type TableWork } from "./mod.ts";

/** Makes an event of changes with the sequence numbers "1", "2" and so on. */
const makeEvent = (changes: readonly TableChangeInit[]) =>
  tableEvent(changes.map((init, index) => ({ sequenceNumber: String(index + 1), ...init })));

const context = (remaining = 60_000) =>
  ({ awsRequestId: "id-1", getRemainingTimeInMillis: () => remaining }) as FnContext;

/** The sequence numbers of the failures, and the log. */
async function run<Image>(
  work: TableWork<Image>,
  event: unknown,
  { options = {}, ctx = context() }: { options?: TableHandlerOptions<Image>; ctx?: FnContext } = {},
) {
  const handler = tableHandler(work, options);
  const { result, records: log } = await captureLog(() => handler(event, ctx));
  return { failures: result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), log };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("tableHandler() works in order and reports the first failure, the lowest that Powertools reports", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.record({ fails: fc.boolean(), turns: fc.nat(1) }), { minLength: 1, maxLength: 8 }),
    async (plan) => {
      const event = makeEvent(plan.map(() => ({})));
      const begun: string[] = [];
      let busy = 0;
      const { failures } = await run(async (record) => {
        assertEquals(busy++, 0, "two changes run side by side");
        begun.push(record.sequenceNumber());
        const { fails, turns } = plan[begun.length - 1]!;
        for (let count = 0; count < turns; count++) await turn();
        busy--;
        if (fails) throw new Error("failed");
      }, event);
      const first = plan.findIndex(({ fails }) => fails);
      const numbers = plan.map((_, index) => String(index + 1));
      assertEquals(begun, first < 0 ? numbers : numbers.slice(0, first + 1));
      assertEquals(failures, first < 0 ? [] : [String(first + 1)]);
      const theirs = await processPartialResponse(
        event,
        ((record: { dynamodb: { SequenceNumber: string } }) => {
          const { fails } = plan[Number(record.dynamodb.SequenceNumber) - 1]!;
          return fails ? Promise.reject(new Error("failed")) : Promise.resolve();
        }) as never,
        new BatchProcessor(EventType.DynamoDBStreams),
        { throwOnFullBatchFailure: false },
      );
      assertEquals(failures, theirs.batchItemFailures.slice(0, 1).map((one) => one.itemIdentifier));
    },
  ));
});

Deno.test("tableHandler() logs a failure once, with its causes and without the item", async () => {
  const event = makeEvent([{}, { newImage: { id: "secret" } }, {}, {}]);
  const { failures, log } = await run((record) => {
    logger.info("Working");
    if (record.sequenceNumber() !== "2") return;
    throw new Error("Cannot ship", { cause: new TypeError("timed out") });
  }, event);
  assertEquals(failures, ["2"]);
  assert(log.every(({ requestId }) => requestId === "id-1"));
  const [failure, rest, ...more] = log.filter(({ message }) => message !== "Working");
  assertEquals([failure!.level, failure!.sequenceNumber], ["ERROR", "2"]);
  assertEquals((failure!.cause as { errorMessage: string }).errorMessage, "timed out");
  assertEquals([rest!.message, rest!.data, more], [
    "Left changes untouched because of an earlier failure",
    { sequenceNumber: "3", untouched: 2 },
    [],
  ]);
  const thrown = await run<TableItem>((record) => {
    throw record.newImage()!.id === "secret" ? 7 : 8;
  }, makeEvent([{ newImage: { id: "secret" } }]));
  assertEquals(thrown.log.map(({ errorMessage, cause }) => [errorMessage, cause]), [
    ["The work threw a number", 7],
  ]);
  assert(!JSON.stringify([log, thrown.log]).includes("secret"));
});

Deno.test("tableHandler() validates the new image of insertions and changes before the work", async () => {
  const counts: unknown[] = [];
  const schema = z.object({ count: z.string().transform(Number) });
  const begun: string[] = [];
  const work: TableWork<{ count: number }> = (record) => {
    begun.push(record.sequenceNumber());
    counts.push(record.newImage()?.count);
  };
  const event = makeEvent([
    { newImage: { id: "1", count: "3" } },
    { oldImage: { id: "1" } },
    { keys: { id: "1" }, viewType: "KEYS_ONLY" },
    { newImage: { id: "1", count: "4" }, oldImage: { id: "1" } },
    { newImage: { id: "1", secret: "secret" } },
  ]);
  const { failures, log } = await run(work, event, { options: { schema } });
  assertEquals([begun, failures], [["1", "2", "3", "4"], ["5"]]);
  assertEquals(counts, [3, undefined, undefined, 4]);
  assertMatch(String(log[0]!.errorMessage), /NewImage\.count" is refused by the schema$/);
  assert(!JSON.stringify(log).includes("secret"));
});

Deno.test("tableHandler() fails a change that cannot be read, when it is read", async () => {
  const event = makeEvent([{}, {}]);
  Object.assign(event.Records[1]!.dynamodb, { NewImage: { id: { N: "secret" } } });
  const { failures, log } = await run((record) => void record.newImage(), event);
  assertEquals([failures, log.length], [["2"], 1]);
  assert(!JSON.stringify(log).includes("secret"));
  assertEquals((await run(() => {}, event)).failures, []);
});

Deno.test("tableHandler() fails a change whose work returns the failures of a whole batch", async () => {
  const failing = () => ({ batchItemFailures: [{ itemIdentifier: "2" }] });
  const { failures, log } = await run(failing, makeEvent([{}, {}]));
  assertEquals(failures, ["1"]);
  assertMatch(String(log[0]!.errorMessage), /^Invalid result "batchItemFailures": /);
  for (const result of [{ batchItemFailures: [] }, { batchItemFailures: "x" }, [], 5]) {
    assertEquals((await run(() => result, makeEvent([{}, {}]))).failures, []);
  }
});

Deno.test("tableHandler() reports the change that the deadline finds under way, and begins no other", async () => {
  const begun: string[] = [];
  let end: (() => void) | undefined;
  const { failures, log } = await run(
    (record) => {
      begun.push(record.sequenceNumber());
      return record.sequenceNumber() === "1" ? undefined : new Promise<void>((_, reject) => {
        end = () => reject(new Error("late"));
      });
    },
    makeEvent([{}, {}, {}]),
    { ctx: context(520) },
  );
  const { records: after } = await captureLog(async () => {
    end!();
    await turn();
  });
  assertEquals([begun, failures, after], [["1", "2"], ["2"], []]);
  assertEquals(log.map(({ message, sequenceNumber, data }) => [message, sequenceNumber ?? data]), [
    ["Cannot finish the change before the deadline", "2"],
    ["Left changes untouched because of the deadline", { sequenceNumber: "3", untouched: 1 }],
  ]);
});

Deno.test("tableHandler() sees the deadline also if the work never waits", async () => {
  let remaining = 900;
  const ctx = { awsRequestId: "id-1", getRemainingTimeInMillis: () => remaining } as FnContext;
  const { failures, log } = await run(
    () => {
      remaining -= 300;
    },
    makeEvent([{}, {}, {}]),
    { ctx },
  );
  assertEquals([failures, log.length], [["3"], 1]);
});

Deno.test("tableHandler() reports the first change and starts no timer if no time is left", async () => {
  for (const remaining of [500, 0, -20]) {
    const { setTimeout } = globalThis;
    const times: unknown[] = [];
    globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
      times.push(args[1]);
      return setTimeout(...args);
    }) as typeof setTimeout;
    try {
      const begun: unknown[] = [];
      const work: TableWork = (record) => void begun.push(record);
      const { failures } = await run(work, makeEvent([{}, {}]), { ctx: context(remaining) });
      assertEquals([failures, begun, times], [["1"], [], []], `${remaining} ms`);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  }
});

Deno.test("tableHandler() waits for its changes, however long the remaining time is", async () => {
  for (const remaining of [2 ** 31 + 500, Infinity]) {
    const { failures, log } = await run(turn, makeEvent([{}]), { ctx: context(remaining) });
    assertEquals([failures, log], [[], []]);
  }
  assertEquals(await tableHandler(turn)(makeEvent([{}])), { batchItemFailures: [] });
});

Deno.test("tableHandler() rejects an event that it cannot report in parts, before any work", async () => {
  const unnamed = makeEvent([{}, { sequenceNumber: "" }]);
  const begun: unknown[] = [];
  const handler = tableHandler((record) => void begun.push(record));
  for (
    const event of [null, {}, { Records: null }, { Records: [] }, standard, unnamed, {
      Records: [...change.Records, null],
    }, { Records: [...change.Records, { ...change.Records[0], eventSource: "aws:salad" }] }]
  ) {
    const error = await assertRejects(() => handler(event));
    assert(error instanceof CloudEventSpecificationError || error instanceof TypeError);
  }
  assertEquals(begun, []);
});

Deno.test("tableHandler() refuses wrong options when the handler is made", () => {
  const cases = [
    [null, {}, "Cannot make the handler: expected a function, got null"],
    [() => {}, { size: 1 }, 'Unknown option "size": expected one of schema'],
    [() => {}, { schema: {} }, "Invalid schema: expected a schema of Standard Schema, version 1"],
  ] as const;
  for (const [work, options, message] of cases) {
    const error = assertThrows(() => tableHandler(work as never, options as never), TypeError);
    assertEquals(error.message, message);
  }
});
