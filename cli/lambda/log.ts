import type { LogRecord } from "./function_host.ts";

/** A record with its place in the log. */
export interface LogEntry extends LogRecord {
  /** The number of the record: 1 for the first. */
  readonly number: number;
}

/**
 * The log of the local platform. It keeps the last records, and passes new records to its followers.
 *
 * A record of the platform has an empty function name.
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
  #size = 0;
  #last = 0;
  readonly #followers: Set<(entry: LogEntry) => void> = new Set();
  readonly #capacity: number;

  /**
   * Makes an empty log.
   *
   * @param capacity The number of characters that the log keeps, 8 million by default. It always keeps the last record.
   */
  constructor(capacity = 8_000_000) {
    this.#capacity = capacity;
  }

  /**
   * Adds a record.
   *
   * @param record The record.
   */
  write(record: LogRecord): void {
    const entry = { ...record, number: ++this.#last };
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    // Trim the log at twice the capacity. So the cost of a record does not depend on the number of records.
    if (this.#size >= 2 * this.#capacity) {
      this.#entries = [...this.after(0)];
      this.#size = this.#entries.reduce((size, entry) => size + sizeOf(entry), 0);
    }
    for (const follower of this.#followers) follower(entry);
  }

  /**
   * Adds a line of the platform.
   *
   * @param text The text, without the line end.
   */
  note(text: string): void {
    this.write({ time: new Date(), functionName: "", text });
  }

  /**
   * Returns the last records after a record.
   *
   * @param number The number of the record, or 0 for all records.
   * @param capacity The largest number of characters of the result. The last record does not count.
   * @returns The records, oldest first.
   */
  after(number: number, capacity: number = this.#capacity): readonly LogEntry[] {
    let start = this.#entries.length;
    for (let size = 0; start > 0 && this.#entries[start - 1]!.number > number; start--) {
      size += sizeOf(this.#entries[start - 1]!);
      if (size > capacity && start < this.#entries.length) break;
    }
    return this.#entries.slice(start);
  }

  /**
   * Calls a follower with every new record.
   *
   * @param follower The follower.
   * @returns A function that ends the calls.
   */
  follow(follower: (entry: LogEntry) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}

/** Counts the characters of a record: its text, and 100 for the rest. */
function sizeOf({ text }: LogRecord): number {
  return text.length + 100;
}
