import { assertEquals } from "@std/assert";
import { exitReason, initReportLine, reportLine } from "./invocation_log.ts";

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
