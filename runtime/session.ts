import type { FnHandler } from "../function/context.ts";
import { withRequestId } from "../logger/mod.ts";
import { type Address, parseAddress } from "./address.ts";
import { type Next, RuntimeClient } from "./client.ts";
import { readSurroundings, type Surroundings } from "./context.ts";
import { describeFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import { Invocation } from "./invocation.ts";

/** How long the last reports may take, in milliseconds. */
const GRACE = 2_000;

/** What one process has to do with the Runtime API. */
export class Session {
  /** The client for what concerns no invocation, and for the first of those at once. */
  readonly client: RuntimeClient;

  #host: Host;
  #address: Address;
  #surroundings: Surroundings;
  #overlapping = false;
  #started = false;
  #underWay = new Set<Invocation>(); // what is not answered yet
  #ending: { readonly error: unknown } | undefined;

  /**
   * Reads the environment.
   *
   * @param host The host of this process.
   * @param api The host and port of the Runtime API.
   * @throws {TypeError} If the address is malformed.
   */
  constructor(host: Host, api: string) {
    this.#host = host;
    this.#address = parseAddress(api);
    this.#surroundings = readSurroundings(host);
    this.client = new RuntimeClient(this.#address, host);
  }

  /**
   * Serves invocations. Where several are under way and one of them, or the fetching of the next, brings the end, the
   * others are reported as failed.
   *
   * @param handler The handler.
   * @param concurrency How many at once; one after the other without.
   * @returns Only when the session is ending.
   * @throws {RuntimeApiError} If the Runtime API cannot be reached or wants the process to end.
   */
  async run(handler: FnHandler, concurrency?: number): Promise<void> {
    this.#started = true;
    this.#overlapping = concurrency !== undefined;
    const clients = [this.client];
    for (let i = 1; i < (concurrency ?? 1); i++) {
      clients.push(new RuntimeClient(this.#address, this.#host));
    }
    try {
      await Promise.all(clients.map((client) => this.#loop(client, handler)));
    } catch (error) {
      for (const client of clients) client.stopFetching();
      await this.end(error);
      throw error;
    } finally {
      for (const client of clients) client.close();
    }
  }

  /**
   * Fetches nothing more, and reports the reason for what is under way and what still arrives, or else for the start.
   * Returns when that is done or takes too long, as where nobody reads what a stream sends.
   */
  async end(error: unknown): Promise<void> {
    this.#ending ??= { error };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE);
    });
    try {
      await Promise.race([this.#reportEnd(error), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #reportEnd(error: unknown): Promise<void> {
    if (!this.#started) return await this.client.failInit(describeFailure(error));
    while (this.#underWay.size > 0) {
      for (const invocation of this.#underWay) invocation.abort(error);
      await Promise.allSettled(Array.from(this.#underWay, ({ finished }) => finished));
    }
  }

  async #loop(client: RuntimeClient, handler: FnHandler): Promise<void> {
    while (!this.#ending) {
      const next = await client.next();
      if (!this.#overlapping) {
        // The tracing libraries read it there; where invocations overlap it would be another's.
        this.#host.setEnv("_X_AMZN_TRACE_ID", next.fields.get("lambda-runtime-trace-id"));
      }
      await withRequestId(next.id, () => this.#serve(client, next, handler));
    }
  }

  async #serve(client: RuntimeClient, next: Next, handler: FnHandler): Promise<void> {
    const invocation = new Invocation(client, next, this.#refusal ?? handler, this.#surroundings);
    this.#underWay.add(invocation);
    try {
      await invocation.finished;
    } finally {
      this.#underWay.delete(invocation);
    }
  }

  /** What stands in for the handler where an invocation arrives too late. */
  get #refusal(): FnHandler | undefined {
    const ending = this.#ending;
    return ending && (() => {
      throw ending.error;
    });
  }
}

/**
 * Reads how many invocations the platform sends at once.
 *
 * @returns The number; `undefined` where it sends one after the other.
 * @throws {TypeError} If it is malformed.
 */
export function readConcurrency(host: Host): number | undefined {
  const text = host.getEnv("AWS_LAMBDA_MAX_CONCURRENCY");
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new TypeError(
    `Cannot use AWS_LAMBDA_MAX_CONCURRENCY: expected a number from 1 to 9999, got ${
      JSON.stringify(text)
    }`,
  );
}
