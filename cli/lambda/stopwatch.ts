/** The time that counts for the limits of a function. It stands still while a debugger is attached to the function. */
export class Stopwatch {
  #holders = 0;
  #heldSince = 0;
  /** The time that did not count until now, in milliseconds. */
  #held = 0;

  /** The time that has counted, in milliseconds since a moment that stays the same. */
  now(): number {
    return (this.#holders > 0 ? this.#heldSince : performance.now()) - this.#held;
  }

  /** Whether the time stands still. */
  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** Stops the time. Returns a function that lets the time go on, after all who have stopped the time have called theirs. */
  hold(): () => void {
    if (this.#holders++ === 0) this.#heldSince = performance.now();
    let isHolder = true;
    return () => {
      if (!isHolder) return;
      isHolder = false;
      if (--this.#holders === 0) this.#held += performance.now() - this.#heldSince;
    };
  }

  /** Calls a function when some milliseconds have counted. Returns a function that prevents this. */
  after(milliseconds: number, act: () => void): () => void {
    const end = this.now() + milliseconds;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      const left = end - this.now();
      if (left < 1 && !this.isHeld) return act();
      timer = setTimeout(look, Math.max(left, LEAST_WAIT));
    };
    timer = setTimeout(look, milliseconds);
    return () => clearTimeout(timer);
  }
}

/** The shortest time until the next look at a stopwatch that was held, in milliseconds. */
const LEAST_WAIT = 20;
