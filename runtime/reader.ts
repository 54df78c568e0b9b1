import type { Socket } from "./host.ts";

const DECODER = new TextDecoder();
const LATIN1 = new TextDecoder("latin1"); // one character for each byte

/** The most bytes before a mark. */
const MAX_HEAD = 64 * 1024;

/** Reads a connection, however its bytes are split. */
export class Reader {
  #socket: Pick<Socket, "read">;
  #buffer = new Uint8Array(16 * 1024);
  #received = new Uint8Array(0); // but not taken

  constructor(socket: Pick<Socket, "read">) {
    this.#socket = socket;
  }

  /**
   * Waits for more bytes.
   *
   * @throws {Error} If the connection ends or fails.
   */
  async receive(): Promise<void> {
    const count = await this.#read(this.#buffer);
    this.#received = concat(this.#received, this.#buffer.subarray(0, count));
  }

  /**
   * Takes the text before a mark, and the mark.
   *
   * @throws {Error} If the text is longer than 64 KiB.
   */
  async takeUntil(mark: string): Promise<string> {
    for (;;) {
      const end = LATIN1.decode(this.#received).indexOf(mark);
      if ((end === -1 ? this.#received.length : end) > MAX_HEAD) {
        throw new Error(`the head is longer than ${MAX_HEAD} bytes`);
      }
      if (end !== -1) {
        return DECODER.decode(await this.take(end + mark.length)).slice(0, -mark.length);
      }
      await this.receive();
    }
  }

  /** Takes that many bytes. */
  async take(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    const received = this.#received.subarray(0, count);
    bytes.set(received);
    this.#received = this.#received.subarray(received.length);
    for (let length = received.length; length < count;) {
      length += await this.#read(bytes.subarray(length));
    }
    return bytes;
  }

  async #read(target: Uint8Array): Promise<number> {
    const count = await this.#socket.read(target);
    if (count === null) throw new Error("the connection ended before the response did");
    return count;
  }
}

/** Joins byte arrays. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
