import { assertEquals } from "@std/assert";
import { describeHistory, entryOf, findSlower } from "./history.ts";

const size = { room: "logger", names: "logger", limit: 9 };
const row = { work: "small reply", runtime: "Deno", unit: "µs" };

Deno.test("entryOf() has sizes, and ratios in which less is better", () => {
  const rows = [
    { ...row, values: { "@mate/core": 3, Hono: 12, Middy: 6 } },
    { ...row, work: "loop", unit: "1/s", values: { "@mate/core": 200, simple: 100, other: 50 } },
    { ...row, work: "alone", values: { "@mate/core": 1 } },
  ];
  assertEquals(entryOf("abc", { rows, sizes: [{ ...size, size: 7 }] }), {
    commit: "abc",
    values: {
      "bytes of logger (logger)": 7,
      "small reply, Deno: ratio to the best peer": 0.5,
      "loop, Deno: ratio to the best peer": 0.5,
    },
  });
});

Deno.test("describeHistory() compares the newest entry with the median, and marks large changes", () => {
  const entries = [100, 10, 110, 105].map((a, index) => ({
    commit: `c${index}`,
    values: { a, b: index === 3 ? 2 : 1, ...index === 3 && { c: 5 } },
  }));
  assertEquals(describeHistory(entries).split("\n"), [
    "| at c3 | now | median of the last 3 | change |",
    "|---|--:|--:|--:|",
    "| a | 105 | 100 | +5 % |",
    "| b | 2 | 1 | +100 % ⚠ |",
    "| c | 5 |  | new |",
  ]);
});

Deno.test("findSlower() names ratios that are over a quarter above the median, twice in a row", () => {
  const name = "small reply, Deno: ratio to the best peer";
  const steady: readonly number[] = Array(20).fill(1);
  for (
    const [ratios, expected] of [
      [[1.3, 1.3], [name]],
      [[1.3, 1.2], []], // once
      [[1.25, 1.25], []], // no more than a quarter
      [[1.3, 0.9, 1.3], []], // not in a row
      [[0.5, 0.5], []], // faster
    ] as const
  ) {
    const entries = [...steady, ...ratios].map((ratio) => ({
      commit: "",
      values: { [name]: ratio, "bytes of logger (logger)": 100 * ratio },
    }));
    assertEquals(findSlower(entries), [...expected], `${ratios}`);
  }
  assertEquals(findSlower([{ commit: "", values: { [name]: 9 } }]), []);
  assertEquals(findSlower([]), []);
});
