import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { Clock } from "../aws/clock.ts";
import type { FunctionHost, InvokeOptions, Payload } from "../lambda/function_host.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import { Batch, invokeWith, poll, type Source, windowEnd } from "./poller.ts";

// "If you configure a MaximumBatchingWindowInSeconds, the next batching window begins as soon as the previous function
// invocation completes": the guide of AWS Lambda on event source mappings, of Amazon SQS as of the streams of tables.

Deno.test("windowEnd() finds the window that is open, counted from the end of the previous invocation", () => {
  const table: [start: number, seconds: number, now: number, expected: number][] = [
    [1_000, 0, 1_000, 1_000],
    [1_000, 0, 9_500, 9_500],
    [1_000, 2, 1_000, 3_000],
    [1_000, 2, 2_999, 3_000],
    [1_000, 2, 3_000, 5_000],
    [1_000, 2, 9_500, 11_000],
  ];
  for (const [start, seconds, now, expected] of table) {
    assertEquals(windowEnd(start, seconds, now), expected, `${start} ${seconds} ${now}`);
  }
});

Deno.test("a batch ends a window early if it is full, or as large as an event", async () => {
  const table: [count: number, size: number, isSent: boolean][] = [
    [2, 10, true],
    [1, MAX_SYNC_EVENT, true],
    [1, 10, false],
    [0, 0, false],
  ];
  for (const [count, size, isSent] of table) {
    const stop = new AbortController();
    const seen: string[] = [];
    const source: Source = {
      name: "a source",
      options: {
        batch: 2,
        window: 300,
        signal: stop.signal,
        clock: new Clock(),
        note: (text) => seen.push(text),
      },
      pending: () => ({ count, size }),
      wait: () => Promise.resolve(stop.abort()),
      send() {
        seen.push("sent");
        stop.abort();
        return Promise.resolve();
      },
    };
    await poll(source, 1);
    assertEquals(seen, isSent ? ["sent"] : [], `${count} items of ${size} bytes`);
  }
});

Deno.test("Batch takes the records that fit into one event of AWS Lambda, and always the first", () => {
  const batch = new Batch();
  const sizeOf = (Records: object[]) => Buffer.byteLength(JSON.stringify({ Records }));
  const first = { a: "é" };
  const free = MAX_SYNC_EVENT - sizeOf([first, { b: "" }]);
  const added = [first, ...[1, 0].map((more) => ({ b: "x".repeat(free + more) })), {}]
    .map((record) => batch.add(record));
  assertEquals(added, [true, false, true, false]);
  assertEquals(sizeOf(batch.records), MAX_SYNC_EVENT);
  assertEquals(new Batch().add({ b: "x".repeat(MAX_SYNC_EVENT) }), true);
});

Deno.test("invokeWith() tells which records are not done, however the invocation ends", async () => {
  const notes: string[] = [];
  const stop = new AbortController();
  const restOf = (failed: readonly string[]) => ({ retried: failed.length });
  const taken = { ids: ["1", "2"], records: [{}, {}], trace: "Root=1", restOf };
  let options: InvokeOptions | undefined;
  const run = (end: () => object, take = () => taken as Omit<typeof taken, "trace">) => {
    const host = {
      async invoke(_: string, payload: Payload, given?: InvokeOptions) {
        await Promise.resolve();
        const event = (payload as () => Uint8Array)();
        assertEquals(JSON.parse(Buffer.from(event).toString()), { Records: [{}, {}] });
        options = given;
        return { requestId: "r", payload: Buffer.from("null"), logTail: "", ...end() };
      },
    } as Partial<FunctionHost> as FunctionHost;
    const note = (text: string) => notes.push(text);
    const trigger = { type: "queue", name: "q" } as const;
    const { signal } = stop;
    const consumer = { functionName: "f", trigger, identifier: "ID", host, note, signal };
    return invokeWith(consumer, take);
  };
  const result = (value: unknown) => () => ({ payload: Buffer.from(JSON.stringify(value)) });
  const gone = () => {
    throw new Error("the sandbox is gone");
  };
  const one = { batchItemFailures: [{ itemIdentifier: "2" }] };
  const all = ["1", "2"];
  const malformed =
    'Malformed result of "f": expected { "batchItemFailures": [{ "itemIdentifier": ID }] } of the batch';
  const table: [end: () => object, failed: string[], isError: boolean, note?: string][] = [
    ...[null, "text", {}, { batchItemFailures: [] }, { batchItemFailures: null }]
      .map((done): [() => object, string[], boolean] => [result(done), [], false]),
    [result(one), ["2"], false],
    ...["all", [null], [{ itemIdentifier: "" }], [{ itemIdentifier: "3" }], [{ id: "1" }]]
      .map((batchItemFailures): [() => object, string[], boolean, string] => {
        return [result({ batchItemFailures }), all, false, malformed];
      }),
    [() => ({ failure: "timeout" }), all, true],
    [gone, all, true, 'Cannot invoke "f": the sandbox is gone'],
  ];
  for (const [end, failed, isError, note] of table) {
    const found = await run(end);
    assertEquals([found?.failed, found?.isError], [failed, isError]);
    assertEquals(notes.splice(0), note === undefined ? [] : [note]);
  }
  assertEquals(options?.traceId, "Root=1");
  assertEquals(
    await run(gone, () => ({ ids: [], records: [], restOf })),
    undefined,
    "nothing to take",
  );
  await assertRejects(() => run(gone, gone), Error, "the sandbox is gone", "nothing was taken");
  stop.abort();
  assertEquals([(await run(gone))?.failed, notes], [all, []], "the platform ends");
});
