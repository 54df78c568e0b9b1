import { assertEquals } from "@std/assert";
import { exitReason, platformError } from "./ending.ts";
import { initReportLine, reportLine } from "./report.ts";

for (
  const [code, signal, reason] of [
    [0, null, "Runtime exited without providing a reason"],
    [1, null, "Runtime exited with error: exit status 1"],
    [137, "SIGKILL", "Runtime exited with error: signal: killed"],
    [139, "SIGSEGV", "Runtime exited with error: signal: segmentation fault (core dumped)"],
    [140, "SIGUSR2", "Runtime exited with error: signal: SIGUSR2"],
  ] as const
) {
  Deno.test(`exitReason() words the end with ${signal ?? code} as the platform does`, () => {
    assertEquals(exitReason({ success: code === 0, code, signal }), reason);
  });
}

Deno.test("platformError() names the invocation and what became of it", () => {
  const error = (kind: "timeout" | "out of memory") => platformError({ kind }, "id", 3);
  assertEquals(error("timeout"), {
    errorType: "Sandbox.Timedout",
    errorMessage: "RequestId: id Error: Task timed out after 3.00 seconds",
  });
  assertEquals(error("out of memory"), {
    errorType: "Runtime.OutOfMemory",
    errorMessage: "RequestId: id Error: Runtime exited with error: signal: killed",
  });
});

Deno.test("reportLine() bills the init phase too, and never tells of more memory than there is", () => {
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
