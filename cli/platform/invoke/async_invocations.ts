import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { FunctionHost, InvokeOptions } from "../../lambda/function_host.ts";
import type { Log } from "../log.ts";

/**
 * Invokes functions for callers that do not wait. If an invocation fails, it is repeated at most twice, with the same event
 * and the same request identifier.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export class AsyncInvocations implements Disposable {
  readonly #host: FunctionHost;
  readonly #log: Log;
  readonly #retryDelays: readonly number[];
  readonly #underWay: Set<Promise<void>> = new Set();
  readonly #stop: AbortController = new AbortController();

  /** The delays come before the retries, in milliseconds. AWS Lambda waits 1 and 2 minutes. */
  constructor(host: FunctionHost, log: Log, retryDelays: readonly number[] = [1_000, 2_000]) {
    this.#host = host;
    this.#log = log;
    this.#retryDelays = retryDelays;
  }

  start(functionName: string, payload: Uint8Array, options: InvokeOptions = {}): string {
    const requestId = options.requestId ?? randomUUID();
    const run = this.#run(functionName, payload, { ...options, requestId });
    this.#underWay.add(run);
    run.finally(() => this.#underWay.delete(run));
    return requestId;
  }

  /** Whether an invocation or a retry is left. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Waits until no invocation and no retry is left. */
  async settled(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#underWay);
  }

  /** Stops the retries. The host ends the running invocations. */
  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #run(functionName: string, payload: Uint8Array, options: InvokeOptions): Promise<void> {
    const { signal } = this.#stop;
    for (const delay of [0, ...this.#retryDelays]) {
      await setTimeout(delay, undefined, { signal }).catch(() => {}); // The platform ends.
      if (signal.aborted) return;
      try {
        const { failure } = await this.#host.invoke(functionName, payload, options);
        if (failure === undefined) return;
      } catch (error) {
        if (signal.aborted) return;
        this.#log.note(`Cannot invoke "${functionName}": ${(error as Error).message}`);
      }
    }
    if (signal.aborted) return;
    const attempts = this.#retryDelays.length + 1;
    this.#log.note(
      `Gave up the event of "${functionName}" after ${attempts} attempts: RequestId ${options.requestId}`,
    );
  }
}
