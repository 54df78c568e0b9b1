/** A Runtime API for the tests. It uses plain TCP, so that it can break every rule of HTTP. */
import { concat, Reader } from "../reader.ts";

const ENCODER = new TextEncoder();

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly trailers: Record<string, string>;
  readonly body: string;
  /** The sizes of the chunks of a chunked body. */
  readonly chunks: number[];
}

/** The answer to a request. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Bytes to send instead of status, headers and body. */
  readonly raw?: string;
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

/** Answers *next* with each event of a list, then with 410. Accepts every report, unless a test sets another answer. */
export class StubApi implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  /** The number of connections so far. */
  connections = 0;
  /** Called for each head before the body is read. A returned answer is sent at once, and ends the connection. */
  onHead: (path: string, stub: StubApi) => StubAnswer | undefined = () => undefined;
  /** Called for the size of each chunk of a chunked body. */
  onChunk: (size: number) => unknown = () => {};
  /** Called for each request. If the result is `undefined`, the stub sends the usual answer. */
  onRequest: (request: StubRequest, stub: StubApi) => StubAnswer | undefined = () => undefined;
  #events: StubAnswer[];
  #listener: Deno.TcpListener;
  #open = new Set<Deno.TcpConn>();
  #end = Promise.withResolvers<void>();
  #done: Promise<void>;

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.resolve(); // so that no answer waits any longer
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    this.#open.clear();
    await this.#done;
  }

  async #accept(): Promise<void> {
    const served: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        this.#open.add(connection);
        this.connections++;
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
    const source = new Reader(connection);
    for (;;) {
      const head = await source.takeUntil("\r\n\r\n");
      const [line, ...fields] = head.split("\r\n");
      const [method = "", path = ""] = line!.split(" ");
      const early = this.onHead(path, this);
      if (early) {
        await this.#send(connection, early);
        await connection.closeWrite();
        // If the stub closed the connection now, unread bytes would reset it, and the answer could be lost.
        while (await connection.read(new Uint8Array(65_536)) !== null);
        return;
      }
      const headers = parseFields(fields);
      const chunks: number[] = [];
      let trailers: Record<string, string> = {};
      let body = await source.take(Number(headers["content-length"] ?? 0));
      if (headers["transfer-encoding"] === "chunked") {
        for (;;) {
          const size = parseInt(await source.takeUntil("\r\n"), 16);
          if (size === 0) break;
          chunks.push(size);
          body = concat(body, await source.take(size));
          this.onChunk(size);
          await source.take(2);
        }
        const lines: string[] = [];
        for (let line; (line = await source.takeUntil("\r\n"));) lines.push(line);
        trailers = parseFields(lines);
      }
      const text = new TextDecoder().decode(body);
      const request: StubRequest = { method, path, headers, trailers, body: text, chunks };
      this.requests.push(request);
      const answer = this.onRequest(request, this) ?? this.#usual(request);
      await this.#send(connection, answer);
      if (answer.close) return;
    }
  }

  async #send(connection: Deno.TcpConn, answer: StubAnswer): Promise<void> {
    if (answer.delay) await new Promise((resolve) => setTimeout(resolve, answer.delay));
    await Promise.race([answer.until, this.#end.promise]);
    await send(connection, answer);
  }

  #usual({ path }: StubRequest): StubAnswer {
    if (!path.endsWith("/next")) return { status: 202, body: '{"status":"OK"}\n' };
    return this.#events.shift() ?? { status: 410, body: "no more" };
  }
}

async function send(connection: Deno.TcpConn, answer: StubAnswer): Promise<void> {
  const { raw, status = 200, headers = {}, body = "" } = answer;
  const content = typeof body === "string" ? ENCODER.encode(body) : body;
  const fields = Object.entries({ "Content-Length": String(content.length), ...headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  let bytes = concat(ENCODER.encode(`HTTP/1.1 ${status} X\r\n${head}\r\n`), content);
  if (raw !== undefined) bytes = ENCODER.encode(raw);
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

function parseFields(lines: string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
}
