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
  let rest: Uint8Array = new Uint8Array();
  const more = async () => {
    const { value, done } = await iterator.next();
    if (done) throw new TypeError("Invalid aws-chunked content: it ends early");
    return value;
  };
  for (;;) {
    let end = rest.indexOf(0x0a);
    for (; end < 0; end = rest.indexOf(0x0a)) {
      if (rest.length > MAX_HEAD) {
        throw new TypeError("Invalid aws-chunked content: the head of a chunk is too long");
      }
      rest = concat(rest, await more());
    }
    const head = new TextDecoder().decode(rest.subarray(0, end));
    const [, digits] = /^([\da-f]{1,8})(?:;.*)?\r$/i.exec(head) ?? [];
    if (digits === undefined) {
      throw new TypeError("Invalid aws-chunked content: a chunk has no length");
    }
    rest = rest.subarray(end + 1);
    let length = Number.parseInt(digits, 16);
    if (length === 0) break;
    for (; length > 0; length -= rest.length, rest = await more()) {
      if (rest.length > length) break;
      if (rest.length > 0) yield rest;
    }
    if (length > 0) yield rest.subarray(0, length);
    rest = rest.subarray(length);
    while (rest.length < 2) rest = concat(rest, await more());
    rest = rest.subarray(2); // the line end after the chunk
  }
  // The trailer with the checksum is read, so that the connection can be used again.
  while (!(await iterator.next()).done);
}

const MAX_HEAD = 1_024;

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
