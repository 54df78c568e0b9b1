/** Tells a command that it has to end. */
export interface Interruption extends Disposable {
  /** Is aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** The exit status for the signal, as in a shell: 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. */
  readonly status: number;
}

const STATUSES = Deno.build.os === "windows"
  ? [["SIGINT", 130]] as const
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/** How long further signals count as the first one, in milliseconds. */
const BURST = 500;

/**
 * Lets a command end in order when it is interrupted. A later signal ends it at once, even if this thread is busy, because
 * the system does that itself. A signal within half a second counts as the first one: `deno task` passes on the signals
 * that the terminal sends to all processes anyway, so that each comes twice.
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
