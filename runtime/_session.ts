import type { FnHandler } from "../function/context.ts";
import { withRequestId } from "../logger/mod.ts";
import { loggerState } from "../logger/_state.ts";
import { parseAddress } from "./_address.ts";
import { type Next, RuntimeClient } from "./_client.ts";
import { readSurroundings, type Surroundings } from "./_context.ts";
import type { Host } from "./_host.ts";
import { Invocation } from "./_invocation.ts";

/** What one process has to do with the Runtime API. */
export class Session {
  /** The invocations that are not answered yet. */
  readonly underWay: Set<Invocation> = new Set();
  /** Whether no further invocation is to be fetched. */
  ending = false;

  #host: Host;
  #clients: readonly RuntimeClient[];
  #surroundings: Surroundings;
  #overlapping: boolean;

  /**
   * Reads the environment.
   *
   * @param host The host of this process.
   * @param api The host and port of the Runtime API.
   * @throws {TypeError} If the address, or the number of invocations at once, is malformed.
   */
  constructor(host: Host, api: string) {
    const address = parseAddress(api);
    const concurrency = host.getEnv("AWS_LAMBDA_MAX_CONCURRENCY");
    this.#host = host;
    this.#overlapping = concurrency !== undefined;
    this.#clients = Array.from({ length: parseConcurrency(concurrency) }, () => {
      return new RuntimeClient(address, host);
    });
    this.#surroundings = readSurroundings(host);
  }

  /** The client for what concerns no invocation. */
  get client(): RuntimeClient {
    return this.#clients[0]!;
  }

  /**
   * Serves invocations, as many at once as the environment says.
   *
   * @returns Only when the session is ending.
   * @throws {RuntimeApiError} If the Runtime API cannot be reached or wants the process to end.
   */
  async run(handler: FnHandler): Promise<void> {
    try {
      await Promise.all(this.#clients.map((client) => this.#loop(client, handler)));
    } finally {
      this.ending = true;
      for (const client of this.#clients) client.close();
    }
  }

  async #loop(client: RuntimeClient, handler: FnHandler): Promise<void> {
    const state = loggerState();
    while (!this.ending) {
      const next = await client.next();
      if (this.#overlapping) {
        await withRequestId(next.id, () => this.#serve(client, next, handler));
      } else {
        state.requestId = next.id;
        // The tracing libraries read it there; where invocations overlap it would be another's.
        this.#host.setEnv("_X_AMZN_TRACE_ID", next.fields.get("lambda-runtime-trace-id"));
        await this.#serve(client, next, handler);
        state.requestId = "";
      }
    }
  }

  async #serve(client: RuntimeClient, next: Next, handler: FnHandler): Promise<void> {
    const invocation = new Invocation(client, next, handler, this.#surroundings);
    this.underWay.add(invocation);
    try {
      await invocation.finished;
    } finally {
      this.underWay.delete(invocation);
    }
  }
}

function parseConcurrency(text: string | undefined): number {
  if (text === undefined) return 1;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new TypeError(
    `Cannot use AWS_LAMBDA_MAX_CONCURRENCY: expected a number from 1 to 9999, got ${
      JSON.stringify(text)
    }`,
  );
}
