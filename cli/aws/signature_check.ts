import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { canonicalRequest } from "./canonical_request.ts";
import type { XmlElements } from "./service_call.ts";
import {
  ALGORITHM,
  AUTHORITY,
  readTime,
  type Signature,
  SignatureError,
  type SignedRequest,
} from "./signature.ts";

/** The longest time that a presigned URL is valid, in seconds. */
const MAX_EXPIRY = 604_800;

/**
 * Checks when a URL was presigned, and how long it is valid.
 *
 * @throws {SignatureError} If the time is over or has not begun, or if a parameter is wrong.
 */
export function checkExpiry(query: URLSearchParams, skew = 0): void {
  const begin = readTime(query.get("X-Amz-Date") ?? "");
  const text = query.get("X-Amz-Expires");
  const seconds = Number(text ?? NaN);
  const problem = Number.isNaN(begin)
    ? "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""
    : !(seconds >= 0)
    ? "X-Amz-Expires must be a non-negative number"
    : seconds > MAX_EXPIRY
    ? `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${MAX_EXPIRY} seconds`
    : undefined;
  if (problem !== undefined) throw new SignatureError("malformedQuery", problem);
  const end = new Date(begin + seconds * 1_000).toISOString();
  const now = new Date(Date.now()).toISOString();
  const details = { "X-Amz-Expires": text!, Expires: end, ServerTime: now };
  if (now > end) throw new SignatureError("expired", "Request has expired", details);
  if (begin > Date.now() + skew) {
    throw new SignatureError("expired", "Request is not valid yet", details);
  }
}

/** The largest difference between the times of a signature and of its request, in milliseconds. */
const skewOf = (service: string) => service === "s3" ? 900_000 : 300_000;

/** What a signature must be made with. */
export interface ExpectedSignature {
  readonly service: string;
  /** The secret access key of the signer. */
  readonly secret: string;
  /** What stands for the body: its SHA-256 digest in hexadecimal digits, or `UNSIGNED-PAYLOAD`. */
  readonly digest: string;
}

/**
 * Checks a signature. It must be that of the request and of the secret, and its time must be now.
 *
 * @throws {SignatureError} If anything is wrong.
 * @returns The signatures of the chunks that may follow.
 */
export function checkSignature(
  signature: Signature,
  request: SignedRequest,
  { service, secret, digest }: ExpectedSignature,
): ChunkSignatures {
  const { names, scope, time, value } = signature;
  if (signature.service !== service) {
    throw new SignatureError(
      "mismatch",
      `Credential should be scoped to correct service: '${service}'.`,
    );
  }
  const { headers } = request;
  const skew = skewOf(service);
  if (signature.isPresigned) checkExpiry(new URLSearchParams(request.query), skew);
  else checkClock(time, skew);
  // Every service needs the host and the token signed, and Amazon S3 each header field of its own.
  const needed = service === "s3" ? /^(host$|x-amz-)/ : /^(host|x-amz-security-token)$/;
  const signed = new Set(names.map((name) => name === AUTHORITY ? "host" : name));
  const unsigned = [...headers.keys()].filter((name) => needed.test(name) && !signed.has(name));
  if (unsigned.length > 0) {
    const message = "There were headers present in the request which were not signed";
    const list = unsigned.join(", ");
    throw new SignatureError("unsigned", service === "s3" ? message : `${message}: ${list}`, {
      HeadersNotSigned: list,
    });
  }
  const canonical = canonicalRequest(signature, request, digest);
  const text = [ALGORITHM, time, scope, sha256(canonical)].join("\n");
  const [date, region] = scope.split("/") as [string, string];
  const key = [date, region, service, "aws4_request"]
    .reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret}`) as Buffer;
  if (!isEqual(hmac(key, text).toString("hex"), value)) {
    throw mismatch({
      AWSAccessKeyId: signature.accessKeyId,
      StringToSign: text,
      SignatureProvided: value,
      CanonicalRequest: canonical,
    });
  }
  return new ChunkSignatures(key, `${time}\n${scope}`, value);
}

const mismatch = (details?: XmlElements) =>
  new SignatureError(
    "mismatch",
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    details,
  );

function checkClock(time: string, skew: number): void {
  if (Math.abs(readTime(time) - Date.now()) <= skew) return;
  const ServerTime = new Date(Date.now()).toISOString();
  throw new SignatureError(
    "skewed",
    "The difference between the request time and the current time is too large.",
    { RequestTime: time, ServerTime, MaxAllowedSkewMilliseconds: skew },
  );
}

/** The signatures of the chunks of a body. Each depends on the one before. */
export class ChunkSignatures {
  readonly #key: Buffer;
  readonly #place: string;
  #last: string;

  constructor(key: Buffer, place: string, seed: string) {
    this.#key = key;
    this.#place = place;
    this.#last = seed;
  }

  /** Checks the signature of the next chunk by the digest of its content. */
  check(digest: string, value: string): void {
    this.#next("PAYLOAD", `${sha256("")}\n${digest}`, value);
  }

  /** Checks the signature of the fields that follow the last chunk. */
  checkTrailer(text: string, value: string): void {
    this.#next("TRAILER", sha256(text), value);
  }

  #next(kind: string, content: string, value: string): void {
    const text = `${ALGORITHM}-${kind}\n${this.#place}\n${this.#last}\n${content}`;
    const expected = hmac(this.#key, text).toString("hex");
    if (!isEqual(expected, value)) throw mismatch({ StringToSign: text, SignatureProvided: value });
    this.#last = expected;
  }
}

/** Each character of the text is one byte. */
function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text, "latin1").digest();
}

const sha256 = (text: string) => createHash("sha256").update(text, "latin1").digest("hex");

function isEqual(expected: string, given: string): boolean {
  return expected.length === given.length &&
    timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}
