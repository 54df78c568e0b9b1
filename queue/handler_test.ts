import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from "@aws-lambda-powertools/batch";
import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import * as z from "zod";
import { CloudEventSpecificationError, type FnContext } from "../function/mod.ts";
import { logger, withRequestId } from "../logger/mod.ts";
import { fifo, put, standard } from "../testdata/service_events.ts";
import { captureLog } from "../testing/mod.ts";
import { type FnQueueRecord, queueHandler, type QueueWork } from "./mod.ts";

interface Sent {
  readonly body?: unknown;
  readonly group?: string;
}

/** Makes an event of messages with the identifiers "0", "1" and so on. */
function makeEvent(messages: readonly Sent[], isFifo = false) {
  const [record] = isFifo ? fifo.Records : standard.Records;
  const Records = messages.map(({ body = "{}", group = "g" }, index) => ({
    ...record,
    messageId: String(index),
    body,
    attributes: { ...record!.attributes, ...(isFifo ? { MessageGroupId: group } : {}) },
  }));
  return { Records };
}

const context = (remaining = 60_000) =>
  ({ awsRequestId: "id-1", getRemainingTimeInMillis: () => remaining }) as FnContext;

/** The identifiers of the failures, and the log. */
async function run(
  work: QueueWork<never>,
  event: unknown,
  { options = {}, remaining }: { options?: object; remaining?: number } = {},
) {
  const handler = queueHandler(work as QueueWork, options);
  const { result, records: log } = await captureLog(() => handler(event, context(remaining)));
  return { failures: result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), log };
}

/** Lets the work that is ready run. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

const batch = fc.array(
  fc.record({ group: fc.constantFrom("a", "b", "c"), fails: fc.boolean(), turns: fc.nat(2) }),
  { minLength: 1, maxLength: 10 },
);

/** The failures that Powertools reports. */
async function powertoolsFailures(
  event: ReturnType<typeof makeEvent>,
  messages: readonly { fails: boolean }[],
  isFifo: boolean,
): Promise<string[]> {
  const processor = isFifo ? new SqsFifoPartialProcessorAsync() : new BatchProcessor(EventType.SQS);
  const options = { throwOnFullBatchFailure: false, ...isFifo && { skipGroupOnError: true } };
  const work = (record: { messageId: string }) => {
    const isFailing = messages[Number(record.messageId)]!.fails;
    return isFailing ? Promise.reject(new Error("failed")) : Promise.resolve();
  };
  const result = await processPartialResponse(event, work as never, processor, options as never);
  return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted();
}

Deno.test("queueHandler() reports exactly the failed messages, and keeps the order in each FIFO group", async () => {
  await fc.assert(fc.asyncProperty(
    batch,
    fc.boolean(),
    fc.integer({ min: 1, max: 4 }),
    async (messages, isFifo, concurrency) => {
      const begun: number[] = [];
      const busy = new Set<string>();
      let most = 0;
      const work: QueueWork<never> = async (record) => {
        const index = Number(record.messageId());
        const lane = record.groupId() ?? String(index);
        assert(!busy.has(lane), "two messages of one group run side by side");
        busy.add(lane);
        most = Math.max(most, busy.size);
        begun.push(index);
        const { fails, turns } = messages[index]!;
        for (let count = 0; count < turns; count++) await turn();
        busy.delete(lane);
        if (fails) throw new Error("failed");
      };
      const event = makeEvent(messages, isFifo);
      const { failures } = await run(work, event, { options: { concurrency } });
      assert(most <= concurrency);
      const indexes = [...messages.keys()];
      const isUntouched = (index: number) =>
        isFifo && messages.slice(0, index).some(({ group, fails }) => {
          return fails && group === messages[index]!.group;
        });
      const touched = indexes.filter((index) => !isUntouched(index));
      assertEquals(begun.toSorted((a, b) => a - b), touched, "nothing runs twice");
      for (const group of isFifo ? ["a", "b", "c"] : []) {
        const order = begun.filter((index) => messages[index]!.group === group);
        assertEquals(order, order.toSorted((a, b) => a - b));
      }
      const failed = indexes.filter((index) => messages[index]!.fails || isUntouched(index));
      assertEquals(failures, failed.map(String));
      assertEquals(failures, await powertoolsFailures(event, messages, isFifo));
    },
  ));
});

Deno.test("queueHandler() logs each failure once, with its causes and without the body", async () => {
  const messages = [{ body: "secret" }, { body: "secret" }, {}];
  const { failures, log } = await run((record) => {
    logger.info("Working");
    if (record.messageId() === "0") {
      throw new Error("Cannot order", { cause: new TypeError("timed out") });
    }
    if (record.messageId() === "1") throw { code: 7 };
    if (record.messageId() === "2") throw runInNewContext("new RangeError('of another realm')");
  }, makeEvent(messages));
  assertEquals(failures, ["0", "1", "2"]);
  const records = log.filter(({ message }) => message !== "Working");
  const facts = records.map((
    { level, messageId, errorMessage },
  ) => [level, messageId, errorMessage]);
  assertEquals(facts, [
    ["ERROR", "0", "Cannot order"],
    ["ERROR", "1", "The work threw an object"],
    ["ERROR", "2", "of another realm"],
  ]);
  assertEquals([records[1]!.cause, records[2]!.errorType], [{ code: 7 }, "RangeError"]);
  assertEquals((records[0]!.cause as { errorMessage: string }).errorMessage, "timed out");
  assertEquals(log.every(({ requestId }) => requestId === "id-1"), true);
  assert(!JSON.stringify(log).includes("secret"));
});

Deno.test({
  name: "queueHandler() fails a message whose work returns the result of a whole batch",
  sanitizeOps: true, // the timer of the deadline must not keep the process alive
  async fn() {
    const done = queueHandler(() => ({ batchItemFailures: [] }));
    assertEquals(await done(makeEvent([{}])), { batchItemFailures: [] });
    const work = () => ({ batchItemFailures: [{ itemIdentifier: "0" }] });
    const { failures, log } = await run(work, makeEvent([{}, {}]));
    assertEquals(failures, ["0", "1"]);
    assertMatch(String(log[0]!.errorMessage), /^Invalid result "batchItemFailures": /);
  },
});

Deno.test("queueHandler() leaves the rest of a failed group untouched and logs it together", async () => {
  const begun: string[] = [];
  const { failures, log } = await run((record) => {
    begun.push(record.messageId());
    if (record.messageId() === "0") throw new Error("failed");
  }, makeEvent([{ group: "a" }, { group: "b" }, { group: "a" }, { group: "a" }], true));
  assertEquals([begun.toSorted(), failures], [["0", "1"], ["0", "2", "3"]]);
  assertEquals(log.map(({ message, messageId, data }) => [message, messageId ?? data]), [
    ["Cannot process the message", "0"],
    ["Left messages untouched because of an earlier failure", { messageIds: ["2", "3"] }],
  ]);
});

Deno.test("queueHandler() runs the groups of a fair standard queue side by side, each message by itself", async () => {
  const event = makeEvent([{}, {}]);
  for (const record of event.Records) {
    Object.assign(record.attributes, { MessageGroupId: "tenant" });
  }
  const { failures } = await run((record) => {
    if (record.messageId() === "0") throw new Error("failed");
  }, event);
  assertEquals(failures, ["0"]);
});

Deno.test("queueHandler() fails a message alone if the message cannot be read or the schema refuses it", async () => {
  const worked: string[] = [];
  const work = (record: FnQueueRecord<never>) => void worked.push(record.messageId());
  const count = z.union([z.number(), z.string().startsWith("0x").transform(BigInt)]); // BigInt() may throw
  const options = { schema: z.object({ count }) };
  const event = makeEvent([
    { body: '{"count":1}' },
    { body: '{"count":"secret"}' },
    { body: "secret" },
    { body: 5 },
    { body: '{"count":2}' },
    { body: '{"count":"0x"}' },
  ]);
  const Records = [...event.Records, { messageId: "6", body: "{}" }];
  const { failures, log } = await run(work, { Records }, { options });
  assertEquals(failures, ["1", "2", "3", "5", "6"]);
  assertEquals(worked, ["0", "4"]);
  const facts = log.map(({ message, messageId }) => [message, messageId]);
  assertEquals(facts, ["6", "1", "2", "3", "5"].map((id) => ["Cannot process the message", id]));
  assert(!JSON.stringify(log).includes("secret"));
});

Deno.test("queueHandler() reports the messages that the deadline finds under way or waiting", async () => {
  const begun: string[] = [];
  const { failures, log } = await run(
    (record) => {
      begun.push(record.messageId());
      return record.messageId() === "1" ? new Promise(() => {}) : Promise.resolve();
    },
    makeEvent([{}, {}, {}, {}]),
    { options: { concurrency: 1 }, remaining: 520 },
  );
  assertEquals([begun, failures], [["0", "1"], ["1", "2", "3"]]);
  assertEquals(log.map(({ message, messageId, data }) => [message, messageId, data]), [
    ["Cannot finish the message before the deadline", "1", undefined],
    ["Left messages untouched because of the deadline", undefined, { messageIds: ["2", "3"] }],
  ]);
});

Deno.test("queueHandler() begins no message after the deadline, even if one ends late", async () => {
  for (const isFulfilled of [true, false]) {
    const begun: string[] = [];
    let end: (() => void) | undefined;
    const work: QueueWork = (record) => {
      begun.push(record.messageId());
      return new Promise<void>((resolve, reject) => {
        end = isFulfilled ? resolve : () => reject(new Error("late"));
      });
    };
    const event = makeEvent([{}, {}], true);
    const { failures, log } = await run(work, event, { remaining: 520 });
    assertEquals(failures, ["0", "1"]);
    const { records: after } = await captureLog(async () => {
      end!();
      await turn();
    });
    assertEquals([begun, log.length, after], [["0"], 2, []]);
    const late = await run(work, event, { remaining: 500 });
    assertEquals([begun, late.failures], [["0"], ["0", "1"]]);
    assertEquals(late.log.length, 1);
  }
});

Deno.test("queueHandler() sees the deadline also if the work never waits", async () => {
  for (const isFifo of [false, true]) {
    let left = 1_100;
    const clock = { awsRequestId: "id-1", getRemainingTimeInMillis: () => left } as FnContext;
    const begun: string[] = [];
    const handler = queueHandler((record) => {
      begun.push(record.messageId());
      left -= 300;
    }, { concurrency: 2 });
    const event = makeEvent([{}, {}, {}, {}], isFifo);
    const { result, records: log } = await captureLog(() => handler(event, clock));
    assertEquals(begun, ["0", "1"]);
    assertEquals(result.batchItemFailures.map((one) => one.itemIdentifier), ["2", "3"]);
    assertEquals(log.map(({ message, data }) => [message, data]), [
      ["Left messages untouched because of the deadline", { messageIds: ["2", "3"] }],
    ]);
  }
});

Deno.test("queueHandler() logs the error of a work that fails while another lane sees the deadline", async () => {
  let left = 60_000;
  const clock = { awsRequestId: "id-1", getRemainingTimeInMillis: () => left } as FnContext;
  const shared = turn(); // both messages go on in the same turn
  const handler = queueHandler(async (record) => {
    await shared;
    left = 0;
    if (record.messageId() === "1") throw new Error("no supplier");
  }, { concurrency: 2 });
  const { result, records: log } = await captureLog(() => handler(makeEvent([{}, {}, {}]), clock));
  assertEquals(result.batchItemFailures.map((one) => one.itemIdentifier), ["1", "2"]);
  assertEquals(
    log.map(({ message, messageId, errorMessage }) => [message, messageId, errorMessage]),
    [
      ["Cannot process the message", "1", "no supplier"],
      ["Left messages untouched because of the deadline", undefined, undefined],
    ],
  );
});

Deno.test("queueHandler() keeps the request id of a scope around it if it gets no context", async () => {
  const handler = queueHandler(() => logger.info("Working"));
  for (const given of [undefined, {}, { awsRequestId: "" }]) {
    const { records: log } = await captureLog(() =>
      withRequestId("outer", () => handler(makeEvent([{}]), given as FnContext))
    );
    assertEquals(log.map(({ requestId }) => requestId), ["outer"]);
  }
});

Deno.test("queueHandler() waits for its messages, however long the remaining time is", async () => {
  for (const remaining of [2 ** 31 + 500, 1e12, Infinity]) {
    const { failures, log } = await run(turn as QueueWork, makeEvent([{}]), { remaining });
    assertEquals([failures, log], [[], []]);
  }
});

Deno.test("queueHandler() rejects an event that it cannot report in parts", async () => {
  const unnamed = makeEvent([{}, {}]);
  unnamed.Records[1]!.messageId = "";
  const worked: string[] = [];
  const handler = queueHandler((record) => void worked.push(record.messageId()));
  for (
    const event of [null, {}, { Records: null }, { Records: [] }, put, unnamed, {
      Records: [...makeEvent([{}]).Records, null],
    }]
  ) {
    const error = await assertRejects(() => handler(event));
    assert(error instanceof CloudEventSpecificationError || error instanceof TypeError);
  }
  assertEquals(worked, [], "no message is done twice, because none was begun");
});

Deno.test("queueHandler() works without a context", async () => {
  const options = { concurrency: Number.MAX_SAFE_INTEGER };
  const handler = queueHandler(() => new Promise((resolve) => setTimeout(resolve, 20)), options);
  assertEquals(await handler(makeEvent([{}])), { batchItemFailures: [] });
});

Deno.test("queueHandler() refuses wrong options when the handler is made", () => {
  const cases = [
    [null, {}, "Cannot make the handler: expected a function, got null"],
    [() => {}, { concurrency: 0 }, "Invalid concurrency 0: expected a whole number from 1"],
    [() => {}, { size: 1 }, 'Unknown option "size": expected one of concurrency, schema'],
    [() => {}, { concurrency: 1.5 }, "Invalid concurrency 1.5: expected a whole number from 1"],
    [() => {}, { schema: {} }, "Invalid schema: expected a schema of Standard Schema, version 1"],
  ] as const;
  for (const [work, options, message] of cases) {
    const error = assertThrows(() => queueHandler(work as never, options as never), TypeError);
    assertEquals(error.message, message);
  }
});
