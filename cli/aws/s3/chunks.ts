import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { S3Error } from "../service_call.ts";
import type { ChunkSignatures } from "../signature_check.ts";

const TRAILER_SIGNATURE = "x-amz-trailer-signature";

/** The longest head of a chunk, and the longest trailer, in bytes. */
const MAX_LINES = 4_096;

function malformed(problem: string): S3Error {
  return new S3Error("InvalidRequest", `The body is not well-formed aws-chunked: ${problem}`);
}

/**
 * Reads content of the coding `aws-chunked`. The AWS SDKs put a frame around each chunk if a checksum or a signature follows
 * the content. The frames are removed.
 *
 * @param trailers Takes the fields that follow the content, by name in lower case.
 * @param signatures Checks the signature of each chunk and of the trailers. Without it, signatures are ignored.
 * @throws {S3Error} If the body is not of this coding, or ends early.
 * @throws {SignatureError} If a signature is wrong.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  trailers: Map<string, string>,
  signatures?: ChunkSignatures,
): AsyncGenerator<Uint8Array> {
  const iterator = (body ?? new Blob([]).stream())[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const readMore = async () => {
    const { value, done } = await iterator.next();
    if (done) {
      throw new S3Error("IncompleteBody", "The request body terminated unexpectedly");
    }
    rest = Buffer.concat([rest, value]);
  };
  for (;;) {
    while (!rest.includes("\n")) {
      if (rest.length > MAX_LINES) throw malformed("the head of a chunk is too long");
      await readMore();
    }
    const end = rest.indexOf("\n");
    const [, digits, signature = ""] = /^([\da-f]{1,8})(?:;chunk-signature=([\da-f]{64})|;.*)?\r$/i
      .exec(rest.toString("latin1", 0, end)) ?? [];
    if (digits === undefined) throw malformed("a chunk has no length");
    rest = rest.subarray(end + 1);
    let left = Number.parseInt(digits, 16);
    const digest = createHash("sha256");
    if (left === 0) {
      signatures?.check(digest.digest("hex"), signature);
      break;
    }
    while (left > 0) {
      if (rest.length === 0) await readMore();
      const part = rest.subarray(0, left);
      if (signatures !== undefined) digest.update(part);
      yield part;
      left -= part.length;
      rest = rest.subarray(part.length);
    }
    while (rest.length < 2) await readMore();
    if (rest.toString("latin1", 0, 2) !== "\r\n") {
      throw malformed("a chunk is longer than its head says");
    }
    rest = rest.subarray(2);
    signatures?.check(digest.digest("hex"), signature);
  }
  for (let next; !(next = await iterator.next()).done;) {
    rest = Buffer.concat([rest, next.value]);
    if (rest.length > MAX_LINES) throw malformed("the trailer is too long");
  }
  const lines = rest.toString("latin1").split(/\r?\n/)
    .map((line) => /^([\w-]+):\s*(.*?)\s*$/.exec(line)).filter((found) => found !== null)
    .map(([, name, value]) => [name!.toLowerCase(), value!] as const);
  for (const [name, value] of lines) trailers.set(name, value);
  const signed = lines.filter(([name]) => name !== TRAILER_SIGNATURE);
  if (signatures !== undefined && (lines.length > 0)) {
    const text = signed.map(([name, value]) => `${name}:${value}\n`).join("");
    signatures.checkTrailer(text, trailers.get(TRAILER_SIGNATURE) ?? "");
  }
}
