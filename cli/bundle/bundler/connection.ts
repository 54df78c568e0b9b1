import type { ArchiveFile } from "../archive.ts";
import type {
  BundlerAnswer,
  BundleRequest,
  BundleResult,
  CopyRequest,
  CopyResult,
} from "./messages.ts";

/** A whole answer. */
export interface Finished {
  /** What became of the modules of a request. */
  readonly results?: readonly BundleResult[];
  /** What became of a copy. */
  readonly copied?: CopyResult;
  /** The files of a copy. */
  readonly files: readonly ArchiveFile[];
}

/** A question that is not answered yet. */
interface Waiting extends PromiseWithResolvers<Finished> {
  readonly files: ArchiveFile[];
}

/** The questions to the process of the bundler, and its answers. */
export class Connection implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, Waiting>();
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
  async ask(
    question: { readonly bundle: BundleRequest } | { readonly copy: CopyRequest },
  ): Promise<Finished> {
    this.#signal?.throwIfAborted();
    const id = ++this.#count;
    const answer: Waiting = { ...Promise.withResolvers<Finished>(), files: [] };
    this.#waiting.set(id, answer);
    const stop = () => answer.reject(this.#signal!.reason);
    this.#signal?.addEventListener("abort", stop);
    try {
      const line = new TextEncoder().encode(`${JSON.stringify({ id, ...question })}\n`);
      this.#input.write(line).catch(() => {}); // The end of the process rejects the answer.
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

  #kill(): void {
    try {
      Deno.kill(-this.#child.pid, "SIGKILL"); // the process and its children
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // It has ended by itself.
    }
  }

  async #read(): Promise<void> {
    const problem = new Response(this.#child.stderr).text();
    let parts: string[] = [];
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const [end, ...lines] = text.split("\n");
      parts.push(end!);
      for (const line of lines) {
        this.#take(JSON.parse(parts.join("")));
        parts = [line];
      }
    }
    const { code } = await this.#child.status;
    this.#isOver = true;
    const error = new Error((await problem).trim() || `the bundler ended with the status ${code}`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #take({ id, ...answer }: BundlerAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const { files, resolve } = waiting;
    if ("file" in answer) {
      files.push({ ...answer.file, data: Uint8Array.fromBase64(answer.file.data) });
    } else resolve({ ...answer, files });
  }
}
