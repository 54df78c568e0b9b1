/** Tells a command that it has to end. */
export interface Interruption extends Disposable {
  /** The first SIGINT, SIGTERM or SIGHUP aborts it. */
  readonly signal: AbortSignal;
  /** The exit status for the signal, as in a shell: 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. */
  readonly status: number;
}

const STATUSES = Deno.build.os === "windows"
  ? [["SIGINT", 130]] as const
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/** How long further signals are ignored, in milliseconds. */
const BURST = 500;

/**
 * Lets a command end in order after the first signal. Signals of the next half second are ignored, because each signal comes
 * twice: the terminal sends it to all processes, and `deno task` sends it again. After the half second, this function listens
 * no more. So the system ends the command at the next signal, even if this thread is busy.
 */
export function onInterruption(): Interruption {
  const controller = new AbortController();
  let status = 0;
  let burst: ReturnType<typeof setTimeout> | undefined;
  const listeners = STATUSES.map(([name, code]) => {
    const listener = () => {
      if (controller.signal.aborted) return;
      status = code;
      burst = setTimeout(stop, BURST);
      Deno.unrefTimer(burst);
      controller.abort();
    };
    Deno.addSignalListener(name, listener);
    return () => Deno.removeSignalListener(name, listener);
  });
  const stop = () => {
    clearTimeout(burst);
    listeners.forEach((remove) => remove());
  };
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    [Symbol.dispose]: stop,
  };
}
