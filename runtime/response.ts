import type { Socket } from "./host.ts";

const BUFFER = 16 * 1024;
const CR = 13;
const LF = 10;
const DECODER = new TextDecoder();

/** A response of the Runtime API. */
export interface Response {
  /** The status code. */
  readonly status: number;
  /** The header fields by their names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  /** The content. */
  readonly content: Uint8Array;
}

/**
 * Reads the responses of one connection, however their bytes are split.
 *
 * The Runtime API is the platform's own server on this machine. Therefore the reader supports the HTTP/1.1 that this
 * server speaks (`Content-Length` or chunks) and does not check the rest.
 */
export class ResponseReader {
  #socket: Socket;
  #buffer = new Uint8Array(BUFFER);
  #start = 0; // of the bytes that were received but not consumed
  #end = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Tells whether a byte of the current response has come. */
  get hasBegun(): boolean {
    return this.#end > 0;
  }

  /**
   * Reads the next response.
   *
   * @throws {Error} If the response is malformed, or if the connection ends or fails.
   */
  async read(): Promise<Response> {
    this.#start = this.#end = 0;
    const head = await this.#readUntil(4);
    const [line, ...lines] = head.split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3})\b/.exec(line!)?.[1];
    if (status === undefined) throw malformed("status line", line!);
    const fields = new Map(lines.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }));
    const content = fields.get("transfer-encoding") === "chunked"
      ? await this.#readChunks()
      : await this.#take(Number(fields.get("content-length") ?? 0));
    return { status: Number(status), fields, content };
  }

  async #readChunks(): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (;;) {
      const line = await this.#readUntil(2);
      const size = parseInt(line, 16);
      if (Number.isNaN(size)) throw malformed("chunk size", line);
      if (size === 0) break;
      parts.push(await this.#take(size));
      await this.#take(2);
    }
    while (await this.#readUntil(2) !== ""); // trailers
    return concat(...parts);
  }

  /** Reads text up to a line end (2 bytes) or up to a line end and an empty line (4 bytes). */
  async #readUntil(markLength: 2 | 4): Promise<string> {
    for (;;) {
      const received = this.#buffer.subarray(this.#start, this.#end);
      const end = findMark(received, markLength);
      if (end !== -1) {
        this.#start += end + markLength;
        return DECODER.decode(received.subarray(0, end));
      }
      await this.#fill();
    }
  }

  /** Takes that many bytes. */
  async #take(count: number): Promise<Uint8Array> {
    const received = this.#buffer.subarray(this.#start, Math.min(this.#start + count, this.#end));
    this.#start += received.length;
    const bytes = new Uint8Array(count);
    bytes.set(received);
    for (let length = received.length; length < count;) {
      length += await this.#receive(bytes.subarray(length));
    }
    return bytes;
  }

  /** Receives more bytes. A full buffer gets room behind the bytes that are not consumed. */
  async #fill(): Promise<void> {
    if (this.#end === this.#buffer.length) {
      const rest = this.#buffer.subarray(this.#start);
      this.#buffer = concat(rest, new Uint8Array(BUFFER));
      this.#start = 0;
      this.#end = rest.length;
    }
    this.#end += await this.#receive(this.#buffer.subarray(this.#end));
  }

  async #receive(target: Uint8Array): Promise<number> {
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

function findMark(bytes: Uint8Array, length: 2 | 4): number {
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) continue;
    if (length === 2 || bytes[at + 2] === CR && bytes[at + 3] === LF) return at;
  }
  return -1;
}

function malformed(part: string, text: string): Error {
  return new Error(`malformed ${part} ${JSON.stringify(text.slice(0, 200))}`);
}

/**
 * The Runtime API of AWS Lambda cannot be reached, sends a malformed response, or refuses a request that the loop needs.
 *
 * @example Tell a refusal from a lost connection
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RuntimeApiError } from "@mate/core/runtime";
 *
 * const error = new RuntimeApiError("Cannot fetch the next invocation: status 403", { status: 403 });
 * assertEquals(error.status, 403);
 * assertEquals(new RuntimeApiError("Cannot reach the Runtime API").status, undefined);
 * ```
 */
export class RuntimeApiError extends Error {
  /** The status of the Runtime API's answer. It is `undefined` if no answer came. */
  declare readonly status: number | undefined;

  /**
   * Makes the error.
   *
   * @param message The action that failed, and the reason.
   * @param options The `status` of the answer and the `cause`, if there are any.
   */
  constructor(message: string, options?: ErrorOptions & { status?: number }) {
    super(message, options);
    this.name = "RuntimeApiError"; // the name survives minification
    const status = options?.status;
    if (status !== undefined) this.status = status; // the log shows only properties that exist
  }
}
