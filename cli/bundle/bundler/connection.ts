import { Buffer } from "node:buffer";
import type {
  AnswerLine,
  BundlerAnswer,
  BundleRequest,
  CopyRequest,
} from "../packages/messages.ts";

/** A whole answer. */
export interface Finished extends BundlerAnswer {
  /** The texts of bundles, or the contents of copied files. */
  readonly contents: readonly Uint8Array<ArrayBuffer>[];
}

/** The questions to the process of the bundler, and its answers. */
export class Connection implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Finished>>();
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
    const answer = Promise.withResolvers<Finished>();
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
    const output = new Output(this.#child.stdout);
    for (let line = await output.readLine(); line !== undefined; line = await output.readLine()) {
      const { id, sizes, ...answer }: AnswerLine = JSON.parse(line);
      const contents = await output.readAll(sizes);
      if (contents === undefined) break;
      this.#waiting.get(id)?.resolve({ ...answer, contents });
    }
    const { code } = await this.#child.status;
    this.#isOver = true;
    const error = new Error((await problem).trim() || `the bundler ended with the status ${code}`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

/** Reads lines and bytes from a stream. */
class Output {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** What was read of the stream, and not taken yet. */
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Reads to the end of the line. Returns `undefined` at the end of the stream. */
  async readLine(): Promise<string | undefined> {
    const parts: Uint8Array[] = [];
    for (let end = -1; end < 0;) {
      if (!await this.#fill()) return undefined;
      end = this.#rest.indexOf(10);
      parts.push(this.#take(end < 0 ? Infinity : end + 1));
    }
    return new TextDecoder().decode(Buffer.concat(parts));
  }

  /** Reads parts with the given numbers of bytes. Returns `undefined` if the stream ends before. */
  async readAll(sizes: readonly number[]): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
    const parts = sizes.map((size) => new Uint8Array(size));
    for (const part of parts) {
      for (let at = 0; at < part.length;) {
        if (!await this.#fill()) return undefined;
        const bytes = this.#take(part.length - at);
        part.set(bytes, at);
        at += bytes.length;
      }
    }
    return parts;
  }

  async #fill(): Promise<boolean> {
    if (this.#rest.length === 0) this.#rest = (await this.#reader.read()).value ?? this.#rest;
    return this.#rest.length > 0;
  }

  #take(size: number): Uint8Array {
    const part = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}
