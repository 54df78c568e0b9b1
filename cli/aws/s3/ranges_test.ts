import { assertEquals } from "@std/assert";
import { S3Error } from "../service_call.ts";
import { readCopyRange, readRange } from "./conditions.ts";

/** Returns a range as text, or the code of the error. */
function resultOf(read: () => { start: number; end: number } | undefined): string {
  try {
    const range = read();
    return range === undefined ? "whole" : `${range.start}-${range.end}`;
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

Deno.test("readRange() takes one range, and ignores what Amazon S3 was recorded to ignore", () => {
  const cases = [
    [null, "whole"],
    ["bytes=0-8", "0-9"],
    ["bytes=0-0", "0-1"],
    ["bytes=1-", "1-10"],
    ["bytes=-2", "8-10"],
    ["bytes=-15", "0-10"],
    ["bytes=0-100", "0-10"],
    ["bytes=1-0", "whole"],
    ["bytes=0--1", "whole"],
    ["bytes=0-1,3-4,7-9", "whole"],
    ["bytes=-", "whole"],
    ["items=0-1", "whole"],
    ["bytes=-0", "InvalidRange"],
    ["bytes=10-", "InvalidRange"],
    ["bytes=100-200", "InvalidRange"],
  ] as const;
  for (const [text, expected] of cases) {
    assertEquals(resultOf(() => readRange(text, 10)), expected, `${text}`);
  }
  assertEquals(resultOf(() => readRange("bytes=0-", 0)), "InvalidRange", "an empty object");
});

Deno.test("readCopyRange() takes only a range with both ends inside the source", () => {
  const cases = [
    [null, "whole"],
    ["bytes=0-0", "0-1"],
    ["bytes=0-9", "0-10"],
    ["bytes=0-10", "InvalidArgument"],
    ["bytes=10-20", "InvalidRequest"],
    ["bytes=2-1", "InvalidArgument"],
    ["0-8", "InvalidArgument"],
    ["bytes=1-", "InvalidArgument"],
    ["bytes=-2", "InvalidArgument"],
    ["bytes=0-1,3-4", "InvalidArgument"],
  ] as const;
  for (const [text, expected] of cases) {
    assertEquals(resultOf(() => readCopyRange(text, 10)), expected, `${text}`);
  }
});
