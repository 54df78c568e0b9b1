import type { InvokeOptions, InvokeOutcome, Payload } from "../function_host.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { Stopwatch } from "../stopwatch.ts";
import { Inspection } from "./inspection.ts";
import { type Ending, InvocationLog } from "./invocation_log.ts";
import { type Code, Sandbox } from "./sandbox.ts";

export interface FunctionPoolOptions {
  readonly isolation: Isolation;
  /** Takes a line, with the identifier of its invocation; an empty one before the first invocation of a sandbox. */
  readonly log: (line: string, requestId: string) => void;
  /** The largest number of sandboxes at a time. Further invocations wait. */
  readonly concurrency: number;
  /** The time after which an idle sandbox ends, in milliseconds. */
  readonly idleLimit: number;
  /** The longest duration of the init phase, in milliseconds. */
  readonly initLimit: number;
  /** The time of a function that debuggers may inspect. Such a function has one sandbox at a time. */
  readonly inspected?: Stopwatch | undefined;
}

/** The time that a function seems to have while a debugger is attached, in milliseconds. */
const DAY = 86_400_000;

/** The sandboxes of one function. Each sandbox runs one invocation at a time. */
export class FunctionPool implements AsyncDisposable {
  readonly #options: FunctionPoolOptions;
  readonly #time: Stopwatch;
  #code: Code;
  /** Frozen sandboxes with the current code. The last one was used last. */
  readonly #idle: { readonly sandbox: Sandbox; readonly timer: ReturnType<typeof setTimeout> }[] =
    [];
  /** All sandboxes whose processes have not ended. */
  readonly #all = new Set<Sandbox>();
  /** The invocations that wait for their turn. The first one came first. */
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  /** A sandbox that starts before an invocation needs it. */
  #starting: Promise<void> | undefined;
  #busy = 0;
  /** The number of invocations and processes of each code. */
  readonly #users = new Map<Code, number>();
  /** Resolves when the next process runs. */
  #added = Promise.withResolvers<void>();
  /** Resolves at the end of the next invocation. */
  #ended = Promise.withResolvers<void>();
  /** Why no invocation begins any more. */
  #end: string | undefined;
  #isDisposed = false;

  constructor(options: FunctionPoolOptions, code: Code) {
    this.#options = options;
    this.#time = options.inspected ?? new Stopwatch();
    this.#code = code;
  }

  /** The sandboxes, for tests. */
  get sandboxes(): readonly Sandbox[] {
    return [...this.#all];
  }

  /**
   * Replaces the code. A running invocation keeps its code.
   *
   * @param isAwaited Whether an invocation will probably follow. Then a sandbox starts at once, and the invocation takes it.
   */
  replace(code: Code, isAwaited = false): void {
    const former = this.#code;
    this.#code = code;
    if (isAwaited && this.#options.inspected === undefined) this.#starting = this.#prepare(code);
    this.#killIdle();
    this.#use(former)();
    this.#admit(); // The limit may be another one.
  }

  /** Invokes the function. Rejects if the pool ends before the invocation begins. */
  async invoke(payload: Payload, options: InvokeOptions): Promise<InvokeOutcome> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    this.#admit();
    await turn.promise;
    try {
      const event = typeof payload === "function" ? payload() : payload;
      const ready = this.#takeIdle() ?? await this.#takeStarting();
      const code = this.#code; // Read after the wait, because the code may have been replaced meanwhile.
      const { settings } = code;
      using stack = new DisposableStack();
      stack.defer(this.#use(code));
      const requestId = options.requestId ?? crypto.randomUUID();
      const log = new InvocationLog(requestId, settings, this.#time, this.#options.log);
      let sandbox = ready ?? await this.#start(code, log, "init", this.#options.initLimit);
      log.begin();
      // If the init phase failed, it is repeated once within the time of the invocation.
      sandbox ??= await this.#start(code, log, "invoke", settings.timeout * 1_000);
      if (sandbox === undefined) return log.end(this.#time.now());
      const limit = log.timeLeft;
      options.onSandbox?.(sandbox.sessionToken);
      const deadline = Date.now() + (this.#time.isHeld ? DAY : Math.floor(limit));
      const { ending, answer } = await sandbox.run(
        { ...options, requestId, functionName: settings.name, payload: event, deadline },
        limit,
        log.line,
      );
      log.ran(ending, answer, sandbox.peakMemory);
      const outcome = log.end(sandbox.phaseEnd);
      if (ending.kind === "done") this.#giveBack(sandbox, code);
      return outcome;
    } finally {
      this.#busy--;
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
      this.#admit();
    }
  }

  /** Returns the inspector of the sandbox. If there is none, starts one, in which the function waits for a debugger. */
  async inspection(): Promise<Inspection> {
    const running = () =>
      [...this.#all].find(({ hasEnded, isEnding }) => !hasEnded && !isEnding)?.inspection;
    while (running() === undefined && this.#busy > 0) {
      await Promise.race([this.#added.promise, this.#ended.promise]);
    }
    const add = () => Promise.race([this.#added.promise, this.#starting]);
    if (running() === undefined) await add(); // Another debugger may have started it.
    if (running() === undefined && this.#end === undefined) {
      this.#starting = this.#prepare(this.#code, true);
      await add();
    }
    const inspection = running();
    if (inspection === undefined) {
      throw new Error(this.#end ?? "it does not start, as its log says");
    }
    return inspection;
  }

  /** Refuses the invocations that wait, and later ones. Resolves when the running ones and their sandboxes have ended. */
  async retire(reason: string): Promise<void> {
    this.#end ??= reason;
    this.#killIdle();
    this.#admit();
    await this.#starting;
    while (this.#busy > 0) await this.#ended.promise;
    await Promise.all([...this.#all].map(({ gone }) => gone));
  }

  /** Kills all sandboxes, even those that run an invocation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true; // A sandbox that is about to start is killed as soon as it has.
    const retired = this.retire("the local platform is stopping");
    for (const sandbox of this.#all) void sandbox.kill();
    await retired;
  }

  /** Starts a sandbox that no invocation needs yet. If that fails, the next invocation tries again and reports the error. */
  async #prepare(code: Code, waits = false): Promise<void> {
    const write = (line: string) => this.#isDisposed || this.#options.log(line, "");
    const log = new InvocationLog("", code.settings, this.#time, write);
    const sandbox = await this.#start(code, log, "init", this.#options.initLimit, waits);
    if (sandbox !== undefined) this.#giveBack(sandbox, code);
  }

  /** Waits for the sandbox that starts already. Only one invocation takes it. */
  async #takeStarting(): Promise<Sandbox | undefined> {
    const starting = this.#starting;
    this.#starting = undefined;
    await starting;
    return this.#takeIdle();
  }

  /** Starts a sandbox and waits for its init phase. If that fails, logs the reason and returns `undefined`. */
  async #start(
    code: Code,
    log: InvocationLog,
    phase: "init" | "invoke",
    limit: number,
    waits = false,
  ): Promise<Sandbox | undefined> {
    const { isolation, inspected } = this.#options;
    const time = this.#time;
    const start = time.now();
    let sandbox: Sandbox | undefined;
    let ending: Ending;
    const end = this.#use(code);
    try {
      const inspection = inspected && await Inspection.prepare(time);
      sandbox = await Sandbox.start(code, isolation, { time, inspection, waits, log: log.line });
      void sandbox.gone.then(end);
      this.#add(sandbox);
      ending = await sandbox.init(limit);
    } catch (error) {
      if (sandbox === undefined) end();
      ending = { kind: "exit", reason: `fork/exec /opt/bootstrap: ${(error as Error).message}` };
    }
    const duration = Math.min((sandbox?.phaseEnd ?? time.now()) - start, limit);
    log.initialized(phase, ending, duration, sandbox?.peakMemory ?? 0);
    return ending.kind === "done" ? sandbox : undefined;
  }

  /** Counts a user of a code. Returns a function that ends the use, and removes the code if it was the last one of a former code. */
  #use(code: Code): () => void {
    const count = (change: number) => {
      const users = (this.#users.get(code) ?? 0) + change;
      this.#users.set(code, users);
      if (users > 0 || code === this.#code) return;
      this.#users.delete(code);
      code.remove?.().catch(({ message }: Error) =>
        this.#options.log(`Cannot remove the former bundle: ${message}`, "")
      );
    };
    count(1);
    return () => count(-1);
  }

  #add(sandbox: Sandbox): void {
    this.#all.add(sandbox);
    this.#added.resolve();
    this.#added = Promise.withResolvers();
    void sandbox.gone.then(() => this.#all.delete(sandbox));
    if (this.#isDisposed) void sandbox.kill();
  }

  /** Begins waiting invocations up to the limit: that of this machine, or the reserved concurrency of the function. */
  #admit(): void {
    const { reservedConcurrency = Infinity } = this.#code.settings;
    const reason = this.#end ??
      (reservedConcurrency === 0
        ? "its reservedConcurrency is 0, so AWS Lambda refuses every invocation"
        : undefined);
    if (reason !== undefined) {
      const refusal = new Error(`Cannot invoke "${this.#code.settings.name}": ${reason}`);
      for (const { reject } of this.#waiting.splice(0)) reject(refusal);
    }
    const limit = Math.min(this.#options.concurrency, reservedConcurrency);
    while (this.#busy < limit && this.#waiting.length > 0) {
      this.#busy++;
      this.#waiting.shift()!.resolve();
    }
  }

  #killIdle(): void {
    for (const { sandbox, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      void sandbox.kill();
    }
  }

  /** Takes the idle sandbox that was used last. */
  #takeIdle(): Sandbox | undefined {
    for (let entry = this.#idle.pop(); entry !== undefined; entry = this.#idle.pop()) {
      clearTimeout(entry.timer);
      if (!entry.sandbox.hasEnded) return entry.sandbox;
    }
    return undefined;
  }

  /** Freezes a sandbox until it is needed, or ends it if its code was replaced. */
  #giveBack(sandbox: Sandbox, code: Code): void {
    if (sandbox.hasEnded) return;
    if (this.#end !== undefined || code !== this.#code) return void sandbox.kill();
    sandbox.freeze();
    const timer = setTimeout(() => {
      const index = this.#idle.findIndex((entry) => entry.sandbox === sandbox);
      if (index < 0) return;
      this.#idle.splice(index, 1);
      void sandbox.kill();
    }, this.#options.idleLimit);
    this.#idle.push({ sandbox, timer });
  }
}
