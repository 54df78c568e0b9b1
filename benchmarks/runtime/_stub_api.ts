/** A Runtime API that costs little, so that what is measured is its client. */

const ENCODER = new TextEncoder();
const TAKEN = ENCODER.encode(
  'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"status":"OK"}\n',
);

/** What to send as the n-th invocation. */
export type Events = (index: number) => string;

/** Serves one client: so many invocations, then none, as in an idle sandbox. */
export class StubApi {
  /** When the first *next* came, as `performance.now()`. */
  readonly started: Promise<number>;
  /** When the last invocation was answered. */
  readonly ended: Promise<number>;
  /** How many invocations were answered. */
  answered = 0;
  /** How many of the answers were failures. */
  failures = 0;
  /** Called with the body of each answer, as it was sent. */
  onAnswer: (body: string) => void = () => {};

  #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  #connections = new Set<Deno.TcpConn>();
  #count: number;
  #events: Events;
  #start!: (time: number) => void;
  #end!: (time: number) => void;
  #sent = 0;

  constructor(count: number, events: Events) {
    this.#count = count;
    this.#events = events;
    this.started = new Promise((resolve) => this.#start = resolve);
    this.ended = new Promise((resolve) => this.#end = resolve);
    this.#accept();
  }

  get api(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  close(): void {
    this.#listener.close();
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }

  async #accept(): Promise<void> {
    try {
      for await (const connection of this.#listener) {
        connection.setNoDelay(true);
        this.#connections.add(connection);
        this.#serve(connection).catch((error) => {
          if (!this.#connections.delete(connection)) return; // closed by close()
          connection.close();
          if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
        });
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(1 << 20);
    const decoder = new TextDecoder("latin1");
    let length = 0;
    for (;;) {
      const count = await connection.read(buffer.subarray(length));
      if (count === null) return;
      length += count;
      const text = decoder.decode(buffer.subarray(0, length));
      const head = text.indexOf("\r\n\r\n");
      if (head === -1) continue;
      const fields = text.slice(0, head).toLowerCase();
      const announced = /content-length: (\d+)/.exec(fields);
      if (announced && length < head + 4 + Number(announced[1])) continue;
      const streamed = fields.includes("transfer-encoding: chunked");
      if (streamed && !text.endsWith("\r\n0\r\n\r\n")) continue;
      length = 0; // no client sends the next request before the answer
      if (text.startsWith("GET")) {
        if (this.#sent === 0) this.#start(performance.now());
        if (this.#sent < this.#count) await send(connection, this.#next(this.#sent++));
      } else {
        this.answered++;
        this.onAnswer(text.slice(head + 4));
        if (/^post \S+\/error /.test(fields)) this.failures++;
        if (this.answered === this.#count) this.#end(performance.now());
        await send(connection, TAKEN);
      }
    }
  }

  #next(index: number): Uint8Array {
    const event = this.#events(index);
    return ENCODER.encode(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" +
        `Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-${
          String(index).padStart(12, "0")
        }\r\nLambda-Runtime-Deadline-Ms: ${Date.now() + 3_000}\r\n` +
        "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:eu-west-1:123456789012:function:f\r\n" +
        "Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=1\r\n" +
        `Content-Length: ${ENCODER.encode(event).length}\r\n\r\n${event}`,
    );
  }
}

async function send(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}
