import { Buffer } from "node:buffer";

const MAX_HEAD = 1_024;

/**
 * Reads the content of a request. The AWS SDKs put a frame around each chunk if a checksum or a signature follows the
 * content (`Content-Encoding: aws-chunked`). The frames are removed.
 *
 * @throws {TypeError} If a chunk has no length, or if the content ends early.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export async function* chunkedContent(request: Request): AsyncGenerator<Uint8Array> {
  const content = request.body ?? new Blob([]).stream();
  if (!request.headers.get("x-amz-content-sha256")?.startsWith("STREAMING-")) {
    return yield* content;
  }
  const iterator = content[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const readMore = async () => {
    const { value, done } = await iterator.next();
    if (done) throw new TypeError("Invalid aws-chunked content: it ends early");
    rest = Buffer.concat([rest, value]);
  };
  for (;;) {
    while (!rest.includes("\n")) {
      if (rest.length > MAX_HEAD) {
        throw new TypeError("Invalid aws-chunked content: the head of a chunk is too long");
      }
      await readMore();
    }
    const end = rest.indexOf("\n");
    const [, digits] = /^([\da-f]{1,8})(?:;.*)?\r$/i.exec(rest.toString("latin1", 0, end)) ?? [];
    if (digits === undefined) {
      throw new TypeError("Invalid aws-chunked content: a chunk has no length");
    }
    rest = rest.subarray(end + 1);
    let left = Number.parseInt(digits, 16);
    if (left === 0) break;
    while (left > 0) {
      if (rest.length === 0) await readMore();
      const part = rest.subarray(0, left);
      yield part;
      left -= part.length;
      rest = rest.subarray(part.length);
    }
    while (rest.length < 2) await readMore();
    rest = rest.subarray(2); // A line end follows the chunk.
  }
  // Read the trailer with the checksum, so that the client can use the connection again.
  while (!(await iterator.next()).done);
}
