import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { ApplicationFunction, LogFormat } from "../../application/types.ts";
import { prepare } from "../../programs/find_program.ts";
import { logStreamName } from "../../rules/arn.ts";
import { nodeCommand, nodeEnvironment } from "../node/node_command.ts";
import { lambdaEnvironment } from "../isolation/environment.ts";
import {
  type Folders,
  type Isolation,
  makeTmp,
  removeTmp,
  sizeOfTmp,
} from "../isolation/isolation.ts";
import type { Answer, Invocation } from "../runtime_api/invocation.ts";
import { RuntimeApi } from "../runtime_api/runtime_api.ts";
import type { Stopwatch } from "../stopwatch.ts";
import type { Inspection } from "./inspection.ts";
import { type Ending, exitReason, LogLines } from "./invocation_log.ts";
import { measureMemory, measureWritten, processesOf } from "./measure.ts";

/** The settings and the files of a function. */
export interface Code {
  readonly settings: ApplicationFunction;
  readonly logFormat: LogFormat;
  /** The unpacked bundle and layer. */
  readonly folders: Omit<Folders, "tmp">;
  /** Removes the unpacked bundle. Is called when no process uses it any more, and other code has taken its place. */
  readonly remove?: (() => Promise<void>) | undefined;
}

/** How a process starts. */
export interface SandboxOptions {
  /** The time that counts for the function. */
  readonly time: Stopwatch;
  /** The inspector of the process, if debuggers may attach. */
  readonly inspection?: Inspection | undefined;
  /** Whether the function starts when a debugger has set its breakpoints. */
  readonly waits?: boolean | undefined;
  /** Takes the lines of the process. */
  readonly log: (line: string) => void;
}

/** The interval between two measurements of the memory, in milliseconds. */
const MEMORY_INTERVAL = 25;

/** The interval between two measurements of `/tmp`, in milliseconds. */
const TMP_INTERVAL = 1_000;

/** The number of bytes that a process may write between two measurements of `/tmp`. */
const UNMEASURED = 8 * 1024 * 1024;

/** The turns of the event loop without output after which the pipes are empty. None was needed in 1,500 invocations. */
const QUIET_TURNS = 10;

/** The time for a runtime to exit after it has reported an init error, in milliseconds. */
const EXIT_LIMIT = 500;

/** One process that runs a function, and its Runtime API. */
export class Sandbox {
  /** Resolves when the process has ended and its whole output has been logged. */
  readonly gone: Promise<void>;
  /** The largest use of memory of the process, in bytes. */
  peakMemory = 0;
  /** The end of the last phase, by the stopwatch of the function, without the wait for the log or for the exit of the process. */
  phaseEnd = 0;
  hasEnded = false;
  /** Whether the process was killed. */
  isEnding = false;
  /** Whether the process is stopped because no invocation runs and no debugger is attached. */
  isFrozen = false;
  /** The inspector of the process, if debuggers may attach. */
  readonly inspection: Inspection | undefined;
  readonly #time: Stopwatch;
  /** Whether no invocation runs. */
  #isIdle = false;
  readonly #api: RuntimeApi;
  readonly #child: Deno.ChildProcess;
  readonly #memory: number;
  readonly #tmpSize: number;
  /** The end of a process that has filled `/tmp`. */
  readonly #full: Ending;
  /** The folder for `/tmp`, unless all functions share `/tmp`. */
  readonly #tmp: string | undefined;
  /** The number of bytes that the process had written at the last measurement of `/tmp`. */
  #written = 0;
  readonly #lines: readonly LogLines[];
  /** Resolves if the process exits or exceeds a limit. */
  readonly #broken = Promise.withResolvers<Ending>();
  #log: (line: string) => void;

  private constructor(
    { memory, ephemeralStorage }: ApplicationFunction,
    /** The `AWS_SESSION_TOKEN` of the process: that of the function, and the identifier of the sandbox. */
    readonly sessionToken: string,
    api: RuntimeApi,
    child: Deno.ChildProcess,
    tmp: string | undefined,
    { time, inspection, log }: SandboxOptions,
  ) {
    this.#api = api;
    this.#child = child;
    this.#tmp = tmp;
    this.#memory = memory * 1024 * 1024;
    this.#tmpSize = ephemeralStorage * 1024 * 1024;
    const reason = `Runtime ended: /tmp holds more than ${ephemeralStorage} MB`;
    this.#full = { kind: "exit", reason };
    this.#log = log;
    this.inspection = inspection;
    if (inspection !== undefined) inspection.onChange = () => this.#rest();
    this.#time = time;
    const emit = (line: string) => inspection?.takes(line) || this.#log(line);
    this.#lines = [0, 1].map(() => new LogLines(emit));
    this.gone = this.#watch();
  }

  /** Starts a process. Its init phase begins. */
  static async start(
    { settings, logFormat, folders: ownFolders }: Code,
    isolation: Isolation,
    options: SandboxOptions,
  ): Promise<Sandbox> {
    const isPlain = isolation.kind === "plain folders";
    const tmp = isPlain ? "/tmp" : await makeTmp(dirname(ownFolders.task));
    const folders = { ...ownFolders, tmp };
    const { task, layer, node, tmp: ownTmp } = isolation.place(folders);
    const api = await RuntimeApi.listen();
    const inspecting = options.inspection?.options(options.waits ?? false) ?? [];
    const logStream = logStreamName(crypto.randomUUID().replaceAll("-", ""));
    const program: [string, ...string[]] = node === undefined
      ? [`${layer}/bootstrap`, ...inspecting]
      : nodeCommand(settings, { ...node, task, tmp: ownTmp, isConfined: !isPlain }, inspecting);
    const { AWS_SESSION_TOKEN = "" } = settings.environment;
    const sessionToken = `${AWS_SESSION_TOKEN}${randomBytes(12).toString("base64url")}`;
    const command = isolation.command(folders, program, {
      ...lambdaEnvironment(settings, { task, logStream, logFormat, isConfined: !isPlain }),
      ...settings.runtime === "deno" ? {} : nodeEnvironment(settings.runtime, task),
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_SESSION_TOKEN: sessionToken,
    });
    try {
      const child = prepare(command.path, {
        ...command.options,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      return new Sandbox(settings, sessionToken, api, child, isPlain ? undefined : tmp, options);
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

  /** Wakes the process and runs an invocation. After that, call {@linkcode freeze}. */
  async run(
    invocation: Invocation,
    limit: number,
    log: (line: string) => void,
  ): Promise<{ readonly ending: Ending; readonly answer: Answer | undefined }> {
    this.#log = log;
    this.#isIdle = false;
    this.#rest();
    let answer: Answer | undefined;
    const { answered, finished } = this.#api.invoke(invocation);
    void answered.then((value) => answer = value);
    const ending = await this.#phase(finished.then(() => ({ kind: "done" })), limit);
    return { ending, answer };
  }

  /** Stops the process until the next invocation, except while a debugger is attached. */
  freeze(): void {
    this.#isIdle = true;
    this.#rest();
  }

  /** Kills the process and its children, and waits until it has ended. */
  async kill(): Promise<void> {
    this.isEnding = true;
    this.#signal("SIGKILL");
    await this.gone;
  }

  async #phase(work: Promise<Ending>, limit: number): Promise<Ending> {
    const late = Promise.withResolvers<Ending>();
    const cancel = this.#time.after(limit, () => late.resolve({ kind: "timeout" }));
    const watching = setInterval(() => void this.#measure(), MEMORY_INTERVAL);
    const watchingTmp = setInterval(() => void this.#measureTmp(), TMP_INTERVAL);
    let ending = await Promise.race([this.#broken.promise, work, late.promise]);
    this.phaseEnd = this.#time.now();
    cancel();
    clearInterval(watching);
    clearInterval(watchingTmp);
    if (ending.kind === "done") {
      const [isFull] = await Promise.all([this.#hasFilledTmp(), this.#drain(), this.#measure()]);
      if (isFull) ending = this.#full;
    }
    if (ending.kind !== "done") {
      if (ending.kind === "init error") await Promise.race([this.gone, pause(EXIT_LIMIT)]);
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
      this.#broken.resolve({
        kind: "exit",
        reason: "Runtime exited with error: signal: killed",
        errorType: "Runtime.OutOfMemory",
      });
    }
  }

  async #measureTmp(): Promise<void> {
    if (await this.#hasFilledTmp()) this.#broken.resolve(this.#full);
  }

  /** Tells whether `/tmp` holds too much. Measures `/tmp` only if the process has written much since the last measurement. */
  async #hasFilledTmp(): Promise<boolean> {
    if (this.#tmp === undefined) return false;
    const written = measureWritten(this.#child.pid);
    // A program that has ended does not count any more, so the number may be smaller than before.
    if (Math.abs(written - this.#written) < UNMEASURED) return false;
    this.#written = written;
    return await sizeOfTmp(this.#tmp) > this.#tmpSize;
  }

  /**
   * Reads the output that is still in the pipes. The process has written it before the request that has arrived, so the system
   * has told of it already, and some turns of the event loop are enough.
   */
  async #drain(): Promise<void> {
    const count = () => this.#lines.reduce((sum, lines) => sum + lines.count, 0);
    for (let before = count(), quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await turn();
      if (count() !== before) quiet = 0;
      before = count();
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
    this.inspection?.end();
    if (this.#tmp !== undefined) await removeTmp(this.#tmp);
    await pause(5); // The process may have sent an answer just before its exit.
    this.#broken.resolve({ kind: "exit", reason: exitReason(status) });
    await this.#api[Symbol.asyncDispose]();
  }

  #rest(): void {
    const isFrozen = this.#isIdle && !this.inspection?.isAttached;
    if (isFrozen !== this.isFrozen) this.#signal(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  #signal(signal: "SIGCONT" | "SIGSTOP" | "SIGKILL"): void {
    if (this.hasEnded) return;
    // A negative number means all processes of the group. A process may have made a group of its own, and the first one may
    // not have made its group yet.
    for (const pid of [-this.#child.pid, ...processesOf(this.#child.pid)]) {
      try {
        Deno.kill(pid, signal);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // The process has just ended.
      }
    }
    this.isFrozen = signal === "SIGSTOP";
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
