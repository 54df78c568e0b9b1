import { HTTP_STREAM } from "../../function/http_stream.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { type Answer, type AnswerContent, isBodyless } from "./answer.ts";
import { type Codec, encodeSoon, findMethod } from "./codec.ts";
import { agreeOnCodec } from "./coding.ts";
import { toBytes } from "./content_body.ts";
import { formHeaders } from "./form.ts";
import { mark } from "./http_response.ts";
import { chunksOf, isStream, isWebResponse, stopStream, type StreamBody } from "./stream_body.ts";

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

/** A content whose first chunk was read already, so that a failure before it is still answered as an error. */
class OpenStream implements AsyncIterable<Uint8Array> {
  #first: IteratorResult<Uint8Array> | undefined;
  readonly #rest: AsyncGenerator<Uint8Array>;

  constructor(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
    this.#first = first;
    this.#rest = rest;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const next = this.#first ?? await this.#rest.next();
        this.#first = undefined;
        return next;
      },
      return: () => this.#rest.return(undefined),
    };
  }
}

/** Waits for the first chunk of a content. If the chunks are not read to the end, the content is told to stop. */
export async function openStream(source: StreamBody | Response): Promise<AnswerContent> {
  if (source instanceof OpenStream) return source;
  const body = isWebResponse(source) ? source.body : source;
  if (!body) return "";
  const chunks = chunksOf(body);
  return new OpenStream(await chunks.next(), chunks);
}

/** Compresses the content of an answer chunk by chunk, and makes its response. It has the header fields of payload 2.0. */
export async function sendStream(
  answer: Answer,
  event: FnProxyEvent | undefined,
): Promise<StreamedResponse> {
  const codec = agreeOnCodec(answer, event);
  const { headers, cookies = [] } = formHeaders(answer.headers, "http");
  const prelude = { statusCode: answer.status, headers, cookies };
  let { content } = answer;
  if (isBodyless(answer.status)) {
    stopStream(content);
    content = "";
  } else if (codec) {
    content = isStream(content) ? encodeStream(content, codec) : await encodeSoon(content, codec);
  }
  return mark({ prelude, body: isStream(content) ? content : oneChunk(content) }, HTTP_STREAM);
}

async function* oneChunk(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield await Promise.resolve(toBytes(content));
}

/** The part of a stream of `node:zlib` that is used. */
interface Compressor extends AsyncIterable<Uint8Array> {
  write(chunk: Uint8Array, done: () => void): void;
  read(): Uint8Array | null;
  end(): void;
  destroy(): void;
}

/** Compresses a content that is streamed. Every chunk is given out at once. */
export async function* encodeStream(
  chunks: AsyncIterable<Uint8Array>,
  { stream, options }: Codec,
): AsyncGenerator<Uint8Array> {
  // The compressor has room for all that comes of one chunk.
  const made = findMethod(stream)!({ ...options, readableHighWaterMark: 2 ** 30 });
  const compressor = made as Compressor;
  try {
    for await (const chunk of chunks) {
      await new Promise<void>((done) => compressor.write(chunk, done));
      for (let part; (part = compressor.read());) yield part;
    }
    compressor.end();
    yield* compressor;
  } finally {
    compressor.destroy();
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
