/** How a command learns that it is to end. */
export interface Interruption extends Disposable {
  /** Is aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** The status to exit with then, as a shell has it: 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. */
  readonly status: number;
}

const STATUSES = Deno.build.os === "windows"
  ? [["SIGINT", 130]] as const
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/** How long signals are taken for the first one's, in milliseconds. */
const BURST = 500;

/**
 * Lets a command end in order when it is interrupted. A later interruption ends it at once, as without this: the system does
 * so itself, even if this thread is held up. What comes within half a second is not a later one: `deno task` passes on what
 * the terminal sends to all processes anyway, so that everything comes twice.
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
