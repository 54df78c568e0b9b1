/**
 * The words of AWS Lambda: the lines that it adds to the log of a function, and its errors.
 *
 * @module
 */
import { type ErrorAnswer, runtimeError } from "../runtime_api/invocation.ts";

/** How a phase of a sandbox ended: its init phase, or an invocation. */
export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "init error"; readonly error: ErrorAnswer }
  | { readonly kind: "exit"; readonly reason: string }
  | { readonly kind: "out of memory" }
  | { readonly kind: "timeout" };

export interface Report {
  readonly requestId: string;
  /** How long it took, in milliseconds. */
  readonly duration: number;
  /** How long its cold start took, in milliseconds. */
  readonly initDuration?: number | undefined;
  /** The memory allotted, in MiB. */
  readonly memory: number;
  /** The most memory used, in bytes. */
  readonly peakMemory: number;
  /** The fields that say what went wrong. */
  readonly status?: string | undefined;
}

/** The signals that end a process, as AWS Lambda words them. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: "aborted (core dumped)",
  SIGBUS: "bus error (core dumped)",
  SIGFPE: "floating point exception (core dumped)",
  SIGILL: "illegal instruction (core dumped)",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault (core dumped)",
  SIGTERM: "terminated",
  SIGTRAP: "trace/breakpoint trap (core dumped)",
};

export function exitReason({ code, signal }: Deno.CommandStatus): string {
  if (signal !== null) return `Runtime exited with error: signal: ${SIGNALS[signal] ?? signal}`;
  if (code === 0) return "Runtime exited without providing a reason";
  return `Runtime exited with error: exit status ${code}`;
}

export function endingError(
  ending: Exclude<Ending, { kind: "done" }>,
  requestId: string,
  timeout: number,
): ErrorAnswer {
  const error = (type: string, message: string) =>
    runtimeError(type, `RequestId: ${requestId} Error: ${message}`);
  switch (ending.kind) {
    case "init error":
      return ending.error;
    case "timeout":
      return error("Sandbox.Timedout", `Task timed out after ${timeout.toFixed(2)} seconds`);
    case "out of memory":
      return error("Runtime.OutOfMemory", "Runtime exited with error: signal: killed");
    case "exit":
      return error("Runtime.ExitError", ending.reason);
  }
}

export function statusFields({ errorType }: ErrorAnswer): string {
  if (errorType === "Sandbox.Timedout") return "Status: timeout";
  return `Status: error\tError Type: ${errorType}`;
}

export function reportLine(report: Report): string {
  const { requestId, duration, initDuration, memory, peakMemory, status } = report;
  const fields = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${duration.toFixed(2)} ms`,
    `Billed Duration: ${Math.ceil(duration + (initDuration ?? 0))} ms`,
    `Memory Size: ${memory} MB`,
    `Max Memory Used: ${Math.min(memory, Math.round(peakMemory / 1024 / 1024))} MB`,
  ];
  if (initDuration !== undefined) fields.push(`Init Duration: ${initDuration.toFixed(2)} ms`);
  if (status !== undefined) fields.push(status);
  return fields.join("\t") + "\t";
}

export function initReportLine(phase: "init" | "invoke", duration: number, status: string): string {
  return `INIT_REPORT Init Duration: ${duration.toFixed(2)} ms\tPhase: ${phase}\t${status}`;
}
