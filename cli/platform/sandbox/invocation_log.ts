import type { FunctionManifest } from "../../manifest/manifest.ts";
import type { InvokeOutcome } from "../function_host.ts";
import type { Answer, ErrorAnswer } from "../runtime_api/invocation.ts";
import { LogTail } from "./log_lines.ts";
import {
  type Ending,
  endingError,
  type Failure,
  initReportLine,
  reportLine,
  statusFields,
} from "./report.ts";

/** Writes the lines of AWS Lambda about an invocation, and makes the outcome of the invocation. */
export class InvocationLog {
  readonly #requestId: string;
  readonly #settings: FunctionManifest;
  readonly #log: (line: string) => void;
  readonly #tail: LogTail = new LogTail();
  #start = 0;
  #initDuration: number | undefined;
  #peakMemory = 0;
  #payload: Uint8Array = new Uint8Array();
  #failure: InvokeOutcome["failure"];
  #isStream = false;
  #status: string | undefined;

  constructor(requestId: string, settings: FunctionManifest, log: (line: string) => void) {
    this.#requestId = requestId;
    this.#settings = settings;
    this.#log = log;
  }

  readonly line = (text: string): void => {
    this.#tail.add(text);
    this.#log(text);
  };

  /** The time until the time-out, in milliseconds. */
  get timeLeft(): number {
    return this.#settings.timeout * 1_000 - (performance.now() - this.#start);
  }

  /** Begins the invocation. The time-out counts from now on. */
  begin(): void {
    this.#start = performance.now();
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
    const requestId = this.#requestId;
    this.line(`END RequestId: ${requestId}`);
    this.line(reportLine({
      requestId,
      // Timers are not exact. AWS Lambda reports exactly the limit.
      duration: this.#failure === "timeout" ? timeout : Math.min(time - this.#start, timeout),
      initDuration: this.#initDuration,
      memory: this.#settings.memory,
      peakMemory: this.#peakMemory,
      status: this.#status,
    }));
    return {
      requestId,
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
