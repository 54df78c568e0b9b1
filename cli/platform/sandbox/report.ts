import type { Ending } from "./ending.ts";

/** What the platform writes at the end of an invocation. */
export interface Report {
  /** The invocation. */
  readonly requestId: string;
  /** How long it took, in milliseconds. */
  readonly duration: number;
  /** How long the init phase took that it waited for, in milliseconds. */
  readonly initDuration?: number | undefined;
  /** The memory allotted, in MiB. */
  readonly memory: number;
  /** The most memory used, in bytes. */
  readonly peakMemory: number;
  /** What went wrong on the platform's side of the matter. */
  readonly status?: string | undefined;
}

/** The line for the start of an invocation. */
export function startLine(requestId: string): string {
  return `START RequestId: ${requestId} Version: $LATEST`;
}

/** The line for the end of an invocation. */
export function endLine(requestId: string): string {
  return `END RequestId: ${requestId}`;
}

/**
 * The line that tells what an invocation took.
 *
 * @param report What it took. The init phase is billed as well.
 * @returns The line, its fields separated by tabs.
 */
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

/**
 * The line that tells of an init phase that failed.
 *
 * @param phase Whether it was the init phase proper, or its repetition within an invocation.
 * @param duration How long it took, in milliseconds.
 * @param status What went wrong.
 * @returns The line, its fields separated by tabs.
 */
export function initReportLine(phase: "init" | "invoke", duration: number, status: string): string {
  return `INIT_REPORT Init Duration: ${duration.toFixed(2)} ms\tPhase: ${phase}\t${status}`;
}

/** The fields of a report that name what went wrong, or `undefined`. */
export function statusFields(ending: Ending, errorType: string): string | undefined {
  if (ending.kind === "done") return undefined;
  return ending.kind === "timeout" ? "Status: timeout" : `Status: error\tError Type: ${errorType}`;
}
