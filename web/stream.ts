import { chunkBytes, isWebResponse, type StreamBody, type StreamChunk } from "../function/bytes.ts";
import type { AnswerContent } from "../gateway/response/answer.ts";
import type { WebRequest } from "./event.ts";

/**
 * A content on its way to a client. Its first chunk is read before the response begins, so that a failure before it is
 * still an ordinary error.
 */
export class OpenedStream implements AsyncIterable<Uint8Array> {
  readonly #next: () => Promise<IteratorResult<unknown>>;
  readonly #stop: () => Promise<unknown> | undefined;
  /** The first chunk; rejects if the source fails before it. */
  first: Promise<IteratorResult<Uint8Array>> | undefined;

  constructor(source: StreamBody) {
    if ("getReader" in source) {
      // A reader can be told to stop while it waits for a chunk; an iterator cannot.
      const reader = (source as ReadableStream<StreamChunk>).getReader();
      this.#next = () => reader.read() as Promise<IteratorResult<unknown>>;
      this.#stop = () => reader.cancel();
    } else {
      const iterator = (source as AsyncIterable<StreamChunk>)[Symbol.asyncIterator]();
      this.#next = () => iterator.next();
      this.#stop = () => iterator.return?.();
    }
    this.first = this.#read();
  }

  /** Tells the source to stop. A failure of the source while it stops concerns nobody any more. */
  async stop(): Promise<void> {
    try {
      await this.#stop();
    } catch {
      // see above
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        const next = this.first ?? this.#read();
        this.first = undefined;
        return next;
      },
      return: async () => {
        await this.stop();
        return { done: true, value: undefined };
      },
    };
  }

  async #read(): Promise<IteratorResult<Uint8Array>> {
    const result = await this.#next();
    if (result.done) return { done: true, value: undefined };
    try {
      return { done: false, value: chunkBytes(result.value) };
    } catch (error) {
      this.stop();
      throw error;
    }
  }
}

/** Opens a stream or the body of a `Response`. It stops when the client goes. */
export async function openFor(
  source: StreamBody | Response,
  request: WebRequest,
): Promise<AnswerContent> {
  if (source instanceof OpenedStream) return source;
  const body = isWebResponse(source) ? source.body : source;
  if (!body) return "";
  const opened = new OpenedStream(body);
  request.onGone(() => void opened.stop());
  await opened.first;
  return opened;
}
