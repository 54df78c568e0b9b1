/** The longest record of the platform's log, in characters; what is longer makes several. */
const LONGEST = 262_144;

/**
 * Hands on what a process writes, line by line as it comes: each line feed ends a record, as in the platform's log.
 */
export class LogLines {
  readonly #emit: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #count = 0;

  /**
   * Starts without a line.
   *
   * @param emit Is called with each line, without its end.
   */
  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  /** How many chunks have come. */
  get count(): number {
    return this.#count;
  }

  /**
   * Reads a stream to its end.
   *
   * @param stream What the process writes.
   */
  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.#count++;
      const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
      this.#rest = lines.pop()!;
      lines.forEach((line) => this.#split(line));
      if (this.#rest.length > LONGEST) this.flush();
    }
    this.flush();
  }

  /** Hands on a line that has no end yet. */
  flush(): void {
    if (this.#rest !== "") this.#split(this.#rest);
    this.#rest = "";
  }

  #split(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += LONGEST) {
      this.#emit(line.slice(start, start + LONGEST));
    }
  }
}

const TAIL = 4_096;

/** The last 4 KiB of a log. */
export class LogTail {
  #lines: string[] = [];
  #size = 0;

  /**
   * Adds a line.
   *
   * @param line The line, without its end.
   */
  add(line: string): void {
    this.#lines.push(line + "\n");
    this.#size += line.length + 1;
    // Counted in UTF-16 units, which are never more than bytes, and forgotten in batches: a line costs the same in any log.
    if (this.#size < 4 * TAIL || this.#lines.length < 2) return;
    const text = this.#lines.join("").slice(-2 * TAIL);
    this.#lines = [text];
    this.#size = text.length;
  }

  /** The text: at most 4,096 bytes of UTF-8, cut between characters. */
  toString(): string {
    const bytes = new TextEncoder().encode(this.#lines.join(""));
    if (bytes.length <= TAIL) return new TextDecoder().decode(bytes);
    let start = bytes.length - TAIL;
    while ((bytes[start]! & 0xc0) === 0x80) start++;
    return new TextDecoder().decode(bytes.subarray(start));
  }
}
