import type { BucketFolder, Client } from "./bucket_folder.ts";
import type { StoredObject } from "./object_store.ts";
import { invalidArgument, S3Error, xmlResponse } from "../service_call.ts";
import {
  checksumElements,
  checksumHeaders,
  DEFAULT_ALGORITHM,
  isAlgorithm,
  readAlgorithm,
} from "./checksums.ts";
import { isUnchanged, type Range, readRange, slice, writeCondition } from "./conditions.ts";
import { digestContent, readContent } from "./content.ts";
import { noSuchKey, objectHeaders, openSource, readFacts, timeOf } from "./facts.ts";
import type { S3Request } from "./operations.ts";

/** The bucket, and perhaps the object, that a request names. */
export interface Target {
  readonly bucket: BucketFolder;
  readonly buckets: ReadonlyMap<string, BucketFolder>;
  readonly client: Client;
}

/** Answers PutObject. */
export async function putObject(
  { body }: Request,
  { key, headers, chunks }: S3Request,
  { bucket, client }: Target,
): Promise<Response> {
  const facts = readFacts(headers);
  const content = readContent({ headers, body, chunks });
  const object = await bucket.put(key, content.bytes, {
    ...client,
    check: writeCondition(headers),
    facts: () => ({ ...facts, checksum: content.checksum() }),
  });
  return new Response(null, {
    headers: {
      ETag: `"${object.etag}"`,
      "x-amz-server-side-encryption": "AES256",
      ...checksumHeaders(object.checksum),
    },
  });
}

/** Answers GetObject and HeadObject. */
export async function readObject(
  { operation, key, headers, query }: S3Request,
  { bucket }: Target,
): Promise<Response> {
  const found = await bucket.open(key, (object) => describe(object, headers, query));
  if (found === undefined) throw noSuchKey(key);
  const { object, content } = found;
  const { status, range, head } = describe(object, headers, query);
  if (operation === "HeadObject" || status === 304) {
    await content.cancel();
    return new Response(null, { status, headers: head });
  }
  const body = range === undefined ? content : content.pipeThrough(slice(range));
  return new Response(body, { status, headers: head });
}

/** Makes the status and the header of an answer, and the range of the content. */
function describe(
  object: StoredObject,
  headers: Headers,
  query: URLSearchParams,
): { status: number; range?: Range; head: Headers } {
  const { size, checksum } = object;
  const head = objectHeaders(object, query);
  if (isUnchanged(headers, object)) {
    head.delete("content-type");
    return { status: 304, head };
  }
  const part = query.get("partNumber");
  if (part !== null && headers.has("range")) {
    const message = "Cannot specify both Range header and partNumber query parameter";
    throw new S3Error("InvalidRequest", message);
  }
  const condition = headers.get("if-range");
  const isCurrent = condition === null || condition === head.get("etag") ||
    condition === head.get("last-modified");
  const range = part === null
    ? readRange(isCurrent ? headers.get("range") : null, size)
    : rangeOfPart(object, part);
  if (part !== null && object.parts !== undefined) {
    head.set("x-amz-mp-parts-count", String(object.parts.length));
  }
  const isWhole = range === undefined || range.end - range.start === size;
  if (headers.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED" && isWhole) {
    for (const field of Object.entries(checksumHeaders(checksum))) head.set(...field);
  }
  head.set("content-length", String(range === undefined ? size : range.end - range.start));
  if (range === undefined) return { status: 200, head };
  const { start, end } = range;
  if (size > 0) head.set("content-range", `bytes ${start}-${end - 1}/${size}`);
  return { status: 206, range, head };
}

/** Returns the bytes of a part of a multipart upload. Another object has one part. */
function rangeOfPart({ size, parts = [size] }: StoredObject, text: string): Range {
  const number = readPartNumber(text);
  const length = parts[number - 1];
  if (length === undefined) {
    const message = "The requested partnumber is not satisfiable";
    throw new S3Error("InvalidPartNumber", message, {
      PartNumberRequested: number,
      ActualPartCount: parts.length,
    });
  }
  const start = parts.slice(0, number - 1).reduce((sum, part) => sum + part, 0);
  return { start, end: start + length };
}

export function readPartNumber(text: string): number {
  if (/^([1-9]\d{0,3}|10000)$/.test(text)) return Number(text);
  const message = "Part number must be an integer between 1 and 10000, inclusive";
  throw invalidArgument(message, "partNumber", text);
}

/** Answers CopyObject. */
export async function copyObject(
  { bucket: name, key, headers }: S3Request,
  { bucket, buckets, client }: Target,
): Promise<Response> {
  const directive = headers.get("x-amz-metadata-directive") ?? "COPY";
  if (directive !== "COPY" && directive !== "REPLACE") {
    const field = "x-amz-metadata-directive";
    throw invalidArgument("Unknown metadata directive.", field, directive);
  }
  const wanted = readFacts(headers);
  const asked = readAlgorithm(headers, "x-amz-checksum-algorithm");
  const check = writeCondition(headers);
  const replaces = directive === "REPLACE";
  const changes = replaces || headers.has("x-amz-storage-class") ||
    headers.has("x-amz-server-side-encryption");
  const { object, content: source } = await openSource(headers, buckets, (_object, place) => {
    if (changes || place !== `${name}/${key}`) return;
    throw new S3Error(
      "InvalidRequest",
      "This copy request is illegal because it is trying to copy an object to itself without " +
        "changing the object's metadata, storage class, website redirect location or encryption " +
        "attributes.",
    );
  });
  const former = object.checksum?.algorithm ?? "";
  const algorithm = asked ?? (isAlgorithm(former) ? former : DEFAULT_ALGORITHM);
  const content = digestContent(source, algorithm);
  const copy = await bucket.put(key, content.bytes, {
    ...client,
    how: "Copy",
    check,
    facts: () => ({
      fields: replaces ? wanted.fields : object.fields,
      storageClass: wanted.storageClass,
      checksum: content.checksum(),
    }),
  });
  return xmlResponse({
    CopyObjectResult: {
      ETag: `"${copy.etag}"`,
      LastModified: timeOf(copy.modified),
      ...checksumElements(copy.checksum),
    },
  });
}
