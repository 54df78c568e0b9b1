/** How a command learns that it is to end. */
export interface Interruption extends Disposable {
  /** Is aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The status to exit with then: 130 after SIGINT, 143 after SIGTERM. */
  readonly status: number;
}

/** Lets a command end in order when it is interrupted. A second interruption ends it at once, as without this. */
export function onInterruption(): Interruption {
  const controller = new AbortController();
  let status = 0;
  const statuses: [Deno.Signal, number][] = Deno.build.os === "windows"
    ? [["SIGINT", 130]]
    : [["SIGINT", 130], ["SIGTERM", 143]];
  const listeners = statuses.map(([name, code]) => {
    const listener = () => {
      if (controller.signal.aborted) Deno.exit(code);
      status = code;
      controller.abort();
    };
    Deno.addSignalListener(name, listener);
    return () => Deno.removeSignalListener(name, listener);
  });
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    [Symbol.dispose]: () => listeners.forEach((remove) => remove()),
  };
}
