import { AwsCrc32c } from "@aws-crypto/crc32c";
import { Crc64Nvme } from "@aws-sdk/crc64-nvme";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Checksum } from "./object_store.ts";
import { notEmulated, S3Error } from "../service_call.ts";

/** Computes a digest of content that comes in chunks. */
export interface Digest {
  update(chunk: Uint8Array): unknown;
  digest(): Uint8Array | Promise<Uint8Array>;
}

export type Algorithm = keyof typeof ALGORITHMS;

/** The algorithm of objects whose client names none. */
export const DEFAULT_ALGORITHM: Algorithm = "CRC64NVME";

/** The algorithms of Amazon S3. Only some types of a checksum of a multipart upload can have each algorithm. */
const ALGORITHMS = {
  CRC32: { size: 4, types: ["COMPOSITE", "FULL_OBJECT"], start: startCrc32 },
  CRC32C: { size: 4, types: ["COMPOSITE", "FULL_OBJECT"], start: (): Digest => new AwsCrc32c() },
  CRC64NVME: { size: 8, types: ["FULL_OBJECT"], start: (): Digest => new Crc64Nvme() },
  SHA1: { size: 20, types: ["COMPOSITE"], start: (): Digest => createHash("sha1") },
  SHA256: { size: 32, types: ["COMPOSITE"], start: (): Digest => createHash("sha256") },
} as const;

function startCrc32(): Digest {
  const bytes = Buffer.alloc(4);
  let value = 0;
  return {
    update: (chunk) => bytes.writeUInt32BE(value = crc32(chunk, value)),
    digest: () => bytes,
  };
}

export function isAlgorithm(name: string): name is Algorithm {
  return Object.hasOwn(ALGORITHMS, name);
}

export function startDigest(algorithm: Algorithm): Digest {
  return ALGORITHMS[algorithm].start();
}

/** The name of the header field with a checksum. */
export function checksumField(algorithm: string): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** The name of the XML element with a checksum. */
export function checksumElement(algorithm: string): string {
  return `Checksum${algorithm}`;
}

/** Tells whether a text is a digest of this algorithm in base64. */
export function isDigest(algorithm: Algorithm, text: string): boolean {
  return isBase64(text, ALGORITHMS[algorithm].size);
}

/** Tells whether a text is base64 of a number of bytes. */
export function isBase64(text: string, size: number): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === size && bytes.toString("base64") === text;
}

function refuse(field: string): S3Error {
  return new S3Error("InvalidRequest", `Value for ${field} header is invalid.`);
}

/** A checksum that the client has sent, or will send after the content. */
export interface Claim {
  readonly algorithm: Algorithm;
  /** The checksum in base64, unless it follows the content. */
  readonly value?: string | undefined;
}

/** Reads the algorithm of `x-amz-sdk-checksum-algorithm` or `x-amz-checksum-algorithm`. */
export function readAlgorithm(headers: Headers, field: string): Algorithm | undefined {
  const name = headers.get(field)?.toUpperCase();
  if (name === undefined || isAlgorithm(name)) return name;
  const message = field === "x-amz-sdk-checksum-algorithm"
    ? `Value for ${field} header is invalid.`
    : "Checksum algorithm provided is unsupported. Please try again with any of the valid types: " +
      `[${Object.keys(ALGORITHMS).join(", ")}]`;
  throw new S3Error("InvalidRequest", message);
}

/** Reads the checksum that a client claims for its content. */
export function readClaim(headers: Headers): Claim | undefined {
  const announced = readAlgorithm(headers, "x-amz-sdk-checksum-algorithm");
  const trailer = headers.get("x-amz-trailer")?.trim().toLowerCase() ?? "";
  const fields = [...headers.keys(), trailer]
    .flatMap((name) => /^x-amz-checksum-(?!mode$|algorithm$|type$)(.*)$/.exec(name)?.[1] ?? []);
  if (fields.length > 1) {
    const rule = "Multiple checksum Types are not allowed.";
    throw new S3Error("InvalidRequest", `Expecting a single x-amz-checksum- header. ${rule}`);
  }
  const [name] = fields;
  if (name === undefined) {
    if (announced === undefined) return undefined;
    const rule = "but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.";
    throw new S3Error("InvalidRequest", `x-amz-sdk-checksum-algorithm specified, ${rule}`);
  }
  const algorithm = name.toUpperCase();
  if (!isAlgorithm(algorithm)) {
    throw notEmulated(`The checksum "${algorithm}"`);
  }
  if (announced !== undefined && announced !== algorithm) {
    throw refuse("x-amz-sdk-checksum-algorithm");
  }
  const value = headers.get(checksumField(algorithm))?.trim();
  if (value !== undefined && !isDigest(algorithm, value)) throw refuse(checksumField(algorithm));
  return { algorithm, value };
}

/** Makes the header fields that answer a checksum. */
export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (checksum === undefined) return {};
  const { algorithm, value, type } = checksum;
  return { [checksumField(algorithm)]: value, "x-amz-checksum-type": type };
}

/** Makes the XML elements that answer a checksum. */
export function checksumElements(checksum: Checksum | undefined): Record<string, string> {
  if (checksum === undefined) return {};
  return { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type };
}

/** Reads the type of the checksum of a multipart upload. */
export function readType(algorithm: Algorithm, type: string | null): Checksum["type"] {
  const { types } = ALGORITHMS[algorithm];
  if (type === null) return types[0];
  const known = (types as readonly string[]).includes(type);
  if (known) return type as Checksum["type"];
  if (type !== "COMPOSITE" && type !== "FULL_OBJECT") throw refuse("x-amz-checksum-type");
  const name = algorithm.toLowerCase();
  const message = `The ${type} checksum type cannot be used with the ${name} checksum algorithm.`;
  throw new S3Error("InvalidRequest", message);
}
