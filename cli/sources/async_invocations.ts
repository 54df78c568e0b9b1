import { randomUUID } from "node:crypto";
import { Clock } from "../aws/clock.ts";
import type { FunctionHost, InvocationFacts, InvokeOptions } from "../lambda/function_host.ts";
import { createTraceId } from "../rules/arn.ts";
import { LoopError } from "../lambda/loops.ts";
import type { Log } from "../lambda/log.ts";

/** The options of an invocation whose caller does not wait. */
export interface AsyncOptions extends InvokeOptions {
  readonly facts: Pick<InvocationFacts, "trigger">;
}

/**
 * Invokes functions for callers that do not wait. If an invocation fails, it is repeated at most twice, with the same event
 * and the same request identifier.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export class AsyncInvocations implements Disposable {
  readonly #underWay: Set<Promise<void>> = new Set();
  readonly #stop: AbortController = new AbortController();

  /** The delays come before the retries, in milliseconds. AWS Lambda waits 1 and 2 minutes. */
  constructor(
    private readonly host: FunctionHost,
    private readonly log: Log,
    private readonly retryDelays: readonly number[] = [1_000, 2_000],
    private readonly clock: Clock = new Clock(),
  ) {}

  start(functionName: string, payload: Uint8Array, options: AsyncOptions): string {
    const { requestId = randomUUID(), traceId = createTraceId() } = options;
    const run = this.#run(functionName, payload, { ...options, requestId, traceId });
    this.#underWay.add(run);
    run.finally(() => this.#underWay.delete(run));
    return requestId;
  }

  /** Whether an invocation or a retry is left. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Stops the retries. The host ends the running invocations. */
  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #run(functionName: string, payload: Uint8Array, options: AsyncOptions): Promise<void> {
    const { signal } = this.#stop;
    const last = this.retryDelays.length + 1;
    let attempts = 0;
    for (const delay of [0, ...this.retryDelays]) {
      await this.clock.sleep(delay, signal);
      if (signal.aborted) break;
      attempts++;
      try {
        const number = attempts;
        const { failure } = await this.host.invoke(functionName, payload, {
          ...options,
          facts: {
            ...options.facts,
            attempt: { number, last },
            rest: (outcome) =>
              outcome?.failure === undefined && outcome !== undefined
                ? {}
                : { [number < last ? "retried" : "dropped"]: 1 },
          },
        });
        if (failure === undefined) return;
      } catch (error) {
        if (signal.aborted) break; // The host has ended the invocation.
        if (error instanceof LoopError) return this.log.note(error.message); // A retry would go on with it.
        const action = `Cannot invoke "${functionName}": `; // A host that refuses says so itself.
        const { message } = error as Error;
        this.log.note(message.startsWith(action) ? message : action + message);
      }
    }
    const fate = signal.aborted && attempts < last
      ? `Dropped the event of "${functionName}" after ${attempts} of ${last} attempts, because the application stops or restarts`
      : `Gave up the event of "${functionName}" after ${last} attempts`;
    this.log.note(`${fate}: RequestId ${options.requestId}`);
  }
}
