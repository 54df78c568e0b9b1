import { Buffer } from "node:buffer";
import { MAX_KEPT } from "./traces.ts";

/**
 * Passes on a stream, and keeps its beginning. Nothing is read before somebody reads the result.
 *
 * @param end Is called once, at the end or when the reader goes away, with the beginning and the number of all bytes.
 */
export function followStream(
  body: ReadableStream<Uint8Array>,
  end: (bytes: Uint8Array, size: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let size = 0;
  const finish = () => end(Buffer.concat(chunks), size);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        finish();
        throw error;
      });
      if (done) {
        finish();
        return controller.close();
      }
      size += value.length;
      if (kept <= MAX_KEPT) {
        chunks.push(value);
        kept += value.length;
      }
      controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel(reason) {
      finish();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
