/**
 * The operations of Amazon S3 that are emulated, with the parameters and header fields of each. A request with anything
 * else is refused, because it could have another meaning.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 * @module
 */
import { notEmulated, S3Error, type ServiceError } from "../service_call.ts";
import type { ChunkSignatures } from "../signature_check.ts";
import type { Item } from "./documents.ts";
import { encodeWords } from "./encoded_words.ts";

export type OperationName = keyof typeof OPERATIONS;

/** How an operation is found, and what it takes. The names are divided by spaces. */
interface Operation {
  /** The method, and what the URL names. */
  readonly request: `${string} ${"service" | "bucket" | "object"}`;
  /** The parameters that name the operation. */
  readonly names?: string;
  /** The header field that names the operation. */
  readonly header?: string;
  /** Further parameters. */
  readonly query?: string;
  /** Further header fields among `x-amz-…` and `if-…`. */
  readonly headers?: string;
}

const READ_CONDITIONS = "if-match if-modified-since if-none-match if-range if-unmodified-since";
const WRITE_CONDITIONS = "if-match if-none-match";
const CHECKSUMS = "x-amz-checksum-* x-amz-sdk-checksum-algorithm";
const FACTS = "x-amz-acl x-amz-meta-* x-amz-server-side-encryption x-amz-storage-class";
const SOURCE = "x-amz-copy-source x-amz-copy-source-if-match x-amz-copy-source-if-modified-since " +
  "x-amz-copy-source-if-none-match x-amz-copy-source-if-unmodified-since " +
  "x-amz-source-expected-bucket-owner";
const READ_QUERY = "partNumber response-cache-control response-content-disposition " +
  "response-content-encoding response-content-language response-content-type response-expires";
const LIST_QUERY = "delimiter encoding-type max-keys prefix";

/** The operations of Amazon S3 that work on this machine, each with its parameters and header fields. */
export const OPERATIONS = {
  ListBuckets: { request: "GET service" },
  HeadBucket: { request: "HEAD bucket" },
  GetBucketLocation: { request: "GET bucket", names: "location" },
  ListObjects: {
    request: "GET bucket",
    query: `${LIST_QUERY} marker`,
    headers: "x-amz-optional-object-attributes",
  },
  ListObjectsV2: {
    request: "GET bucket",
    names: "list-type",
    query: `${LIST_QUERY} continuation-token fetch-owner start-after`,
    headers: "x-amz-optional-object-attributes",
  },
  DeleteObjects: { request: "POST bucket", names: "delete", headers: CHECKSUMS },
  GetObject: {
    request: "GET object",
    query: READ_QUERY,
    // Without validation of responses, the AWS SDK sends a checksum of the empty body.
    headers: `${READ_CONDITIONS} ${CHECKSUMS}`,
  },
  HeadObject: {
    request: "HEAD object",
    query: READ_QUERY,
    headers: `${READ_CONDITIONS} x-amz-checksum-mode`,
  },
  PutObject: { request: "PUT object", headers: `${WRITE_CONDITIONS} ${CHECKSUMS} ${FACTS}` },
  CopyObject: {
    request: "PUT object",
    header: "x-amz-copy-source",
    headers:
      `${WRITE_CONDITIONS} ${FACTS} ${SOURCE} x-amz-checksum-algorithm x-amz-metadata-directive`,
  },
  DeleteObject: { request: "DELETE object", headers: "if-match" },
  CreateMultipartUpload: {
    request: "POST object",
    names: "uploads",
    headers: `${FACTS} x-amz-checksum-algorithm x-amz-checksum-type`,
  },
  UploadPart: { request: "PUT object", names: "partNumber uploadId", headers: CHECKSUMS },
  UploadPartCopy: {
    request: "PUT object",
    names: "partNumber uploadId",
    header: "x-amz-copy-source",
    headers: `${SOURCE} x-amz-copy-source-range`,
  },
  CompleteMultipartUpload: {
    request: "POST object",
    names: "uploadId",
    headers: `${WRITE_CONDITIONS} x-amz-checksum-* x-amz-checksum-type x-amz-mp-object-size`,
  },
  AbortMultipartUpload: { request: "DELETE object", names: "uploadId" },
} as const satisfies Record<string, Operation>;

/** Divides names. */
export const namesIn = (text?: string): readonly string[] => text?.split(" ") ?? [];

/** The parameters and header fields of every operation: of a signature, and of the SDK. */
const COMMON_QUERY =
  /^(x-id|X-Amz-(Algorithm|Content-Sha256|Credential|Date|Expires|Security-Token|Signature|SignedHeaders))$/;
export const COMMON_HEADERS =
  /^x-amz-(content-sha256|date|decoded-content-length|expected-bucket-owner|request-payer|security-token|trailer|user-agent)$/;

/** Parameters that stand for a header field in the URL of a signed request. */
const SIGNED_HEADERS =
  /^x-amz-(acl|checksum-(algorithm|type)|meta-[\w!#$%&'*+.^`|~-]+|server-side-encryption|storage-class)$/i;

/** Parameters that Amazon S3 ignores: an SDK signs the checksum of an empty body, because it does not know the content. */
const IGNORED = /^x-amz-(checksum-[\w-]+|sdk-checksum-algorithm)$/i;

/** What a request to Amazon S3 asks for. */
export interface S3Request {
  readonly operation: OperationName;
  /** The bucket and the key. Either may be empty. */
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The signatures of the chunks of the body, if the client has signed each. */
  readonly chunks?: ChunkSignatures | undefined;
  /** The keys that DeleteObjects removes, perhaps with the entity tags that the objects must have. */
  readonly items?: readonly Item[];
  /** Whether the answer of DeleteObjects has errors only. */
  readonly isQuiet?: boolean;
}

/**
 * Finds the operation of a request.
 *
 * @throws {S3Error} If the operation, a parameter or a header field is not emulated.
 */
export function readRequest(request: Request): S3Request {
  const { method, url } = request;
  const query = new URL(url).searchParams;
  const headers = new Headers(request.headers);
  for (const [name, value] of query) {
    // A header field carries other text than ASCII in encoded words.
    if (SIGNED_HEADERS.test(name) && !headers.has(name)) headers.set(name, encodeWords(value));
  }
  const digest = query.get("X-Amz-Content-Sha256");
  if (digest !== null && !headers.has("x-amz-content-sha256")) {
    headers.set("x-amz-content-sha256", encodeWords(digest));
  }
  const [bucket, key] = readPlace(request);
  const level = bucket === "" ? "service" : key === "" ? "bucket" : "object";
  const candidates = Object.entries<Operation>(OPERATIONS).filter(([, operation]) =>
    operation.request === `${method} ${level}` &&
    namesIn(operation.names).every((name) => query.has(name)) &&
    (operation.header === undefined || headers.has(operation.header))
  );
  const weight = ([, { names, header }]: [string, Operation]) =>
    namesIn(names).length + namesIn(header).length;
  const [found] = candidates.sort((a, b) => weight(b) - weight(a));
  if (found === undefined) throw unknownOperation(method, level, query);
  const [name, operation] = found;
  const parameters = [...namesIn(operation.names), ...namesIn(operation.query)];
  for (const parameter of query.keys()) {
    const isKnown = COMMON_QUERY.test(parameter) || SIGNED_HEADERS.test(parameter) ||
      IGNORED.test(parameter) || parameters.includes(parameter);
    if (!isKnown) throw notEmulated(`The parameter "${parameter}" of ${name}`);
  }
  for (const field of headers.keys()) {
    if (!/^(x-amz-|if-)/.test(field) || COMMON_HEADERS.test(field)) continue;
    const isKnown = namesIn(operation.headers).some((allowed) =>
      allowed.endsWith("*") ? field.startsWith(allowed.slice(0, -1)) : field === allowed
    );
    if (!isKnown) throw notEmulated(`The header field "${field}" of ${name}`);
  }
  return { operation: name as OperationName, bucket, key, query, headers };
}

/** Reads the path from the text, because `URL` would change the key `a/../b` to `b`. */
function readPlace({ url }: Request): readonly [bucket: string, key: string] {
  const [, path = ""] = /^[^:]+:\/\/[^/?]*([^?]*)/.exec(url) ?? [];
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  try {
    return [decodeURIComponent(bucket), decodeURIComponent(key)];
  } catch {
    throw new S3Error("InvalidURI", "Couldn't parse the specified URI.");
  }
}

function unknownOperation(method: string, level: string, query: URLSearchParams): ServiceError {
  if (!/^(DELETE|GET|HEAD|POST|PUT)$/.test(method)) {
    return new S3Error(
      "MethodNotAllowed",
      "The specified method is not allowed against this resource.",
      { Method: method, ResourceType: level.toUpperCase() },
    );
  }
  const parameters = [...query.keys()].filter((name) => !COMMON_QUERY.test(name));
  const suffix = parameters.length === 0 ? "" : ` with "${parameters.join('", "')}"`;
  return notEmulated(
    `The operation ${method} of ${level === "object" ? "an" : "a"} ${level}${suffix}`,
  );
}
