import type { Host, Socket } from "./host.ts";
import { concat, Reader } from "./reader.ts";
import { readResponse, type Response, RuntimeApiError } from "./response.ts";

const ENCODER = new TextEncoder();
const CRLF = ENCODER.encode("\r\n");

/** Sends a chunk, unless the other side has answered. */
export type Send = (bytes: Uint8Array) => Promise<void>;

/**
 * Reads the value of `AWS_LAMBDA_RUNTIME_API`: a host and a port. An IPv6 address stands in brackets.
 *
 * @throws {TypeError} If the value has another form.
 */
export function parseAddress(api: string): { hostname: string; port: number } {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(api);
  if (match) return { hostname: match[1] ?? match[2]!, port: Number(match[3]) };
  const got = JSON.stringify(api);
  throw new TypeError(
    `Invalid AWS_LAMBDA_RUNTIME_API ${got}: expected a host and a port such as 127.0.0.1:9001`,
  );
}

type Open = { readonly socket: Socket; readonly reader: Reader };

/** A connection to the Runtime API. It stays open between requests, and is opened again if it is lost. */
export class Connection {
  #api: string;
  #address: ReturnType<typeof parseAddress>;
  #host: Host;
  #open: Promise<Open> | undefined;
  #isUsed = false; // a response was read
  #isEnded = false;
  #isUnref = false;

  constructor(api: string, host: Host) {
    this.#api = api;
    this.#address = parseAddress(api);
    this.#host = host;
  }

  /** Opens the connection if it is not open. */
  open(): Promise<Open> {
    return this.#open ??= this.#connect();
  }

  /** Lets the process end while a request waits for its response. */
  unref(): void {
    this.#isUnref = true;
    this.#open?.then(({ socket }) => socket.unref(), () => {});
  }

  /** Closes the connection. The next request opens another. */
  close(): void {
    this.#open?.then(({ socket }) => socket.close(), () => {});
    this.#open = undefined;
  }

  /** Closes the connection for good. The pending request and all further requests fail. */
  end(): void {
    this.#isEnded = true;
    this.close();
  }

  /**
   * Sends a request and reads the response.
   *
   * If the connection is lost before the first byte of the response, the request is sent once more over a new
   * connection, because the other side has probably closed the idle connection. If the platform received the request
   * already, it refuses the repetition. If no response was ever read, the request is not sent again.
   *
   * @param target The method and the path.
   * @param fields Header fields, each with a line end.
   * @param json The content, if there is any.
   */
  async exchange(target: string, fields = "", json?: string): Promise<Response> {
    const content = ENCODER.encode(json);
    const type = "Content-Type: application/json\r\n";
    const framing = json === undefined ? "" : `${type}Content-Length: ${content.length}\r\n`;
    const request = concat(this.#head(target, framing + fields), content); // for one write
    await this.open();
    const isUsed = this.#isUsed;
    try {
      return await this.#attempt(request);
    } catch (error) {
      if (!isUsed || !(error instanceof UnansweredError)) throw error;
      return await this.#attempt(request);
    }
  }

  /**
   * Sends a request, makes its content meanwhile, and reads the response. The request gets a new connection, because it
   * cannot be sent again.
   *
   * @param target The method and the path.
   * @param fields Header fields, each with a line end.
   * @param write Sends the content, and returns trailers, each with a line end. `answered` resolves when the response
   * has come or the connection is lost.
   */
  async stream(
    target: string,
    fields: string,
    write: (send: Send, answered: Promise<void>) => Promise<string>,
  ): Promise<Response> {
    this.close();
    const { socket, reader } = await this.open();
    socket.unref(); // the process may end if the source of the content never settles
    let isOver = false;
    const over = () => void (isOver = true);
    const response = this.#read(reader);
    const answered = response.then(over, over);
    const send = async (bytes: Uint8Array) => {
      if (!isOver) await writeAll(socket, bytes).catch(over); // the pending read says why
    };
    await send(this.#head(target, `${fields}Transfer-Encoding: chunked\r\n`));
    const trailers = await write(async (bytes) => {
      if (bytes.length === 0) return; // an empty chunk would end the content
      await send(concat(ENCODER.encode(`${bytes.length.toString(16)}\r\n`), bytes, CRLF));
    }, answered);
    await send(ENCODER.encode(`0\r\n${trailers}\r\n`));
    if (isOver) this.close();
    socket.ref();
    return await response;
  }

  #head(target: string, fields: string): Uint8Array {
    return ENCODER.encode(
      `${target} HTTP/1.1\r\nHost: ${this.#api}\r\nUser-Agent: mate-core\r\n${fields}\r\n`,
    );
  }

  async #connect(): Promise<Open> {
    const { hostname, port } = this.#address;
    try {
      if (this.#isEnded) throw new Error("the connection was ended");
      const socket = await this.#host.connect(hostname, port);
      if (this.#isUnref) socket.unref();
      return { socket, reader: new Reader(socket) };
    } catch (cause) {
      throw new RuntimeApiError(
        `Cannot reach the Runtime API at ${this.#api}: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  async #attempt(request: Uint8Array): Promise<Response> {
    const { socket, reader } = await this.open();
    let isWritten = false;
    writeAll(socket, request).then(() => void (isWritten = true), () => {}); // the read says why
    const response = await this.#read(reader);
    if (!isWritten) this.close(); // a long request may be refused before its end
    return response;
  }

  /** Reads a response. The connection is closed unless it can be used again. */
  async #read(reader: Reader): Promise<Response> {
    let hasBegun = false;
    try {
      await reader.receive();
      hasBegun = true;
      const response = await readResponse(reader);
      this.#isUsed = true;
      return response;
    } catch (cause) {
      this.close();
      const { message } = cause as Error;
      if (hasBegun) {
        throw new RuntimeApiError(`Cannot read the response of the Runtime API: ${message}`);
      }
      throw new UnansweredError(
        `Cannot talk to the Runtime API: ${this.#api} closed the connection before it answered: ${message}`,
        { cause },
      );
    }
  }
}

/** The other side closed the connection before it answered. It is unknown whether it received the request. */
export class UnansweredError extends RuntimeApiError {}

async function writeAll(socket: Socket, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) {
    sent += await socket.write(bytes.subarray(sent));
  }
}
