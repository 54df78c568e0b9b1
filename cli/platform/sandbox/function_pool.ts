import type { InvokeOptions, InvokeOutcome } from "../function_host.ts";
import type { Folders, Isolation } from "../isolation/isolation.ts";
import type { FunctionManifest } from "../../manifest/manifest.ts";
import { Execution } from "./execution.ts";
import { Sandbox } from "./sandbox.ts";

/** What a pool runs, and how. */
export interface FunctionPoolOptions {
  /** The name of the function. */
  readonly name: string;
  /** How processes are kept apart from the machine. */
  readonly isolation: Isolation;
  /** Is called with each line of the function's log. */
  readonly log: (line: string) => void;
  /** The most sandboxes at a time; further invocations wait. */
  readonly concurrency: number;
  /** How long a sandbox is kept that nothing invokes, in milliseconds. */
  readonly idleLimit: number;
  /** How long the init phase may take, in milliseconds. */
  readonly initLimit: number;
}

/** A function's code and settings, as they are now. */
export interface Code {
  /** The settings. */
  readonly manifest: FunctionManifest;
  /** The unpacked bundle and layer. */
  readonly folders: Folders;
}

/** The sandboxes of one function: each runs one invocation at a time, and there are as many as are needed at once. */
export class FunctionPool implements AsyncDisposable {
  readonly #options: FunctionPoolOptions;
  #code: Code;
  /** Frozen sandboxes with the present code, the last used one last. */
  readonly #idle: { readonly sandbox: Sandbox; readonly timer: ReturnType<typeof setTimeout> }[] =
    [];
  /** All sandboxes, and what is still being killed. */
  readonly #all = new Set<Sandbox>();
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #busy = 0;
  #isDisposed = false;

  /**
   * Makes a pool without sandboxes.
   *
   * @param options What it runs, and how.
   * @param code The code.
   */
  constructor(options: FunctionPoolOptions, code: Code) {
    this.#options = options;
    this.#code = code;
  }

  /** The sandboxes that there are, for a look at their processes. */
  get sandboxes(): readonly Sandbox[] {
    return [...this.#all];
  }

  /**
   * Takes other code for the invocations from now on; what is under way ends with the code it began with.
   *
   * @param code The code.
   */
  async replace(code: Code): Promise<void> {
    this.#code = code;
    await Promise.all(
      this.#idle.splice(0).map(({ sandbox, timer }) => {
        clearTimeout(timer);
        return this.#end(sandbox);
      }),
    );
  }

  /**
   * Invokes the function.
   *
   * @param payload The event.
   * @param options What the caller passes along.
   * @returns How it ended.
   * @throws {Error} If the pool is, or gets, disposed of before the invocation begins.
   */
  async invoke(payload: Uint8Array, options: InvokeOptions): Promise<InvokeOutcome> {
    await this.#enter();
    const code = this.#code;
    const { name, log, initLimit, isolation } = this.#options;
    const execution = new Execution({ name, manifest: code.manifest, payload, options, log });
    try {
      const sandbox = await execution.run({
        idle: () => this.#takeIdle(),
        start: async (onLine) => {
          const started = await Sandbox.start({ name, ...code, isolation }, onLine);
          this.#all.add(started);
          void started.gone.then(() => this.#all.delete(started));
          if (this.#isDisposed) await started.kill();
          return started;
        },
        initLimit,
      });
      if (sandbox !== undefined) await this.#giveBack(sandbox, code);
    } finally {
      this.#busy--;
      this.#waiting.shift()?.resolve();
    }
    return execution.outcome;
  }

  /** Kills every sandbox, whatever it is doing. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#stopping());
    await Promise.all([...this.#all].map((sandbox) => this.#end(sandbox)));
  }

  /** Waits for a turn. */
  async #enter(): Promise<void> {
    while (!this.#isDisposed && this.#busy >= this.#options.concurrency) {
      const turn = Promise.withResolvers<void>();
      this.#waiting.push(turn);
      await turn.promise;
    }
    if (this.#isDisposed) throw this.#stopping();
    this.#busy++;
  }

  #stopping(): Error {
    return new Error(`Cannot invoke "${this.#options.name}": the local platform is stopping`);
  }

  /** The sandbox that was used last, if one is idle. */
  #takeIdle(): Sandbox | undefined {
    for (let entry = this.#idle.pop(); entry !== undefined; entry = this.#idle.pop()) {
      clearTimeout(entry.timer);
      if (!entry.sandbox.hasEnded) return entry.sandbox;
    }
    return undefined;
  }

  /** Freezes a sandbox until it is needed, or ends it when its code is no longer what counts. */
  async #giveBack(sandbox: Sandbox, code: Code): Promise<void> {
    if (sandbox.hasEnded) return;
    if (this.#isDisposed || code !== this.#code) return await this.#end(sandbox);
    sandbox.freeze();
    const timer = setTimeout(() => {
      const index = this.#idle.findIndex((entry) => entry.sandbox === sandbox);
      if (index < 0) return;
      this.#idle.splice(index, 1);
      void this.#end(sandbox);
    }, this.#options.idleLimit);
    this.#idle.push({ sandbox, timer });
  }

  #end(sandbox: Sandbox): Promise<void> {
    return sandbox.kill();
  }
}
