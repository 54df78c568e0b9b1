/** A Runtime API for the tests: plain TCP, so that it can break every rule. */

/** A request, as received. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly trailers: Record<string, string>;
  readonly body: string;
  readonly size: number;
  /** The sizes of the chunks, of a chunked body. */
  readonly chunks: number[];
  /** The number of its connection, from 0. */
  readonly connection: number;
}

/** What to answer a request with. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** What to send instead of all that. */
  readonly raw?: string | Uint8Array;
  /** In pieces of how many bytes. */
  readonly pieces?: number;
  /** Wait before it, in milliseconds. */
  readonly delay?: number;
  /** Wait for it before. */
  readonly until?: Promise<unknown> | undefined;
  /** Close the connection after it. */
  readonly close?: boolean;
}

const ENCODER = new TextEncoder();

/** An invocation, as *next* answers it. */
export function invocation(
  event: unknown,
  headers: Record<string, string> = {},
  more: StubAnswer = {},
): StubAnswer {
  const body = typeof event === "string" ? event : JSON.stringify(event);
  return {
    body,
    ...more,
    headers: { "Lambda-Runtime-Aws-Request-Id": crypto.randomUUID(), ...headers },
  };
}

/** Serves *next* from a list, then 410; takes every report, unless told otherwise. */
export class StubApi implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  /** Asked for each head before the body is read; an answer is sent at once and the connection closed. */
  onHead: (path: string) => StubAnswer | undefined = () => undefined;
  /** Asked for each request. */
  onRequest: (request: StubRequest) => StubAnswer | undefined = () => undefined;
  #events: StubAnswer[];
  #listener: Deno.TcpListener;
  #open = new Set<Deno.TcpConn>();
  #done: Promise<void>;
  #count = 0;

  constructor(events: StubAnswer[], hostname = "127.0.0.1") {
    this.#events = events;
    this.#listener = Deno.listen({ hostname, port: 0 });
    this.#done = this.#accept();
  }

  get api(): string {
    const { hostname, port } = this.#listener.addr;
    return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  }

  /** The requests that report something. */
  get posts(): StubRequest[] {
    return this.requests.filter(({ method }) => method === "POST");
  }

  get connections(): number {
    return this.#count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) {
      this.#open.delete(connection);
      connection.close();
    }
    await this.#done;
  }

  /** Says something unasked over every connection, and closes them, so that both have arrived when it resolves. */
  async hangUp(last = ""): Promise<void> {
    for (const connection of this.#open) {
      await send(connection, { raw: last });
      this.#open.delete(connection);
      connection.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async #accept(): Promise<void> {
    const served: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        this.#open.add(connection);
        const number = this.#count++;
        served.push(
          this.#serve(connection, number).catch(() => {}).finally(() => {
            if (this.#open.delete(connection)) connection.close();
          }),
        );
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
    await Promise.all(served);
  }

  async #serve(connection: Deno.TcpConn, number: number): Promise<void> {
    const source = new Source(connection);
    for (;;) {
      const head = await source.until("\r\n\r\n");
      if (head === undefined) return;
      const [line, ...fields] = head.split("\r\n");
      const [method, path] = line!.split(" ");
      const headers = parseFields(fields);
      const early = this.onHead(path!);
      if (early) {
        await send(connection, early);
        return;
      }
      const chunks: number[] = [];
      let trailers: Record<string, string> = {};
      let bytes = await source.take(Number(headers["content-length"] ?? 0));
      if (headers["transfer-encoding"] === "chunked") {
        const parts: Uint8Array[] = [];
        for (;;) {
          const size = parseInt((await source.until("\r\n"))!, 16);
          if (size === 0) break;
          chunks.push(size);
          parts.push(await source.take(size));
          await source.take(2);
        }
        const lines: string[] = [];
        for (let field = await source.until("\r\n"); field; field = await source.until("\r\n")) {
          lines.push(field);
        }
        trailers = parseFields(lines);
        bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
      }
      const request: StubRequest = {
        method: method!,
        path: path!,
        headers,
        trailers,
        body: new TextDecoder().decode(bytes),
        size: bytes.length,
        chunks,
        connection: number,
      };
      this.requests.push(request);
      const answer = this.onRequest(request) ?? this.#usual(request);
      await send(connection, answer);
      if (answer.close) return;
    }
  }

  #usual({ path }: StubRequest): StubAnswer {
    if (!path.endsWith("/next")) return { status: 202, body: '{"status":"OK"}\n' };
    return this.#events.shift() ?? { status: 410, body: "no more" };
  }
}

async function send(connection: Deno.TcpConn, answer: StubAnswer): Promise<void> {
  if (answer.delay) await new Promise((resolve) => setTimeout(resolve, answer.delay));
  await answer.until;
  const bytes = render(answer);
  const size = answer.pieces ?? Math.max(bytes.length, 1);
  for (let start = 0; start < bytes.length; start += size) {
    const piece = bytes.subarray(start, start + size);
    for (let sent = 0; sent < piece.length;) sent += await connection.write(piece.subarray(sent));
    if (answer.pieces) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** The bytes of an answer. */
export function render(answer: StubAnswer): Uint8Array {
  const { raw, status = 200, headers = {}, body = "" } = answer;
  if (raw !== undefined) return typeof raw === "string" ? ENCODER.encode(raw) : raw;
  const content = typeof body === "string" ? ENCODER.encode(body) : body;
  const fields = Object.entries({ "Content-Length": String(content.length), ...headers });
  const head = ENCODER.encode(
    `HTTP/1.1 ${status} X\r\n${fields.map(([n, v]) => `${n}: ${v}\r\n`).join("")}\r\n`,
  );
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

function parseFields(lines: string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
}

/** Reads a connection by pieces. */
class Source {
  #connection: Deno.TcpConn;
  #buffer = new Uint8Array(0);

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** The text before a mark, without it; `undefined` at the end. */
  async until(mark: string): Promise<string | undefined> {
    for (;;) {
      const text = String.fromCharCode(...this.#buffer.subarray(0, 100_000));
      const end = text.indexOf(mark);
      if (end !== -1) {
        this.#buffer = this.#buffer.subarray(end + mark.length);
        return text.slice(0, end);
      }
      if (!await this.#more()) return undefined;
    }
  }

  /** So many bytes. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count);
    let length = 0;
    for (;;) {
      const part = this.#buffer.subarray(0, count - length);
      bytes.set(part, length);
      length += part.length;
      this.#buffer = this.#buffer.subarray(part.length);
      if (length === count) return bytes;
      if (!await this.#more()) throw new Error("The request ended early");
    }
  }

  async #more(): Promise<boolean> {
    const chunk = new Uint8Array(64 * 1024);
    const count = await this.#connection.read(chunk);
    if (count === null) return false;
    const whole = new Uint8Array(this.#buffer.length + count);
    whole.set(this.#buffer);
    whole.set(chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = whole;
    return true;
  }
}
