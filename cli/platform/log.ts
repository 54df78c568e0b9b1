import type { LogRecord } from "./function_host.ts";

/** A record with its place in the log. */
export interface LogEntry extends LogRecord {
  /** The number of the record: 1 for the first. */
  readonly number: number;
}

/**
 * The log of the local platform: keeps the last records and tells its listeners of new ones.
 *
 * A record of the platform itself has the empty string for its function's name.
 *
 * @example Following a log
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Log } from "@mate/cli/platform";
 *
 * const log = new Log();
 * const texts: string[] = [];
 * const stop = log.follow((entry) => texts.push(entry.text));
 * log.write({ time: new Date(), functionName: "okay", text: "INFO Hello" });
 * stop();
 * log.note("nobody listens any more");
 * assertEquals(texts, ["INFO Hello"]);
 * assertEquals(log.after(1).map((entry) => entry.text), ["nobody listens any more"]);
 * ```
 */
export class Log {
  #entries: LogEntry[] = [];
  #followers: Set<(entry: LogEntry) => void> = new Set();
  #last = 0;
  readonly #capacity: number;

  /**
   * Makes an empty log.
   *
   * @param capacity How many records are kept.
   */
  constructor(capacity = 1_000) {
    this.#capacity = capacity;
  }

  /**
   * Adds a record.
   *
   * @param record The record; a line of the platform's own has an empty function name.
   */
  write(record: LogRecord): void {
    const entry = { ...record, number: ++this.#last };
    this.#entries.push(entry);
    // Trimmed at twice the capacity, so that a record costs the same however many are kept.
    if (this.#entries.length >= 2 * this.#capacity) {
      this.#entries = this.#entries.slice(-this.#capacity);
    }
    for (const follower of this.#followers) follower(entry);
  }

  /**
   * Adds a line of the platform's own.
   *
   * @param text The text, without the line end.
   */
  note(text: string): void {
    this.write({ time: new Date(), functionName: "", text });
  }

  /**
   * The records that are kept, from a number on.
   *
   * @param number The number of the last record that is not wanted; 0 for all.
   * @returns The records, oldest first.
   */
  after(number: number): readonly LogEntry[] {
    return this.#entries.slice(-this.#capacity).filter((entry) => entry.number > number);
  }

  /**
   * Calls a listener with every record from now on.
   *
   * @param follower The listener.
   * @returns What ends the listening.
   */
  follow(follower: (entry: LogEntry) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
