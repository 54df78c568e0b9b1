import type { RuntimeClient } from "./client.ts";
import { describeFailure, type Failure } from "./failure.ts";
import type { HttpPrelude, StreamBody, StreamChunk } from "./http_stream.ts";

const ENCODER = new TextEncoder();

/** What parts the prelude of an HTTP response from its body. */
const DELIMITER = "\0".repeat(8);

/** What the sending of a stream needs of the invocation that it answers. */
export interface Streaming {
  /** Waits for what the handler's code does; an abort ends the wait. */
  wait<T>(promise: PromiseLike<T>): Promise<T>;
  /** Ends the wait with an error. */
  abort(error: unknown): void;
  /** Logs what went wrong, unless whoever aborted did. */
  log(error: unknown): void;
  /** Answers with an error. */
  fail(error: unknown): Promise<void>;
}

/** The stream was answered before its end. */
class AnsweredError extends Error {}

/**
 * Answers an invocation with a stream. The first chunk is awaited before anything is sent: a stream that fails before
 * it is an ordinary failure.
 */
export async function sendStream(
  invocation: Streaming,
  client: RuntimeClient,
  id: string,
  body: StreamBody,
  prelude?: HttpPrelude,
): Promise<void> {
  let iterator: AsyncIterator<StreamChunk> | undefined;
  let ended = false;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await invocation.wait(Promise.resolve(iterator!.next()));
    if (done) ended = true;
    return done ? undefined : toBytes(value);
  };
  let start: Uint8Array | undefined;
  let bytes: Uint8Array | undefined;
  try {
    start = prelude && ENCODER.encode(JSON.stringify(prelude) + DELIMITER);
    iterator = (body as AsyncIterable<StreamChunk>)[Symbol.asyncIterator]();
    bytes = await next();
  } catch (error) {
    void close(iterator);
    return await invocation.fail(error);
  }
  const type = prelude
    ? "application/vnd.awslambda.http-integration-response"
    : "application/octet-stream";
  try {
    await client.stream(id, type, async (write, answered) => {
      answered.then(() => invocation.abort(new AnsweredError()));
      if (start) await write(start);
      while (bytes !== undefined) {
        await write(bytes); // the next is not asked for before this one is on its way
        try {
          bytes = await next();
        } catch (error) {
          return failed(invocation, error);
        }
      }
    });
  } finally {
    if (!ended) void close(iterator);
  }
}

/** What the trailers say of a stream that failed. */
function failed(invocation: Streaming, error: unknown): Failure | undefined {
  if (error instanceof AnsweredError) return undefined; // nothing more can be said
  invocation.log(error);
  return describeFailure(error);
}

/** Tells the source that nobody wants more; what it has to say to that changes nothing. */
async function close(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // It was asked to end, and has.
  }
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return ENCODER.encode(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  const got = chunk === null ? "null" : Array.isArray(chunk) ? "an array" : typeof chunk;
  throw new TypeError(`Cannot stream a chunk: expected a string or a Uint8Array, got ${got}`);
}
