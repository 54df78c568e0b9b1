import { lambdaEnvironment } from "../isolation/environment.ts";
import type { Folders, Isolation } from "../isolation/isolation.ts";
import type { FunctionManifest } from "../../manifest/manifest.ts";
import type { Answer } from "../runtime_api/answer.ts";
import type { Invocation } from "../runtime_api/invocation.ts";
import { RuntimeApi } from "../runtime_api/runtime_api.ts";
import { type Ending, exitReason } from "./ending.ts";
import { LogLines } from "./log_lines.ts";
import { measureMemory } from "./memory.ts";

/** What a sandbox runs. */
export interface SandboxOptions {
  /** The name of the function. */
  readonly name: string;
  /** Its settings. */
  readonly manifest: FunctionManifest;
  /** Its unpacked bundle and layer. */
  readonly folders: Folders;
  /** How its process is kept apart from the machine. */
  readonly isolation: Isolation;
}

/** How often the memory of a process is looked at, in milliseconds. */
const MEMORY_INTERVAL = 25;

/** How long a runtime may take to leave after it told of its failure to start, in milliseconds. */
const LEAVE_LIMIT = 500;

/** One process that runs a function, with the Runtime API that it is served by. */
export class Sandbox {
  readonly #api: RuntimeApi;
  readonly #child: Deno.ChildProcess;
  readonly #memory: number;
  readonly #lines: readonly LogLines[];
  readonly #gone: Promise<void>;
  #onLine: (line: string) => void;
  #ending: PromiseWithResolvers<Ending> = Promise.withResolvers();
  #answer: Answer | undefined;
  #peak = 0;
  #phaseEnd = 0;
  #hasEnded = false;
  #isFrozen = false;

  private constructor(
    { memory }: FunctionManifest,
    api: RuntimeApi,
    child: Deno.ChildProcess,
    onLine: (line: string) => void,
  ) {
    this.#api = api;
    this.#child = child;
    this.#memory = memory * 1024 * 1024;
    this.#onLine = onLine;
    this.#lines = [0, 1].map(() => new LogLines((line) => this.#onLine(line)));
    this.#gone = this.#watch();
  }

  /**
   * Starts a process; its init phase begins.
   *
   * @param options What it runs.
   * @param onLine Is called with each line that it logs.
   * @returns The sandbox.
   * @throws {Error} If the process cannot be started.
   */
  static async start(options: SandboxOptions, onLine: (line: string) => void): Promise<Sandbox> {
    const { name, manifest, folders, isolation } = options;
    const { task, layer } = isolation.place(folders);
    // The process that asks exists only once the sandbox does.
    let sandbox: Sandbox;
    const api = await RuntimeApi.listen({
      onNext: () => sandbox.#ending.resolve({ kind: "done" }),
      onInitError: ({ errorType, body }) => {
        sandbox.#ending.resolve({ kind: "init error", errorType, body });
      },
      onAnswer: (answer) => {
        sandbox.#answer = answer;
      },
    });
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
    const logStream = `${day}/[$LATEST]${crypto.randomUUID().replaceAll("-", "")}`;
    const { path, options: commandOptions } = isolation.command(folders, [`${layer}/bootstrap`], {
      ...lambdaEnvironment(name, manifest, { task, logStream }),
      AWS_LAMBDA_RUNTIME_API: api.address,
    });
    try {
      const child = new Deno.Command(path, {
        ...commandOptions,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      sandbox = new Sandbox(manifest, api, child, onLine);
      return sandbox;
    } catch (error) {
      await api[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The identifier of the process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Whether the process has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the process is stopped, as it is between invocations. */
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** The most memory that the process had, in bytes. */
  get peakMemory(): number {
    return this.#peak;
  }

  /** When the last phase ended, before the log was waited for or the process killed, as `performance.now()` tells. */
  get phaseEnd(): number {
    return this.#phaseEnd;
  }

  /** Is fulfilled when the process has ended and all it wrote is handed on. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /**
   * Waits for the end of the init phase.
   *
   * @param limit How long it may take, in milliseconds.
   * @returns How it ended; unless it is done, the process is gone.
   */
  init(limit: number): Promise<Ending> {
    return this.#phase(limit);
  }

  /**
   * Runs an invocation: the sandbox wakes up, and is frozen again at the end.
   *
   * @param invocation The invocation.
   * @param limit How long it may take, in milliseconds.
   * @param onLine Is called with each line that is logged meanwhile.
   * @returns How it ended, and what was answered before that, if anything.
   */
  async run(
    invocation: Invocation,
    limit: number,
    onLine: (line: string) => void,
  ): Promise<{ readonly ending: Ending; readonly answer: Answer | undefined }> {
    this.#onLine = onLine;
    this.#answer = undefined;
    if (!this.#hasEnded) this.#ending = Promise.withResolvers();
    this.#signal("SIGCONT");
    this.#api.invoke(invocation);
    const ending = await this.#phase(limit);
    return { ending, answer: this.#answer };
  }

  /** Stops the process until its next invocation. */
  freeze(): void {
    this.#signal("SIGSTOP");
  }

  /** Kills the process and all that it started, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.#gone;
  }

  async #phase(limit: number): Promise<Ending> {
    const timer = setTimeout(() => this.#ending.resolve({ kind: "timeout" }), limit);
    void this.#measure();
    const watching = setInterval(() => void this.#measure(), MEMORY_INTERVAL);
    const ending = await this.#ending.promise;
    this.#phaseEnd = performance.now();
    clearTimeout(timer);
    clearInterval(watching);
    if (ending.kind === "done") {
      await Promise.all([this.#drain(), this.#measure()]);
    } else {
      if (ending.kind === "init error") await this.#leave();
      await this.kill();
    }
    return ending;
  }

  /** Waits until the runtime has left by itself, or for as long as it may take. */
  async #leave(): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, LEAVE_LIMIT);
    await Promise.race([this.#gone, limit.promise]);
    clearTimeout(timer);
  }

  async #measure(): Promise<void> {
    const memory = await measureMemory(this.#child.pid);
    if (memory === undefined || this.#hasEnded) return;
    this.#peak = Math.max(this.#peak, memory.peak);
    if (memory.own > this.#memory) {
      this.#peak = this.#memory;
      this.#ending.resolve({ kind: "out of memory" });
    }
  }

  /** Hands on what was written before the last request, which may still be in the pipes. */
  async #drain(): Promise<void> {
    const count = () => this.#lines.reduce((sum, lines) => sum + lines.count, 0);
    for (let before = -1, quiet = 0; quiet < 2;) {
      quiet = count() === before ? quiet + 1 : 0;
      before = count();
      await pause(1);
    }
    this.#lines.forEach((lines) => lines.flush());
  }

  async #watch(): Promise<void> {
    const [out, err] = this.#lines;
    const [status] = await Promise.all([
      this.#child.status,
      out!.read(this.#child.stdout),
      err!.read(this.#child.stderr),
    ]);
    this.#hasEnded = true;
    await pause(5); // for an answer that it sent just before
    this.#ending.resolve({ kind: "exit", reason: exitReason(status) });
    await this.#api[Symbol.asyncDispose]();
  }

  #signal(signal: "SIGCONT" | "SIGSTOP" | "SIGKILL"): void {
    if (this.#hasEnded) return;
    try {
      Deno.kill(-this.#child.pid, signal); // the whole group
      this.#isFrozen = signal === "SIGSTOP";
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // it has ended just now
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
