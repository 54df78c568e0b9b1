import type { Content } from "./result.ts";
import { toBytes } from "./content_body.ts";
import { mark } from "./http_response.ts";
import { chunksOf, isBytes, isWebResponse } from "./stream_body.ts";

/** The status, header fields and cookies of a streamed response. */
export interface StreamPrelude {
  /** The status code, 200 to 599. */
  readonly statusCode: number;
  /** The header fields. */
  readonly headers: Record<string, string>;
  /** The values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/**
 * A response that is streamed: the result that the custom runtime of `@mate/core/runtime` streams. It is recognised by a
 * registered symbol.
 */
export interface StreamedResponse {
  /** The status, header fields and cookies. */
  readonly prelude: StreamPrelude;
  /** The body, chunk by chunk. If it fails, the stream ends with the error. */
  readonly body: AsyncIterable<Uint8Array>;
}

const HTTP_STREAM = Symbol.for("@mate/core/http-stream/1");

/** Makes a result that is streamed. */
export function markStreamed(
  prelude: StreamPrelude,
  body: AsyncIterable<Uint8Array>,
): StreamedResponse {
  return mark({ prelude, body }, HTTP_STREAM);
}

/** A content that is known, as the body of a stream. */
export async function* oneChunk(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield await Promise.resolve(toBytes(content));
}

/** Whether a content is made while it is sent. */
export function isStreaming(content: Content): content is Exclude<Content, string | Uint8Array> {
  return typeof content !== "string" && !isBytes(content);
}

/**
 * Waits for the first chunk of a content, so that a failure before it is still answered as an error.
 *
 * @returns All chunks. If they are not read to the end, the content is told to stop.
 */
export async function openStream(
  content: Exclude<Content, string | Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = chunksOf(isWebResponse(content) ? content.body ?? oneChunk("") : content);
  const first = await chunks.next();
  return resume(first, chunks);
}

async function* resume(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The part of a Node.js stream that is used. */
interface NodeStream {
  write(chunk: Uint8Array): boolean;
  end(): void;
  on(event: "close" | "drain", listener: () => void): void;
  off(event: "close" | "drain", listener: () => void): void;
  readonly destroyed?: boolean;
}

/** The global of the managed Node.js runtime that streams responses. */
export interface AwsLambda {
  /** Marks a handler that writes its response to a stream. */
  streamifyResponse<Context>(
    handler: (event: unknown, stream: NodeStream, context: Context) => Promise<void>,
  ): unknown;
  /** Puts status and header fields before the bytes of a stream. */
  readonly HttpResponseStream: { from(stream: NodeStream, prelude: StreamPrelude): NodeStream };
}

/**
 * The global `awslambda`, if the runtime is the managed Node.js runtime. On any runtime, the AWS SDK makes a global of that
 * name for its own use.
 */
export function findAwsLambda(): AwsLambda | undefined {
  const { awslambda } = globalThis as unknown as { awslambda?: AwsLambda };
  return typeof awslambda?.streamifyResponse === "function" ? awslambda : undefined;
}

/**
 * Writes a response to the stream of the managed Node.js runtime. If the body fails, the promise rejects before the
 * stream ends; then the runtime logs the error and sends it in the trailers.
 */
export async function writeResponse(
  platform: AwsLambda,
  target: NodeStream,
  { prelude, body }: StreamedResponse,
): Promise<void> {
  const stream = platform.HttpResponseStream.from(target, prelude);
  // The first write sends the prelude, also if the body is empty.
  let isReady = stream.write(new Uint8Array());
  for await (const chunk of body) {
    if (!isReady) await untilReady(stream);
    if (stream.destroyed) return; // nobody reads any more
    isReady = stream.write(chunk);
  }
  stream.end();
}

/** Waits until a stream has room again, or is closed. */
function untilReady(stream: NodeStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
    if (stream.destroyed) done();
  });
}
