import { dirname } from "node:path";
import type { FunctionManifest } from "../../manifest/manifest.ts";
import { logStreamName } from "../arn.ts";
import { lambdaEnvironment } from "../isolation/environment.ts";
import type { Folders, Isolation } from "../isolation/isolation.ts";
import { makeTmp, MAX_TMP, removeTmp, sizeOfTmp } from "../isolation/tmp_folder.ts";
import type { Answer, Invocation } from "../runtime_api/invocation.ts";
import { RuntimeApi } from "../runtime_api/runtime_api.ts";
import { LogLines } from "./log_lines.ts";
import { measureMemory } from "./memory.ts";
import { type Ending, exitReason } from "./report.ts";

export interface Code {
  readonly manifest: FunctionManifest;
  /** The unpacked bundle and layer. */
  readonly folders: Omit<Folders, "tmp">;
}

/** How often the memory of a process is measured, in milliseconds. */
const MEMORY_INTERVAL = 25;

/** How often the size of `/tmp` is measured, in milliseconds. */
const TMP_INTERVAL = 1_000;

/** How long a runtime may take to leave after it reported that it cannot start, in milliseconds. */
const LEAVE_LIMIT = 500;

/** One process that runs a function, with the Runtime API that serves it. */
export class Sandbox {
  /** Is fulfilled when the process has ended and its output is handed on. */
  readonly gone: Promise<void>;
  /** The most memory that the process had, in bytes. */
  peakMemory = 0;
  /** When the last phase ended, by `performance.now()`, without the wait for the log or for the end of the process. */
  phaseEnd = 0;
  hasEnded = false;
  /** Whether the process is stopped, as it is between invocations. */
  isFrozen = false;
  readonly #api: RuntimeApi;
  readonly #child: Deno.ChildProcess;
  readonly #memory: number;
  /** The folder for `/tmp`, if it is the sandbox's own. */
  readonly #tmp: string | undefined;
  readonly #lines: readonly LogLines[];
  /** Is fulfilled if the process exits or exceeds a limit. */
  readonly #broken = Promise.withResolvers<Ending>();
  #log: (line: string) => void;

  private constructor(
    { memory }: FunctionManifest,
    api: RuntimeApi,
    child: Deno.ChildProcess,
    tmp: string | undefined,
    log: (line: string) => void,
  ) {
    this.#api = api;
    this.#child = child;
    this.#tmp = tmp;
    this.#memory = memory * 1024 * 1024;
    this.#log = log;
    this.#lines = [0, 1].map(() => new LogLines((line) => this.#log(line)));
    this.gone = this.#watch();
  }

  /** Starts a process: its init phase begins. */
  static async start(
    name: string,
    { manifest, folders: ownFolders }: Code,
    isolation: Isolation,
    log: (line: string) => void,
  ): Promise<Sandbox> {
    const isPlain = isolation.kind === "plain folders";
    const tmp = isPlain ? "/tmp" : await makeTmp(dirname(ownFolders.task));
    const folders = { ...ownFolders, tmp };
    const { task, layer } = isolation.place(folders);
    const api = await RuntimeApi.listen();
    const logStream = logStreamName(crypto.randomUUID().replaceAll("-", ""));
    const command = isolation.command(folders, [`${layer}/bootstrap`], {
      ...lambdaEnvironment(name, manifest, { task, logStream }),
      AWS_LAMBDA_RUNTIME_API: api.address,
    });
    try {
      const child = new Deno.Command(command.path, {
        ...command.options,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      return new Sandbox(manifest, api, child, isPlain ? undefined : tmp, log);
    } catch (error) {
      if (!isPlain) await removeTmp(tmp);
      await api[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Waits for the end of the init phase. If it fails, the process is killed. */
  async init(limit: number): Promise<Ending> {
    const started = this.#api.started.then((error): Ending =>
      error === undefined ? { kind: "done" } : { kind: "init error", error }
    );
    return await this.#phase(started, limit);
  }

  /** Runs an invocation. The sandbox wakes up; {@linkcode freeze} puts it to sleep again. */
  async run(
    invocation: Invocation,
    limit: number,
    log: (line: string) => void,
  ): Promise<{ readonly ending: Ending; readonly answer: Answer | undefined }> {
    this.#log = log;
    this.#signal("SIGCONT");
    let answer: Answer | undefined;
    const { answered, finished } = this.#api.invoke(invocation);
    void answered.then((value) => answer = value);
    const ending = await this.#phase(finished.then(() => ({ kind: "done" })), limit);
    return { ending, answer };
  }

  freeze(): void {
    this.#signal("SIGSTOP");
  }

  /** Kills the process and all that it started, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    await this.gone;
  }

  async #phase(work: Promise<Ending>, limit: number): Promise<Ending> {
    const late = Promise.withResolvers<Ending>();
    const timer = setTimeout(() => late.resolve({ kind: "timeout" }), limit);
    void this.#measure();
    const watching = setInterval(() => void this.#measure(), MEMORY_INTERVAL);
    const watchingTmp = setInterval(() => void this.#measureTmp(), TMP_INTERVAL);
    const ending = await Promise.race([this.#broken.promise, work, late.promise]);
    this.phaseEnd = performance.now();
    clearTimeout(timer);
    clearInterval(watching);
    clearInterval(watchingTmp);
    if (ending.kind === "done") {
      await Promise.all([this.#drain(), this.#measure()]);
    } else {
      if (ending.kind === "init error") await Promise.race([this.gone, pause(LEAVE_LIMIT)]);
      await this.kill();
    }
    return ending;
  }

  async #measure(): Promise<void> {
    const memory = await measureMemory(this.#child.pid);
    if (memory === undefined || this.hasEnded) return;
    this.peakMemory = Math.max(this.peakMemory, memory.peak);
    if (memory.own > this.#memory) {
      this.peakMemory = this.#memory;
      this.#broken.resolve({ kind: "out of memory" });
    }
  }

  async #measureTmp(): Promise<void> {
    if (this.#tmp === undefined || await sizeOfTmp(this.#tmp) <= MAX_TMP) return;
    this.#broken.resolve({ kind: "exit", reason: "Runtime ended: /tmp holds more than 512 MB" });
  }

  /** Waits for output that was written before the last request, and may still be in the pipes. */
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
    this.hasEnded = true;
    if (this.#tmp !== undefined) await removeTmp(this.#tmp);
    await pause(5); // for an answer that it sent just before
    this.#broken.resolve({ kind: "exit", reason: exitReason(status) });
    await this.#api[Symbol.asyncDispose]();
  }

  #signal(signal: "SIGCONT" | "SIGSTOP" | "SIGKILL"): void {
    if (this.hasEnded) return;
    try {
      Deno.kill(-this.#child.pid, signal); // the whole group
      this.isFrozen = signal === "SIGSTOP";
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // it has ended just now
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
