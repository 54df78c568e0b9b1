import { assertEquals } from "@std/assert";
import { Clock } from "../aws/clock.ts";
import { poll, type Source, windowEnd } from "./poller.ts";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";

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
      batch: 2,
      window: 300,
      signal: stop.signal,
      clock: new Clock(),
      note: (text) => seen.push(text),
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
