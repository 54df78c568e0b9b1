import { Buffer } from "node:buffer";

const MAX_HEAD = 1_024;

/**
 * The content of a request, without the frame that the AWS SDKs put around each chunk if they send a checksum or a signature
 * after the content (`Content-Encoding: aws-chunked`).
 *
 * @throws {TypeError} While it is read: if a chunk has no length, or the content ends early.
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
    rest = rest.subarray(2); // the line end after the chunk
  }
  // The trailer with the checksum is read, so that the connection can be used again.
  while (!(await iterator.next()).done);
}
