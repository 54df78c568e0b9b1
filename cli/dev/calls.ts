/** The longest wait for calls under way, in milliseconds. A slow client must not stop a restart. */
const PATIENCE = 5_000;

/** The calls under way that read or change data. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();

  /** Counts a call until its end. */
  async run<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Waits until the calls have ended, for some seconds at most. */
  async ended(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE);
    await Promise.race([Promise.allSettled(this.#running), late]);
    clearTimeout(timer);
  }
}
