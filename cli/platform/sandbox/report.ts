/**
 * The lines that AWS Lambda adds to the log of a function, and the errors that it makes.
 *
 * @module
 */
import { type ErrorAnswer, runtimeError } from "../runtime_api/invocation.ts";

/** The end of a phase of a sandbox. A phase is the init phase or an invocation. */
export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "init error"; readonly error: ErrorAnswer }
  | { readonly kind: "exit"; readonly reason: string; readonly errorType?: string }
  | { readonly kind: "timeout" };

/** An ending that is a failure. */
export type Failure = Exclude<Ending, { kind: "done" }>;

export interface Report {
  readonly requestId: string;
  /** The duration of the invocation, in milliseconds. */
  readonly duration: number;
  /** The duration of the cold start, in milliseconds. */
  readonly initDuration?: number | undefined;
  /** The memory of the function, in MiB. */
  readonly memory: number;
  /** The largest use of memory, in bytes. */
  readonly peakMemory: number;
  /** The fields about a failure. */
  readonly status?: string | undefined;
}

/** The texts of AWS Lambda for the signals that end a process. */
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
  failure: Failure,
  requestId: string,
  timeout: number,
): ErrorAnswer {
  if (failure.kind === "init error") return failure.error;
  const [type, message] = failure.kind === "timeout"
    ? ["Sandbox.Timedout", `Task timed out after ${timeout.toFixed(2)} seconds`] as const
    : [failure.errorType ?? "Runtime.ExitError", failure.reason] as const;
  return runtimeError(type, `RequestId: ${requestId} Error: ${message}`);
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
