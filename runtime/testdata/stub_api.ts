/** A Runtime API for the tests. It speaks plain TCP, so that it can break every rule of HTTP. */

import { concat } from "../response.ts";

/** A request, as it was received. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly trailers: Record<string, string>;
  readonly body: string;
  readonly size: number;
  /** The sizes of the chunks of a chunked body. */
  readonly chunks: number[];
}

/** The answer to a request. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Bytes to send instead of status, headers and body. */
  readonly raw?: string | Uint8Array;
  /** The size of the pieces that are sent, in bytes. */
  readonly pieces?: number;
  /** The time to wait before the answer, in milliseconds. */
  readonly delay?: number;
  /** A promise to wait for before the answer. */
  readonly until?: Promise<unknown> | undefined;
  /** Close the connection after the answer. */
  readonly close?: boolean;
}

/** Makes the answer to *next* that brings an event. */
export function invocation(
  event: unknown,
  headers: Record<string, string> = {},
  more: StubAnswer = {},
): StubAnswer {
  return {
    body: JSON.stringify(event),
    ...more,
    headers: { "Lambda-Runtime-Aws-Request-Id": crypto.randomUUID(), ...headers },
  };
}

/** Answers *next* from a list of events, then with 410. It accepts every report, unless a test says otherwise. */
export class StubApi implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  /** Called for each head before the body is read. A returned answer is sent at once, and the connection is closed. */
  onHead: (path: string) => StubAnswer | undefined = () => undefined;
  /** Called for each request. `undefined` stands for the usual answer. */
  onRequest: (request: StubRequest) => StubAnswer | undefined = () => undefined;
  #events: StubAnswer[];
  #listener: Deno.TcpListener;
  #open = new Set<Deno.TcpConn>();
  #done: Promise<void>;
  #count = 0;

  constructor(events: StubAnswer[]) {
    this.#events = events;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#done = this.#accept();
  }

  get api(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  /** The reports. */
  get posts(): StubRequest[] {
    return this.requests.filter(({ method }) => method === "POST");
  }

  get connections(): number {
    return this.#count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#closeAll();
    await this.#done;
  }

  /** Closes every connection, and waits until the other side can see it. */
  async hangUp(): Promise<void> {
    this.#closeAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #closeAll(): void {
    for (const connection of this.#open) connection.close();
    this.#open.clear();
  }

  async #accept(): Promise<void> {
    const served: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        this.#open.add(connection);
        this.#count++;
        served.push(
          this.#serve(connection).catch(() => {}).finally(() => {
            if (this.#open.delete(connection)) connection.close();
          }),
        );
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
    await Promise.all(served);
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
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
        bytes = concat(...parts);
      }
      const request: StubRequest = {
        method: method!,
        path: path!,
        headers,
        trailers,
        body: new TextDecoder().decode(bytes),
        size: bytes.length,
        chunks,
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
  const { raw, status = 200, headers = {}, body = "", pieces } = answer;
  const content = toBytes(body);
  const fields = Object.entries({ "Content-Length": String(content.length), ...headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const bytes = raw === undefined
    ? concat(toBytes(`HTTP/1.1 ${status} X\r\n${head}\r\n`), content)
    : toBytes(raw);
  for (let start = 0; start < bytes.length;) {
    start += await connection.write(bytes.subarray(start, start + (pieces ?? bytes.length)));
    if (pieces) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function parseFields(lines: string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
}

/** Reads a connection in pieces. */
class Source {
  #connection: Deno.TcpConn;
  #buffer = new Uint8Array(0);

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Reads the text before a mark. Resolves to `undefined` at the end of the connection. */
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

  /** Reads that many bytes. */
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
    this.#buffer = concat(this.#buffer, chunk.subarray(0, count));
    return true;
  }
}
