import type { Address } from "./address.ts";
import type { Head } from "./head.ts";
import type { Host, Socket } from "./host.ts";
import { ResponseReader } from "./reader.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

/** A response, as received. */
export interface Response {
  readonly head: Head;
  /** The content; only valid until the next request on the same connection. */
  readonly content: Uint8Array;
}

/** Writes the bytes of a request's content that is not known beforehand. */
export type Writer = (bytes: Uint8Array) => Promise<void>;

/** What is open at one time: a socket and the reader of what comes from it. */
interface Open {
  readonly socket: Socket;
  readonly reader: ResponseReader;
  /** Whether a response came over it. */
  used: boolean;
}

/** A connection to the Runtime API that lives from one request to the next, and is opened again when it is lost. */
export class Connection {
  #address: Address;
  #host: Host;
  #open: Promise<Open> | undefined;
  #ended = false;
  #unref = false;

  constructor(address: Address, host: Host) {
    this.#address = address;
    this.#host = host;
  }

  /** Opens the connection where it is not, so that the first request need not wait. */
  open(): Promise<unknown> {
    return this.#open ??= this.#connect();
  }

  /** Lets the process end although a response is awaited, over this connection and those opened for it later. */
  unref(): void {
    this.#unref = true;
    this.#open?.then(({ socket }) => socket.unref(), () => {});
  }

  /** Closes the connection; the next request opens another. */
  close(): void {
    this.#open?.then(({ socket }) => socket.close(), () => {});
    this.#open = undefined;
  }

  /** Closes the connection for good; what is awaited fails, and so does every further request. */
  end(): void {
    this.#ended = true;
    this.close();
  }

  /**
   * Sends a request and reads the response.
   *
   * A connection that turns out lost before the first byte of the response is opened again, once, and only where an
   * earlier response came over it: then the other side has, by all that is known, closed it while it was idle.
   * Should it have taken the request nevertheless, its state machine refuses the second.
   *
   * @param request The head, and the content if it is short.
   * @param content The content, where it is long.
   */
  async exchange(request: Uint8Array, content?: Uint8Array): Promise<Response> {
    const lost = await this.#attempt(request, content);
    if (!(lost instanceof Lost)) return lost;
    const last = lost.used && !this.#ended ? await this.#attempt(request, content) : lost;
    if (!(last instanceof Lost)) return last;
    throw this.#closed(last.cause);
  }

  /**
   * Sends a request whose content is made while it is sent, and reads the response.
   *
   * @param head The head.
   * @param write Writes the content; rejects with what the writer rejected with. Its second argument resolves when the
   * response comes, after which the writer refuses to go on.
   */
  async stream(
    head: Uint8Array,
    write: (writer: Writer, answered: Promise<unknown>) => Promise<void>,
  ): Promise<Response> {
    const open = await this.#ready();
    const { socket } = open;
    socket.unref(); // or a stream that never goes on would look as if something could happen
    const sending: { over: boolean; error?: unknown } = { over: false };
    const response = this.#read(open);
    const answered = response.catch(() => {}).then(() => {
      sending.over = true;
    });
    const writer: Writer = async (bytes) => {
      try {
        if (sending.over) throw new Error("The response came before the end of the request");
        await writeAll(socket, bytes);
      } catch (error) {
        sending.error = error;
        throw error;
      }
    };
    try {
      await writer(head);
      await write(writer, answered);
    } catch (error) {
      if (error !== sending.error) {
        this.close();
        throw error;
      } // else what the other side said before it closed tells more than that it closed
    } finally {
      socket.ref();
    }
    const result = await response;
    if (sending.error !== undefined) this.close();
    if (result instanceof Lost) throw this.#closed(result.cause);
    return result;
  }

  /**
   * The connection, opened again where it ended while it was idle. What was said over it unasked must not be taken
   * for the next response either (RFC 9112 §9.2).
   */
  async #ready(): Promise<Open> {
    const open = await (this.#open ??= this.#connect());
    if (!open.used || !await open.reader.stirs()) return open;
    this.close();
    return await (this.#open = this.#connect());
  }

  async #connect(): Promise<Open> {
    const { hostname, port, authority } = this.#address;
    try {
      if (this.#ended) throw new Error("The connection was ended");
      const socket = await this.#host.connect(hostname, port);
      if (this.#unref) socket.unref();
      return { socket, reader: new ResponseReader(socket), used: false };
    } catch (cause) {
      this.#open = undefined;
      const { message } = cause as Error;
      throw new RuntimeApiError(`Cannot reach the Runtime API at ${authority}: ${message}`, {
        cause,
      });
    }
  }

  async #attempt(request: Uint8Array, content: Uint8Array | undefined): Promise<Response | Lost> {
    const open = await this.#ready();
    let failed: unknown;
    let written = false;
    const writing = writeAll(open.socket, request, content).then(() => {
      written = true;
    }, (error) => {
      failed = error;
    });
    // What is long is refused before its end; waiting for that end first would be a deadlock.
    if (content === undefined) await writing;
    if (failed !== undefined) return this.#lost(failed, open);
    const response = await this.#read(open);
    if (response instanceof Lost) return new Lost(response.used, failed ?? response.cause);
    if (!written) this.close();
    return response;
  }

  /** Reads a response, and closes the connection unless it can be used again. */
  async #read(open: Open): Promise<Response | Lost> {
    const { reader } = open;
    let head: Head | undefined;
    try {
      head = await reader.readHead();
    } catch (error) {
      if (!(error instanceof RuntimeApiError) && reader.pending === 0) {
        return this.#lost(error, open);
      }
      throw this.#broken(error);
    }
    if (head === undefined) return this.#lost(undefined, open);
    open.used = true;
    try {
      const content = await reader.readContent(head);
      // What nobody asked for would be taken for the next response.
      if (!head.keepAlive || reader.pending > 0) this.close();
      return { head, content };
    } catch (error) {
      throw this.#broken(error);
    }
  }

  #lost(cause: unknown, { used }: Open): Lost {
    this.close();
    return new Lost(used, cause);
  }

  /** The error for a response that began and cannot be read to its end. */
  #broken(error: unknown): RuntimeApiError {
    this.close();
    if (error instanceof RuntimeApiError) return error;
    const { message } = error as Error;
    return new RuntimeApiError(`Cannot read the Runtime API's response: ${message}`, {
      cause: error,
    });
  }

  /** The error for a connection that was lost before the response began. */
  #closed(cause: unknown): UnansweredError {
    return new UnansweredError(
      `Cannot talk to the Runtime API: ${this.#address.authority} closed the connection before it answered`,
      { cause },
    );
  }
}

/** The other side closed the connection before it answered, so that what came of the request is not known. */
export class UnansweredError extends RuntimeApiError {}

/** A connection was lost before the first byte of the response. */
class Lost {
  readonly used: boolean;
  readonly cause: unknown;

  constructor(used: boolean, cause: unknown) {
    this.used = used;
    this.cause = cause;
  }
}

async function writeAll(socket: Socket, ...parts: (Uint8Array | undefined)[]): Promise<void> {
  for (const part of parts) {
    for (let sent = 0; part !== undefined && sent < part.length;) {
      sent += await socket.write(sent === 0 ? part : part.subarray(sent));
    }
  }
}
