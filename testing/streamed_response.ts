import { HTTP_STREAM } from "../function/http_stream.ts";

/** A streamed HTTP response in the form of `@mate/core/runtime`. */
interface HttpStream {
  readonly prelude: {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cookies?: readonly string[];
  };
  readonly body: Stream;
}

type Stream = AsyncIterable<Uint8Array | string>;

/** Tells whether the runtime streams a result. */
export function isStreamed(result: unknown): result is HttpStream | Stream {
  return typeof result === "object" && result !== null &&
    (Object.hasOwn(result, HTTP_STREAM) || Symbol.asyncIterator in result);
}

/**
 * Makes the response of a stream. This function reads the first chunk before the response begins, as the runtime does.
 *
 * @throws The error of the stream, if it fails before its first chunk.
 */
export async function toStreamedResponse(result: HttpStream | Stream): Promise<Response> {
  const { prelude, body } = Object.hasOwn(result, HTTP_STREAM)
    ? result as HttpStream
    : { prelude: {}, body: result as Stream };
  const { statusCode = 200, headers: fields = {}, cookies = [] } = prelude;
  const headers = new Headers(fields);
  if (!headers.has("content-type")) headers.set("content-type", "application/octet-stream");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const hasBody = ![204, 205, 304].includes(statusCode);
  return new Response(hasBody ? readable(chunks, first) : null, { status: statusCode, headers });
}

/** The chunks as a stream of bytes. A chunk is read only when the reader wants it. */
function readable(
  chunks: AsyncIterator<Uint8Array | string>,
  first: IteratorResult<Uint8Array | string>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next: IteratorResult<Uint8Array | string> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? await chunks.next();
      next = undefined;
      if (done) return controller.close();
      const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
      controller.enqueue(new Uint8Array(bytes));
    },
    async cancel() {
      await chunks.return?.();
    },
  }, { highWaterMark: 0 });
}
