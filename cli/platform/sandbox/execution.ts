import type { InvokeOptions, InvokeOutcome } from "../function_host.ts";
import type { FunctionManifest } from "../../manifest/manifest.ts";
import { type Answer, errorBody } from "../runtime_api/answer.ts";
import { type Ending, platformError } from "./ending.ts";
import { LogTail } from "./log_lines.ts";
import { endLine, initReportLine, reportLine, startLine, statusFields } from "./report.ts";
import type { Sandbox } from "./sandbox.ts";

/** What is executed. */
export interface ExecutionOptions {
  /** The name of the function. */
  readonly name: string;
  /** Its settings. */
  readonly manifest: FunctionManifest;
  /** The event. */
  readonly payload: Uint8Array;
  /** What the caller passes along. */
  readonly options: InvokeOptions;
  /** Is called with each line of the log. */
  readonly log: (line: string) => void;
}

/** Where an execution gets its sandbox. */
export interface SandboxSource {
  /** A sandbox that waits for an invocation, or `undefined`. */
  idle(): Sandbox | undefined;
  /** Starts another. */
  start(onLine: (line: string) => void): Promise<Sandbox>;
  /** How long the init phase may take, in milliseconds. */
  readonly initLimit: number;
}

/** A failure of the platform's, or one that it tells of. */
interface Failure {
  readonly failure: "error" | "timeout" | "exit" | "too large";
  readonly payload: Uint8Array;
}

/** One invocation, from its cold start, if it needs one, to its report. */
export class Execution {
  readonly #options: ExecutionOptions;
  readonly #requestId: string;
  readonly #tail: LogTail = new LogTail();
  readonly #line = (line: string): void => {
    this.#tail.add(line);
    this.#options.log(line);
  };
  #initDuration: number | undefined;
  #payload: Uint8Array = new Uint8Array();
  #failure: Failure["failure"] | undefined;
  #status: string | undefined;

  /**
   * Prepares an invocation.
   *
   * @param options What is executed.
   */
  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#requestId = options.options.requestId ?? crypto.randomUUID();
  }

  /** How the invocation ended. */
  get outcome(): InvokeOutcome {
    return {
      requestId: this.#requestId,
      payload: this.#payload,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      logTail: this.#tail.toString(),
    };
  }

  /**
   * Executes the invocation.
   *
   * @param source Where the sandbox comes from.
   * @returns The sandbox, if it can be used again.
   */
  async run(source: SandboxSource): Promise<Sandbox | undefined> {
    const timeout = this.#options.manifest.timeout * 1_000;
    let sandbox = source.idle();
    let start = performance.now();
    if (sandbox === undefined) {
      sandbox = await this.#initialize(source, "init", source.initLimit);
      start = performance.now();
      this.#line(startLine(this.#requestId));
      // An init phase that failed is tried once more, at the expense of the invocation.
      sandbox ??= await this.#initialize(source, "invoke", timeout);
    } else {
      this.#line(startLine(this.#requestId));
    }
    const limit = timeout - (performance.now() - start);
    const isReusable = sandbox !== undefined && await this.#invoke(sandbox, limit);
    const end = sandbox?.phaseEnd ?? performance.now();
    this.#line(endLine(this.#requestId));
    this.#line(reportLine({
      requestId: this.#requestId,
      // Timers are not exact; the platform reports the limit itself.
      duration: this.#failure === "timeout" ? timeout : Math.min(end - start, timeout),
      initDuration: this.#initDuration,
      memory: this.#options.manifest.memory,
      peakMemory: this.#peak,
      status: this.#status,
    }));
    return isReusable ? sandbox : undefined;
  }

  #peak = 0;

  /** Starts a sandbox and waits for its init phase; without success there is none, and the failure is noted. */
  async #initialize(
    source: SandboxSource,
    phase: "init" | "invoke",
    limit: number,
  ): Promise<Sandbox | undefined> {
    const start = performance.now();
    let ending: Ending;
    let sandbox: Sandbox | undefined;
    try {
      sandbox = await source.start(this.#line);
      ending = await sandbox.init(limit);
      this.#peak = Math.max(this.#peak, sandbox.peakMemory);
    } catch (error) {
      ending = { kind: "exit", reason: `fork/exec /opt/bootstrap: ${(error as Error).message}` };
    }
    const duration = Math.min((sandbox?.phaseEnd ?? performance.now()) - start, limit);
    if (ending.kind === "done") {
      if (phase === "init") this.#initDuration = duration;
      this.#failure = undefined;
      this.#status = undefined;
      return sandbox;
    }
    const { errorType } = this.#fail(ending, phase === "invoke");
    this.#line(initReportLine(phase, duration, statusFields(ending, errorType)!));
    return undefined;
  }

  /** Runs the invocation in a sandbox. Whether that can be used again. */
  async #invoke(sandbox: Sandbox, limit: number): Promise<boolean> {
    const { name, options, payload } = this.#options;
    const { ending, answer } = await sandbox.run(
      {
        ...options,
        requestId: this.#requestId,
        functionName: name,
        payload,
        deadline: Date.now() + Math.floor(limit),
      },
      limit,
      this.#line,
    );
    this.#peak = Math.max(this.#peak, sandbox.peakMemory);
    if (ending.kind !== "done") this.#fail(ending, true);
    // An answer stands, whatever the process did after it.
    if (answer !== undefined) this.#take(answer);
    return ending.kind === "done";
  }

  #take(answer: Answer): void {
    this.#payload = answer.body;
    this.#failure = answer.kind === "response" ? undefined : answer.kind;
    if (answer.kind === "response") return;
    this.#status = `Status: error\tError Type: ${answer.errorType}`;
  }

  /** Notes down a failure, and logs what the platform logs of it. */
  #fail(ending: Exclude<Ending, { kind: "done" }>, isLogged: boolean): { errorType: string } {
    if (ending.kind === "init error") {
      this.#failure = "error";
      this.#payload = ending.body;
      this.#status = statusFields(ending, ending.errorType);
      return { errorType: ending.errorType };
    }
    const { timeout } = this.#options.manifest;
    const { errorType, errorMessage } = platformError(ending, this.#requestId, timeout);
    this.#failure = ending.kind === "timeout" ? "timeout" : "exit";
    this.#payload = errorBody(errorType, errorMessage);
    this.#status = statusFields(ending, errorType);
    if (isLogged && ending.kind === "timeout") {
      const time = new Date().toISOString();
      this.#line(
        `${time} ${this.#requestId} Task timed out after ${timeout.toFixed(2)} seconds`,
      );
    } else if (isLogged) {
      this.#line(errorMessage);
      this.#line(errorType);
    }
    return { errorType };
  }
}
