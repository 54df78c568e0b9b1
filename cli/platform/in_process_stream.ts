import { Buffer } from "node:buffer";
import type { InvokeOptions } from "./function_host.ts";

/** The mark of a result that is streamed as an HTTP response; see `httpStream()` of `@mate/core/runtime`. */
const HTTP_STREAM = Symbol.for("@mate/core/http-stream/1");

type Chunks = AsyncIterable<Uint8Array | string>;

/** A result that is streamed as an HTTP response. */
interface HttpStream {
  readonly prelude: unknown;
  readonly body: Chunks;
}

/** Whether a handler's result is streamed. */
export function isStreamed(result: unknown): result is Chunks | HttpStream {
  return typeof result === "object" && result !== null &&
    (Symbol.asyncIterator in result || Object.hasOwn(result, HTTP_STREAM));
}

/**
 * Sends a streamed result as the custom runtime does.
 *
 * @param stream Takes the result as it comes. Without it the result is collected.
 * @returns The collected result; nothing if it went to the stream.
 * @throws {Error} If the result fails. The stream ends with the error as well.
 */
export async function sendStream(
  result: Chunks | HttpStream,
  stream: InvokeOptions["stream"],
): Promise<Uint8Array> {
  const isHttp = Object.hasOwn(result, HTTP_STREAM);
  const type = isHttp
    ? "application/vnd.awslambda.http-integration-response"
    : "application/octet-stream";
  const chunks = (isHttp ? (result as HttpStream).body : result as Chunks)[Symbol.asyncIterator]();
  let next = await chunks.next(); // A failure before the first chunk is an ordinary failure.
  const collected: Uint8Array[] = [];
  const collect = () =>
    new WritableStream<Uint8Array>({ write: (bytes) => void collected.push(bytes) });
  const writer = (stream?.(type) ?? collect()).getWriter();
  try {
    if (isHttp) {
      await writer.write(
        Buffer.from(JSON.stringify((result as HttpStream).prelude) + "\0".repeat(8)),
      );
    }
    for (; !next.done; next = await chunks.next()) {
      await writer.write(Buffer.from(next.value as string));
    }
    await writer.close();
  } catch (error) {
    await chunks.return?.();
    await writer.abort(error).catch(() => {}); // the reader went away
    throw error;
  }
  return Buffer.concat(collected);
}
