import { type Head, malformed, parseHead } from "./head.ts";
import type { Socket } from "./host.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

const INITIAL = 16 * 1024;
const MAX_HEAD = 64 * 1024;
const MAX_CONTENT = 2 ** 30;
const MICROTASKS = 4; // Deno and Node.js need two
const CR = 13;
const LF = 10;
const DECODER = new TextDecoder();

/** Reads the responses of one connection, however their bytes are split. */
export class ResponseReader {
  #socket: Socket;
  #buffer = new Uint8Array(INITIAL);
  #start = 0; // of what has been received but not consumed
  #end = 0;
  #early: Promise<number | null> | undefined; // a read that began before anything was asked for

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** How many bytes have been received beyond what was read. */
  get pending(): number {
    return this.#end - this.#start;
  }

  /**
   * Whether anything happened to the connection since the last response was read: more bytes, or its end. The read
   * that shows it goes on, and brings the next response.
   */
  async stirs(): Promise<boolean> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    this.#start = this.#end = 0;
    this.#early = this.#socket.read(this.#buffer);
    this.#early.then(settle, settle);
    // What is there already is read at once: it takes microtasks only, however many hosts need.
    for (let i = 0; i < MICROTASKS && !settled; i++) await undefined;
    return settled;
  }

  /**
   * Reads the head of the next response; those of interim responses (RFC 9110 §15.2) are skipped.
   *
   * @returns The head; `undefined` where the connection ended before its first byte.
   */
  async readHead(): Promise<Head | undefined> {
    for (;;) {
      const end = await this.#findHeadEnd();
      if (end === undefined) return undefined;
      const text = DECODER.decode(this.#buffer.subarray(this.#start, end));
      this.#start = end + 4;
      const head = parseHead(text);
      if (head.status >= 200) return head;
      if (head.status === 101) throw malformed("the status line", text.split("\r\n")[0]!);
    }
  }

  /**
   * Reads the content that follows a head.
   *
   * @returns The bytes; they may be overwritten as soon as anything more is read.
   */
  async readContent(head: Head): Promise<Uint8Array> {
    if (head.length === "chunked") return await this.#readChunks();
    if (head.length === undefined) return await this.#readToEnd();
    if (head.length <= this.pending) {
      this.#start += head.length;
      return this.#buffer.subarray(this.#start - head.length, this.#start);
    }
    const content = new Uint8Array(head.length);
    await this.#readInto(content, 0);
    return content;
  }

  /** Where the empty line at the head's end begins. */
  async #findHeadEnd(): Promise<number | undefined> {
    let scanned = 0; // relative to the start, for what is received may move
    for (;;) {
      const received = this.#buffer.subarray(this.#start, this.#end);
      for (;;) {
        const feed = received.indexOf(LF, scanned);
        if (feed === -1 || feed + 2 >= received.length) {
          scanned = feed === -1 ? received.length : feed;
          break;
        }
        const empty = received[feed + 1] === CR && received[feed + 2] === LF;
        if (empty && received[feed - 1] === CR) return this.#start + feed - 1;
        scanned = feed + 1;
      }
      if (this.pending > MAX_HEAD) {
        throw new RuntimeApiError(
          `Cannot read the Runtime API's response: its head is longer than ${MAX_HEAD} bytes`,
        );
      }
      if (!await this.#fill()) {
        if (this.pending === 0) return undefined;
        throw truncated();
      }
    }
  }

  async #readChunks(): Promise<Uint8Array> {
    const content = new Content();
    for (;;) {
      const line = await this.#readLine();
      const size = /^([\da-fA-F]{1,8})[ \t]*(?:;|$)/.exec(line)?.[1];
      if (size === undefined) throw malformed("chunk size", line);
      let left = parseInt(size, 16);
      if (left === 0) break;
      content.reserve(left);
      while (left > 0) {
        if (this.pending === 0 && !await this.#fill()) throw truncated();
        const part = this.#buffer.subarray(this.#start, Math.min(this.#end, this.#start + left));
        content.append(part);
        this.#start += part.length;
        left -= part.length;
      }
      const end = await this.#readLine();
      if (end !== "") throw malformed("chunk end", end);
    }
    let trailers = 0;
    for (let line = await this.#readLine(); line !== ""; line = await this.#readLine()) {
      trailers += line.length;
      if (trailers > MAX_HEAD) throw malformed("trailer section", line);
    }
    return content.bytes();
  }

  async #readToEnd(): Promise<Uint8Array> {
    const content = new Content();
    do {
      content.append(this.#buffer.subarray(this.#start, this.#end));
      this.#start = this.#end;
    } while (await this.#fill());
    return content.bytes();
  }

  /** Reads a line, without its end. */
  async #readLine(): Promise<string> {
    let scanned = 0;
    for (;;) {
      const received = this.#buffer.subarray(this.#start, this.#end);
      const feed = received.indexOf(LF, scanned);
      if (feed !== -1) {
        const line = DECODER.decode(received.subarray(0, feed));
        this.#start += feed + 1;
        if (!line.endsWith("\r")) throw malformed("line", line);
        return line.slice(0, -1);
      }
      scanned = received.length;
      if (scanned > MAX_HEAD) throw malformed("line", "");
      if (!await this.#fill()) throw truncated();
    }
  }

  /** Fills the rest of a buffer, past what has been received already. */
  async #readInto(target: Uint8Array, offset: number): Promise<void> {
    target.set(this.#buffer.subarray(this.#start, this.#end), offset);
    offset += this.pending;
    this.#start = this.#end;
    while (offset < target.length) {
      const count = await this.#socket.read(target.subarray(offset));
      if (count === null) throw truncated();
      offset += count;
    }
  }

  /** Receives more; `false` where the connection has ended. */
  async #fill(): Promise<boolean> {
    if (this.#start === this.#end) {
      this.#start = this.#end = 0;
    } else if (this.#end === this.#buffer.length) {
      const whole = this.#start > 0 ? this.#buffer : new Uint8Array(this.#buffer.length * 2);
      whole.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = whole;
      this.#end -= this.#start;
      this.#start = 0;
    }
    const reading = this.#early ?? this.#socket.read(this.#buffer.subarray(this.#end));
    this.#early = undefined;
    const count = await reading;
    if (count === null) return false;
    this.#end += count;
    return true;
  }
}

/** Bytes of a length that is not known beforehand; doubles, so appending is linear. */
class Content {
  #bytes = new Uint8Array(0);
  #length = 0;

  /** Makes room for so many more bytes, at most 1 MiB before they have come. */
  reserve(count: number): void {
    if (this.#length + count > MAX_CONTENT) {
      throw new RuntimeApiError(
        `Cannot read the Runtime API's response: it is longer than ${MAX_CONTENT} bytes`,
      );
    }
    const needed = this.#length + Math.min(count, 2 ** 20);
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  append(part: Uint8Array): void {
    this.reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

function truncated(): RuntimeApiError {
  return new RuntimeApiError(
    "Cannot read the Runtime API's response: the connection ended before the response did",
  );
}
