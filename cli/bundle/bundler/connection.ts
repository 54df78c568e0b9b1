import { type Answer, encodeMessage, type Question, readMessages } from "./messages.ts";

/** The questions to the process of the bundler, and its answers. */
export class Connection implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #over: Promise<void>;
  readonly #signal: AbortSignal | undefined;
  #count = 0;
  #isOver = false;

  constructor(child: Deno.ChildProcess, signal: AbortSignal | undefined) {
    this.#child = child;
    this.#signal = signal;
    this.#input = child.stdin.getWriter();
    this.#over = this.#read();
  }

  /** Whether the process has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Asks the process, and waits for the whole answer.
   *
   * @throws {Error} If the process ends, or the signal ends the work.
   */
  async ask(question: Question): Promise<Answer> {
    this.#signal?.throwIfAborted();
    const id = ++this.#count;
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.set(id, answer);
    const stop = () => answer.reject(this.#signal!.reason);
    this.#signal?.addEventListener("abort", stop);
    try {
      for (const bytes of encodeMessage({ id, ...question })) {
        this.#input.write(bytes).catch(() => {}); // The end of the process rejects the answer.
      }
      return await answer.promise;
    } finally {
      this.#waiting.delete(id);
      this.#signal?.removeEventListener("abort", stop);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // The process may have ended already.
    if (this.#signal?.aborted) this.#kill();
    await this.#over;
  }

  /** Kills the process and its children. A process that has just been started has no group of its own yet. */
  #kill(): void {
    for (const pid of [-this.#child.pid, this.#child.pid]) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // It has ended by itself.
      }
    }
  }

  async #read(): Promise<void> {
    const problem = new Response(this.#child.stderr).text();
    for await (const { id, ...answer } of readMessages<Answer>(this.#child.stdout)) {
      this.#waiting.get(id)?.resolve(answer);
    }
    const { code } = await this.#child.status;
    this.#isOver = true;
    const error = new Error((await problem).trim() || `the bundler ended with the status ${code}`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
