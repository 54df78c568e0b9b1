import type { Clock } from "./clock.ts";

/** Wakes whoever waits for something that may have changed. */
export class Bell {
  readonly #waiting = new Set<() => void>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends all waits. Whoever waited looks again. */
  ring(): void {
    for (const resolve of this.#waiting) resolve();
  }

  /**
   * Waits until the bell rings, until a time in milliseconds, until the clock jumps, or until the signal. The clock may jump to
   * the time `due`.
   */
  async wait(end: number, due: number | undefined, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    const forget = this.#clock.alarm(end, due, stop);
    signal.addEventListener("abort", stop);
    this.#waiting.add(stop);
    await promise;
    forget();
    signal.removeEventListener("abort", stop);
    this.#waiting.delete(stop);
  }
}
