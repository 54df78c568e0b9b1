/** How a phase of a sandbox ended: its init phase, or an invocation. */
export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "init error"; readonly errorType: string; readonly body: Uint8Array }
  | { readonly kind: "exit"; readonly reason: string }
  | { readonly kind: "out of memory" }
  | { readonly kind: "timeout" };

/** The signals that end a process, as the platform words them. */
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

/**
 * How the platform tells of a runtime's exit.
 *
 * @param status How the process ended.
 * @returns The reason, such as `Runtime exited with error: exit status 1`.
 */
export function exitReason({ code, signal }: Deno.CommandStatus): string {
  if (signal !== null) return `Runtime exited with error: signal: ${SIGNALS[signal] ?? signal}`;
  if (code === 0) return "Runtime exited without providing a reason";
  return `Runtime exited with error: exit status ${code}`;
}

/**
 * The error that a phase's ending is to the caller of the function.
 *
 * @param ending How it ended; not `done`.
 * @param requestId The invocation.
 * @param timeout The function's time-out, in seconds.
 * @returns The type of the error and its message, as the platform words them.
 */
export function platformError(
  ending: Exclude<Ending, { kind: "done" | "init error" }>,
  requestId: string,
  timeout: number,
): { readonly errorType: string; readonly errorMessage: string } {
  const error = (errorType: string, message: string) => ({
    errorType,
    errorMessage: `RequestId: ${requestId} Error: ${message}`,
  });
  switch (ending.kind) {
    case "timeout":
      return error("Sandbox.Timedout", `Task timed out after ${timeout.toFixed(2)} seconds`);
    case "out of memory":
      return error("Runtime.OutOfMemory", "Runtime exited with error: signal: killed");
    case "exit":
      return error("Runtime.ExitError", ending.reason);
  }
}
