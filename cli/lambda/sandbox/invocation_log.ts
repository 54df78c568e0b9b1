/**
 * The log of an invocation: the lines that AWS Lambda adds to it, and the errors that AWS Lambda makes.
 *
 * @module
 */
import type { ApplicationFunction } from "../../application/types.ts";
import { LOG_TAIL } from "../../rules/limits.ts";
import type { InvokeOutcome } from "../function_host.ts";
import { type Answer, type ErrorAnswer, runtimeError } from "../runtime_api/invocation.ts";
import type { Stopwatch } from "../stopwatch.ts";

/** Writes the lines of AWS Lambda about an invocation, and makes the outcome of the invocation. */
export class InvocationLog {
  readonly #requestId: string;
  readonly #settings: ApplicationFunction;
  readonly #time: Stopwatch;
  readonly #log: (line: string, requestId: string) => void;
  readonly #tail: LogTail = new LogTail();
  #start = 0;
  #initDuration: number | undefined;
  #peakMemory = 0;
  #payload: Uint8Array = new Uint8Array();
  #failure: InvokeOutcome["failure"];
  #isStream = false;
  #status: string | undefined;

  constructor(
    requestId: string,
    settings: ApplicationFunction,
    time: Stopwatch,
    log: (line: string, requestId: string) => void,
  ) {
    this.#requestId = requestId;
    this.#settings = settings;
    this.#time = time;
    this.#log = log;
  }

  readonly line = (text: string): void => {
    this.#tail.add(text);
    this.#log(text, this.#requestId);
  };

  /** The time until the time-out, in milliseconds. */
  get timeLeft(): number {
    return this.#settings.timeout * 1_000 - (this.#time.now() - this.#start);
  }

  /** Begins the invocation. The time-out counts from now on. */
  begin(): void {
    this.#start = this.#time.now();
    this.line(`START RequestId: ${this.#requestId} Version: $LATEST`);
  }

  initialized(
    phase: "init" | "invoke",
    ending: Ending,
    duration: number,
    peakMemory: number,
  ): void {
    this.#peakMemory = Math.max(this.#peakMemory, peakMemory);
    if (ending.kind === "done") {
      if (phase === "init") this.#initDuration = duration;
      this.#failure = undefined;
      this.#status = undefined;
      return;
    }
    const error = this.#fail(ending, phase === "invoke");
    this.line(initReportLine(phase, duration, statusFields(error)));
  }

  ran(ending: Ending, answer: Answer | undefined, peakMemory: number): void {
    this.#peakMemory = Math.max(this.#peakMemory, peakMemory);
    if (ending.kind !== "done") this.#fail(ending, true);
    if (answer === undefined) return;
    // The answer counts, even if the process fails afterwards.
    this.#payload = answer.body;
    this.#isStream = answer.kind === "response" && answer.isStream;
    this.#failure = answer.kind === "response" ? undefined : answer.kind;
    if (answer.kind !== "response") this.#status = statusFields(answer);
  }

  end(time: number): InvokeOutcome {
    const timeout = this.#settings.timeout * 1_000;
    const facts = {
      requestId: this.#requestId,
      // Timers are not exact. AWS Lambda reports exactly the limit.
      duration: this.#failure === "timeout" ? timeout : Math.min(time - this.#start, timeout),
      initDuration: this.#initDuration,
      peakMemory: this.#peakMemory,
    };
    this.line(`END RequestId: ${facts.requestId}`);
    this.line(reportLine({ ...facts, memory: this.#settings.memory, status: this.#status }));
    return {
      ...facts,
      payload: this.#payload,
      failure: this.#failure,
      isStream: this.#isStream,
      logTail: this.#tail.toString(),
    };
  }

  #fail(failure: Failure, isLogged: boolean): ErrorAnswer {
    const { timeout } = this.#settings;
    const error = endingError(failure, this.#requestId, timeout);
    this.#failure = failure.kind === "init error" ? "error" : failure.kind;
    this.#payload = error.body;
    this.#status = statusFields(error);
    if (!isLogged || failure.kind === "init error") return error;
    if (failure.kind === "timeout") {
      const time = new Date().toISOString();
      this.line(`${time} ${this.#requestId} Task timed out after ${timeout.toFixed(2)} seconds`);
    } else {
      this.line(JSON.parse(new TextDecoder().decode(error.body)).errorMessage);
      this.line(error.errorType);
    }
    return error;
  }
}

/** The end of a phase of a sandbox. A phase is the init phase or an invocation. */
export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "init error"; readonly error: ErrorAnswer }
  | { readonly kind: "exit"; readonly reason: string; readonly errorType?: string }
  | { readonly kind: "timeout" };

/** An ending that is a failure. */
export type Failure = Exclude<Ending, { kind: "done" }>;

export interface Report {
  readonly requestId: string;
  /** The duration of the invocation, in milliseconds. */
  readonly duration: number;
  /** The duration of the cold start, in milliseconds. */
  readonly initDuration?: number | undefined;
  /** The memory of the function, in MiB. */
  readonly memory: number;
  /** The largest use of memory, in bytes. */
  readonly peakMemory: number;
  /** The fields about a failure. */
  readonly status?: string | undefined;
}

/** The texts of AWS Lambda for the signals that end a process. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT: "aborted (core dumped)",
  SIGBUS: "bus error (core dumped)",
  SIGFPE: "floating point exception (core dumped)",
  SIGILL: "illegal instruction (core dumped)",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault (core dumped)",
  SIGTERM: "terminated",
  SIGTRAP: "trace/breakpoint trap (core dumped)",
};

export function exitReason({ code, signal }: Deno.CommandStatus): string {
  if (signal !== null) return `Runtime exited with error: signal: ${SIGNALS[signal] ?? signal}`;
  if (code === 0) return "Runtime exited without providing a reason";
  return `Runtime exited with error: exit status ${code}`;
}

function endingError(
  failure: Failure,
  requestId: string,
  timeout: number,
): ErrorAnswer {
  if (failure.kind === "init error") return failure.error;
  const [type, message] = failure.kind === "timeout"
    ? ["Sandbox.Timedout", `Task timed out after ${timeout.toFixed(2)} seconds`] as const
    : [failure.errorType ?? "Runtime.ExitError", failure.reason] as const;
  return runtimeError(type, `RequestId: ${requestId} Error: ${message}`);
}

function statusFields({ errorType }: ErrorAnswer): string {
  if (errorType === "Sandbox.Timedout") return "Status: timeout";
  return `Status: error\tError Type: ${errorType}`;
}

export function reportLine(report: Report): string {
  const { requestId, duration, initDuration, memory, peakMemory, status } = report;
  const fields = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${duration.toFixed(2)} ms`,
    `Billed Duration: ${Math.ceil(duration + (initDuration ?? 0))} ms`,
    `Memory Size: ${memory} MB`,
    `Max Memory Used: ${Math.min(memory, Math.round(peakMemory / 1024 / 1024))} MB`,
  ];
  if (initDuration !== undefined) fields.push(`Init Duration: ${initDuration.toFixed(2)} ms`);
  if (status !== undefined) fields.push(status);
  return fields.join("\t") + "\t";
}

export function initReportLine(phase: "init" | "invoke", duration: number, status: string): string {
  return `INIT_REPORT Init Duration: ${duration.toFixed(2)} ms\tPhase: ${phase}\t${status}`;
}

/** The longest record of a log, in characters. A longer line becomes several records. */
const LONGEST = 262_144;

/** Splits the output of a process into lines. Each line feed ends a record. */
export class LogLines {
  /** The number of chunks that have been read. */
  count = 0;
  readonly #emit: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.count++;
      const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
      this.#rest = lines.pop()!;
      lines.forEach((line) => this.#split(line));
      if (this.#rest.length > LONGEST) this.flush();
    }
    this.flush();
  }

  /** Emits a line that has no end yet. */
  flush(): void {
    if (this.#rest !== "") this.#split(this.#rest);
    this.#rest = "";
  }

  #split(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += LONGEST) {
      this.#emit(line.slice(start, start + LONGEST));
    }
  }
}

/** The end of a log: at most 4 KiB. */
export class LogTail {
  #text = "";

  add(line: string): void {
    // A character has at least one byte. So more characters are never needed.
    this.#text = `${this.#text}${line}\n`.slice(-LOG_TAIL);
  }

  /** Returns at most 4,096 bytes of UTF-8, cut between two characters. */
  toString(): string {
    const bytes = new TextEncoder().encode(this.#text);
    let start = Math.max(0, bytes.length - LOG_TAIL);
    while ((bytes[start]! & 0xc0) === 0x80) start++;
    return new TextDecoder().decode(bytes.subarray(start));
  }
}
