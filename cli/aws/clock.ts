/** The longest delay of a timer. A timer with a longer delay fires at once. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

/** Somebody who waits for a time. */
interface Alarm {
  /** The time to which the clock may jump. */
  readonly due: number;
  readonly wake: () => void;
}

/**
 * The clock of a platform, for retries, delays, visibilities, deduplication, batch windows and the dates in events. It goes
 * as the clock of the machine does, until it jumps.
 */
export class Clock {
  /** The milliseconds by which the clock has jumped. */
  #ahead = 0;
  #running = 0;
  readonly #alarms = new Set<Alarm>();

  /** Returns the time, in milliseconds. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Returns the time of this clock for a time of the clock of the machine. The default is now. */
  date(time: number = Date.now()): Date {
    return new Date(time + this.#ahead);
  }

  /** Keeps the clock from jumping until work has ended. */
  async during<T>(work: T | Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#running--;
    }
  }

  /**
   * Calls a function at a time, and at each jump: whoever waits looks again, and waits again.
   *
   * @param due The time to which the clock may jump. The default is none.
   * @returns A function that forgets the alarm.
   */
  alarm(end: number, due = Infinity, wake: () => void): () => void {
    const alarm = { due, wake };
    const wait = Math.min(end, due) - this.now();
    const timer = setTimeout(wake, Math.min(Math.max(0, wait), MAX_TIMEOUT));
    this.#alarms.add(alarm);
    return () => {
      clearTimeout(timer);
      this.#alarms.delete(alarm);
    };
  }

  /** Waits for some milliseconds, or until the signal. The clock may jump over the wait. */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const bell = new Bell(this);
    for (const end = this.now() + milliseconds; !signal.aborted && this.now() < end;) {
      await bell.wait(end, end, signal);
    }
  }

  /** Jumps to the first time that somebody waits for, unless work is running. */
  skip(): void {
    if (this.#running > 0) return;
    const wait = Math.min(...[...this.#alarms].map(({ due }) => due)) - this.now();
    if (wait === Infinity) return;
    this.#ahead += Math.max(0, wait);
    for (const { wake } of [...this.#alarms]) wake();
  }
}

/** Wakes whoever waits for something that may have changed. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

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
    const forget = this.clock.alarm(end, due, stop);
    signal.addEventListener("abort", stop);
    this.#waiting.add(stop);
    await promise;
    forget();
    signal.removeEventListener("abort", stop);
    this.#waiting.delete(stop);
  }
}
