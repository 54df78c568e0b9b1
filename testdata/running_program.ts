import { until } from "./waiting.ts";

/** A program whose output a test reads while the program runs. */
export class RunningProgram implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #read: Promise<void>;
  readonly errors: Promise<string>;
  output = "";

  /** Takes a process whose output and errors are piped. */
  constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#read = this.#readOutput();
    this.errors = new Response(process.stderr).text();
  }

  async #readOutput(): Promise<void> {
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) return;
      this.output += value;
    }
  }

  /** Closes the pipe of the output. */
  async stopReading(): Promise<void> {
    await this.#reader.cancel();
  }

  /** Waits until the output matches. If the program ends before, the test fails. */
  async find(pattern: RegExp): Promise<RegExpExecArray> {
    let hasEnded = false;
    this.#read.finally(() => hasEnded = true);
    const matches = () => pattern.test(this.output);
    await until(`the output ${pattern}`, () => hasEnded || matches(), () => this.output);
    if (!matches()) throw new Error(`${this.output}\n${await this.errors}`);
    return pattern.exec(this.output)!;
  }

  get pid(): number {
    return this.#process.pid;
  }

  kill(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  /** Signals all processes of the program, as Ctrl-C in a terminal does. */
  killGroup(signal: Deno.Signal): void {
    Deno.kill(-this.#process.pid, signal);
  }

  async status(): Promise<number> {
    const { code } = await this.#process.status;
    await Promise.all([this.#read, this.errors]);
    return code;
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // it has ended by itself
    }
    await this.status();
  }
}
