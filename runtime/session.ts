import type { FnHandler } from "../function/context.ts";
import { withRequestId } from "../logger/mod.ts";
import { loggerState } from "../logger/state.ts";
import { type Next, RuntimeClient } from "./client.ts";
import { describeFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import { type ContextMaker, contextMaker, Invocation } from "./invocation.ts";

/** The most milliseconds that the last reports may take. */
const GRACE = 2_000;

/** The invocations of one process. */
export class Session {
  /** The client of the first loop, and of reports that concern no invocation. */
  readonly client: RuntimeClient;

  #host: Host;
  #makeContext: ContextMaker;
  #api: string;
  #isStarted = false;
  #underWay = new Map<Invocation, string>(); // with their request ids
  #ending: { readonly error: unknown } | undefined;

  constructor(host: Host, api: string) {
    this.#host = host;
    this.#makeContext = contextMaker(host);
    this.#api = api;
    this.client = new RuntimeClient(api, host);
  }

  /** The request id of the only invocation under way, or an empty text. */
  get requestId(): string {
    const [id = "", ...others] = this.#underWay.values();
    return others.length === 0 ? id : "";
  }

  /**
   * Serves invocations. If one of several loops fails, the invocations of the other loops are reported as failed.
   *
   * @param concurrency The number of invocations at once. Without it, they come one after the other.
   * @returns Only when the session is ending.
   * @throws {RuntimeApiError} If the Runtime API cannot be reached or asks the process to end.
   */
  async run(handler: FnHandler, concurrency?: number): Promise<void> {
    this.#isStarted = true;
    const clients = [this.client];
    while (clients.length < (concurrency ?? 1)) {
      clients.push(new RuntimeClient(this.#api, this.#host));
    }
    const isAlone = concurrency === undefined;
    if (!isAlone) await separateRequestIds();
    try {
      await Promise.all(clients.map((client) => this.#loop(client, handler, isAlone)));
    } catch (error) {
      await this.end(error);
      throw error;
    } finally {
      for (const client of clients) client.close();
    }
  }

  /**
   * Ends the loops, and reports the error for each invocation under way, or for the start if no loop has begun. Returns
   * when the reports are sent, or when they take too long, for example because nobody reads a stream.
   */
  async end(error: unknown): Promise<void> {
    this.#ending ??= { error };
    let timer;
    const late = new Promise((resolve) => timer = setTimeout(resolve, GRACE));
    try {
      await Promise.race([this.#reportEnd(error), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #reportEnd(error: unknown): Promise<void> {
    if (!this.#isStarted) return await this.client.failInit(describeFailure(error));
    const invocations = [...this.#underWay.keys()];
    for (const invocation of invocations) invocation.abort(error);
    await Promise.allSettled(invocations.map(({ finished }) => finished));
  }

  async #loop(client: RuntimeClient, handler: FnHandler, isAlone: boolean): Promise<void> {
    while (!this.#ending) {
      const next = await client.next();
      // Tracing libraries read the variable. If invocations overlap, the variable could belong to another invocation.
      if (isAlone) {
        this.#host.setEnv("_X_AMZN_TRACE_ID", next.fields.get("lambda-runtime-trace-id"));
      }
      await withRequestId(next.id, () => this.#serve(client, next, handler));
      if (isAlone) await separateRequestIds();
    }
  }

  async #serve(client: RuntimeClient, next: Next, handler: FnHandler): Promise<void> {
    const ending = this.#ending;
    const refuse = () => {
      throw ending!.error;
    };
    const invocation = new Invocation(client, next, ending ? refuse : handler, this.#makeContext);
    this.#underWay.set(invocation, next.id);
    try {
      await invocation.finished;
    } finally {
      this.#underWay.delete(invocation);
    }
  }
}

/**
 * Loads the store of the request ids after the first invocation, which does not need the store. The logger would load the
 * store during the second invocation and would take three times as long.
 */
async function separateRequestIds(): Promise<void> {
  const state = loggerState();
  if (state.store) return;
  const { AsyncLocalStorage } = await import("node:async_hooks");
  state.store = new AsyncLocalStorage<string>();
}

/**
 * Reads the number of invocations that the platform sends at once.
 *
 * @returns The number, or `undefined` if the invocations come one after the other.
 * @throws {TypeError} If the number is malformed.
 */
export function readConcurrency(host: Host): number | undefined {
  const text = host.getEnv("AWS_LAMBDA_MAX_CONCURRENCY");
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new TypeError(
    `Invalid AWS_LAMBDA_MAX_CONCURRENCY ${JSON.stringify(text)}: expected a number from 1 to 9999`,
  );
}
