import { LOG_TAIL } from "../../rules/limits.ts";

/** The longest record of a log, in characters. A longer line becomes several records. */
const LONGEST = 262_144;

/** Splits the output of a process into lines. Each line feed ends a record. */
export class LogLines {
  /** The number of chunks that have been read. */
  count = 0;
  readonly #emit: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.count++;
      const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
      this.#rest = lines.pop()!;
      lines.forEach((line) => this.#split(line));
      if (this.#rest.length > LONGEST) this.flush();
    }
    this.flush();
  }

  /** Emits a line that has no end yet. */
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

/** The end of a log: at most 4 KiB. */
export class LogTail {
  #text = "";

  add(line: string): void {
    // A character has at least one byte. So more characters are never needed.
    this.#text = `${this.#text}${line}\n`.slice(-LOG_TAIL);
  }

  /** Returns at most 4,096 bytes of UTF-8, cut between two characters. */
  toString(): string {
    const bytes = new TextEncoder().encode(this.#text);
    let start = Math.max(0, bytes.length - LOG_TAIL);
    while ((bytes[start]! & 0xc0) === 0x80) start++;
    return new TextDecoder().decode(bytes.subarray(start));
  }
}
