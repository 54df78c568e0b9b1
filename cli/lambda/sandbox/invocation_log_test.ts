import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { exitReason, initReportLine, LogLines, LogTail, reportLine } from "./invocation_log.ts";

Deno.test("exitReason() gives the reason in the words of AWS Lambda", () => {
  const cases = [
    [0, null, "Runtime exited without providing a reason"],
    [1, null, "Runtime exited with error: exit status 1"],
    [137, "SIGKILL", "Runtime exited with error: signal: killed"],
    [139, "SIGSEGV", "Runtime exited with error: signal: segmentation fault (core dumped)"],
    [140, "SIGUSR2", "Runtime exited with error: signal: SIGUSR2"],
  ] as const;
  for (const [code, signal, reason] of cases) {
    assertEquals(exitReason({ success: code === 0, code, signal }), reason);
  }
});

Deno.test("reportLine() bills the cold start, and reports at most the memory of the function", () => {
  const report = { requestId: "id", duration: 10.004, memory: 128, peakMemory: 45.6 * 1024 ** 2 };
  assertEquals(
    reportLine(report),
    "REPORT RequestId: id\tDuration: 10.00 ms\tBilled Duration: 11 ms\tMemory Size: 128 MB\tMax Memory Used: 46 MB\t",
  );
  assertEquals(
    reportLine({ ...report, initDuration: 100.5, peakMemory: 1e9, status: "Status: timeout" }),
    "REPORT RequestId: id\tDuration: 10.00 ms\tBilled Duration: 111 ms\tMemory Size: 128 MB\tMax Memory Used: 128 MB\tInit Duration: 100.50 ms\tStatus: timeout\t",
  );
  assertEquals(
    initReportLine("init", 10_000, "Status: timeout"),
    "INIT_REPORT Init Duration: 10000.00 ms\tPhase: init\tStatus: timeout",
  );
});

/** Returns the lines of some chunks. */
async function linesOf(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const lines: string[] = [];
  const encoder = new TextEncoder();
  await new LogLines((line) => lines.push(line)).read(ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  ));
  return lines;
}

Deno.test("LogLines makes a record of every line, wherever a chunk ends", async () => {
  assertEquals(await linesOf("one\ntw", "o\n", "\nthree\rfour"), ["one", "two", "", "three\rfour"]);
  const bytes = new TextEncoder().encode("a€b\n");
  assertEquals(await linesOf(bytes.subarray(0, 2), bytes.subarray(2)), ["a€b"]);
  await fc.assert(fc.asyncProperty(fc.array(fc.string()), async (chunks) => {
    const expected = chunks.join("").split("\n");
    if (expected.at(-1) === "") expected.pop();
    assertEquals(await linesOf(...chunks), expected);
  }));
});

Deno.test("LogLines cuts a line that is longer than a record, and loses nothing", async () => {
  const long = "x".repeat(600_000);
  const lines = await linesOf(`${long}\n`, long);
  assertEquals(lines.every(({ length }) => length <= 262_144), true);
  assertEquals(lines.join(""), long + long);
});

Deno.test("LogTail keeps the last 4,096 bytes, cut between characters", () => {
  const short = new LogTail();
  short.add("short");
  assertEquals(short.toString(), "short\n");
  // The limit falls between two characters, and on each byte within one.
  for (const character of ["€", "👩"]) {
    for (const end of ["", "a", "ab", "abc"]) {
      const tail = new LogTail();
      for (let i = 0; i < 9; i++) tail.add(character.repeat(500));
      tail.add(end);
      const rest = `\n${end}\n`;
      const all = `${character.repeat(500)}\n`.repeat(9).slice(0, -1) + rest;
      const text = tail.toString();
      const size = new TextEncoder().encode(text).length;
      const width = new TextEncoder().encode(character).length;
      assertEquals(all.endsWith(text), true, text.slice(0, 3));
      assertEquals(size <= 4_096 && size > 4_096 - width, true, `${size} bytes`);
    }
  }
});
