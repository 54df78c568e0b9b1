import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { S3Error } from "../service_call.ts";
import type { ChunkSignatures } from "../signature_check.ts";
import {
  type Algorithm,
  checksumField,
  type Claim,
  DEFAULT_ALGORITHM,
  type Digest,
  isBase64,
  isDigest,
  readClaim,
  startDigest,
} from "./checksums.ts";
import { readChunks } from "./chunks.ts";
import type { Checksum } from "./object_store.ts";

/** The largest object of one request, and the largest part. */
const MAX_CONTENT = 5 * 1024 ** 3;

/** The content of a request. If a digest, the checksum or the length is wrong, reading the bytes throws at the end. */
export interface Content {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Returns the checksum. The content must have been read. */
  checksum(): Checksum;
}

/** The part of a request that has the content. */
export interface ContentSource {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The signatures of the chunks, if the client has signed each. */
  readonly chunks?: ChunkSignatures | undefined;
}

/**
 * Reads the content of a request.
 *
 * @param fallback The algorithm if the client claims no checksum.
 * @throws {S3Error} If the header is wrong. Reading the bytes throws this error, too.
 */
export function readContent(
  request: ContentSource,
  fallback: Algorithm = DEFAULT_ALGORITHM,
): Content {
  const { headers } = request;
  const claim = readClaim(headers) ?? { algorithm: fallback };
  const md5 = headers.get("content-md5");
  if (md5 !== null && !isBase64(md5, 16)) {
    throw new S3Error("InvalidDigest", "The Content-MD5 you specified was invalid.");
  }
  const length = readLength(request);
  const sha256 = readPayloadDigest(headers);
  const trailers = new Map<string, string>();
  const digest = startDigest(claim.algorithm);
  const hashes = { md5: createHash("md5"), sha256: createHash("sha256") };
  let size = 0;
  const update = (chunk: Uint8Array) => {
    size += chunk.length;
    digest.update(chunk);
    if (md5 !== null) hashes.md5.update(chunk);
    if (sha256 !== undefined) hashes.sha256.update(chunk);
  };
  const check = (value: string) => {
    if (length !== undefined && size !== length) {
      const message =
        "You did not provide the number of bytes specified by the Content-Length HTTP header";
      throw new S3Error("IncompleteBody", message);
    }
    if (md5 !== null && hashes.md5.digest("base64") !== md5) {
      const message = "The Content-MD5 you specified did not match what we received.";
      throw new S3Error("BadDigest", message);
    }
    if (sha256 !== undefined && hashes.sha256.digest("hex") !== sha256) {
      throw new S3Error(
        "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    checkClaim(claim, headers.has("x-amz-trailer") ? trailers : undefined, value);
  };
  const bytes = isChunked(headers)
    ? readChunks(request.body, trailers, request.chunks)
    : request.body ?? new Blob([]).stream();
  return digestContent(bytes, claim.algorithm, check, { update, digest: () => digest.digest() });
}

/** Passes on bytes, and computes their checksum. If the check of the checksum throws, reading the bytes throws. */
export function digestContent(
  source: AsyncIterable<Uint8Array>,
  algorithm: Algorithm,
  check: (value: string) => void = () => {},
  digest: Digest = startDigest(algorithm),
): Content {
  let value = "";
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      digest.update(chunk);
      yield chunk;
    }
    value = Buffer.from(await digest.digest()).toString("base64");
    check(value);
  }
  return { bytes: read(), checksum: () => ({ algorithm, value, type: "FULL_OBJECT" }) };
}

/** Reads the number of bytes of the content itself. */
function readLength({ headers, body }: ContentSource): number | undefined {
  const name = isChunked(headers) ? "x-amz-decoded-content-length" : "content-length";
  const text = headers.get(name);
  if (text === null && body === null) return 0;
  if (text === null) {
    throw new S3Error("MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  if (!/^\d+$/.test(text)) {
    throw new S3Error("InvalidArgument", `Value for ${name} header is invalid.`);
  }
  if (Number(text) > MAX_CONTENT) {
    throw new S3Error(
      "EntityTooLarge",
      "Your proposed upload exceeds the maximum allowed size",
      { ProposedSize: text, MaxSizeAllowed: MAX_CONTENT },
    );
  }
  return Number(text);
}

function isChunked(headers: Headers): boolean {
  return headers.get("x-amz-content-sha256")?.startsWith("STREAMING-") ?? false;
}

/** Reads the SHA-256 digest that the client has signed. Returns `undefined` if it has signed none. */
function readPayloadDigest(headers: Headers): string | undefined {
  const text = headers.get("x-amz-content-sha256");
  if (text === null || text === "UNSIGNED-PAYLOAD") return undefined;
  if (
    /^STREAMING-(UNSIGNED-PAYLOAD-TRAILER|AWS4-(HMAC|ECDSA-P256)-SHA256-PAYLOAD(-TRAILER)?)$/
      .test(text)
  ) return undefined;
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new S3Error(
    "InvalidArgument",
    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, " +
      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, " +
      "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER " +
      "or a valid sha256 value.",
    { ArgumentName: "x-amz-content-sha256", ArgumentValue: text },
  );
}

/** Compares the checksum of the content with the claim: a header field, or a trailer after the content. */
function checkClaim(
  { algorithm, value }: Claim,
  trailers: ReadonlyMap<string, string> | undefined,
  computed: string,
): void {
  const field = checksumField(algorithm);
  const claimed = trailers === undefined ? value : trailers.get(field);
  if (trailers !== undefined && claimed === undefined) {
    throw new S3Error(
      "MalformedTrailerError",
      "The request contained trailing data that was not well-formed or did not conform to our " +
        "published schema.",
    );
  }
  if (claimed === undefined || claimed === computed) return;
  if (!isDigest(algorithm, claimed)) {
    throw new S3Error("InvalidRequest", `Value for ${field} trailing header is invalid.`);
  }
  const message = `The ${algorithm} you specified did not match the calculated checksum.`;
  throw new S3Error("BadDigest", message);
}
