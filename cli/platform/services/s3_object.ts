import { Buffer } from "node:buffer";
import type {
  BucketFolder,
  Client,
  StoredFields,
  StoredObject,
} from "../triggers/bucket_folder.ts";
import { S3Error, xmlResponse } from "./responses.ts";

/** The bucket, and perhaps the object, that a request names. */
export interface Target {
  readonly bucket: BucketFolder;
  readonly buckets: ReadonlyMap<string, BucketFolder>;
  readonly name: string;
  readonly key: string;
  readonly client: Client;
}

/** The longest head of a chunk, in bytes. */
const MAX_HEAD = 1_024;

const STORED_FIELDS =
  /^(x-amz-meta-.*|cache-control|content-disposition|content-encoding|content-language|content-type)$/;

/** Reads the bucket and the key of a request. Either may be empty. */
export function placeOf(request: Request): readonly [bucket: string, key: string] {
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s
    .exec(new URL(request.url).pathname)!.map(decodeURIComponent);
  return [bucket, key];
}

/** Answers a request for an object. Returns `undefined` if the method is not known. */
export async function answerObject(
  request: Request,
  target: Target,
): Promise<Response | undefined> {
  const { bucket, key, client } = target;
  const { method, headers } = request;
  if (method === "GET" || method === "HEAD") return await readObject(request, target);
  if (method === "DELETE") {
    await bucket.delete(key, client);
    return new Response(null, { status: 204 });
  }
  if (method !== "PUT") return undefined;
  const source = headers.get("x-amz-copy-source");
  if (source !== null) return await copyObject(source, headers, target);
  const { etag } = await bucket.put(key, chunkedContent(request), {
    ...client,
    check: preconditionOf(headers),
    fields: storedFields(headers),
  });
  return new Response(null, { headers: { ETag: `"${etag}"` } });
}

/** Opens the object that a request copies. */
export async function readSource(
  source: string,
  range: string | null,
  buckets: ReadonlyMap<string, BucketFolder>,
) {
  const [name = "", ...path] = decodeURIComponent(source).replace(/^\//, "").split("/");
  const found = await buckets.get(name)?.open(path.join("/"));
  if (found === undefined) throw new S3Error(404, "NoSuchKey", `There is no object "${source}"`);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const content = first === undefined
    ? found.content
    : found.content.pipeThrough(slice(Number(first), Number(last) + 1));
  return { object: found.object, content };
}

/** Reads the condition of a write: `If-None-Match: *`, or `If-Match` with an entity tag. */
export function preconditionOf(headers: Headers): (current: StoredObject | undefined) => void {
  const match = headers.get("if-match");
  const isNew = headers.has("if-none-match"); // Amazon S3 allows "*" only.
  return (current) => {
    if (match !== null && current === undefined) {
      throw new S3Error(404, "NoSuchKey", "If-Match: there is no object");
    }
    const isFalse = isNew && current !== undefined ||
      match !== null && match.replaceAll('"', "") !== current?.etag;
    if (isFalse) throw new S3Error(412, "PreconditionFailed", "The object is not as expected");
  };
}

async function copyObject(
  source: string,
  headers: Headers,
  { bucket, buckets, key, client }: Target,
): Promise<Response> {
  const { object: { fields }, content } = await readSource(source, null, buckets);
  const replaces = headers.get("x-amz-metadata-directive") === "REPLACE";
  const { etag, modified } = await bucket.put(key, content, {
    ...client,
    how: "Copy",
    check: preconditionOf(headers),
    fields: replaces ? storedFields(headers) : fields,
  });
  const LastModified = new Date(modified).toISOString();
  return xmlResponse({ CopyObjectResult: { ETag: `"${etag}"`, LastModified } });
}

async function readObject({ method, headers }: Request, target: Target): Promise<Response> {
  const { bucket, key } = target;
  const found = await bucket.open(key);
  if (found === undefined) throw new S3Error(404, "NoSuchKey", `There is no object "${key}"`);
  const { object: { size, etag, modified, fields }, content } = found;
  const answer = new Headers({
    "accept-ranges": "bytes",
    "content-length": String(size),
    "content-type": "binary/octet-stream",
    etag: `"${etag}"`,
    "last-modified": new Date(modified).toUTCString(),
    ...fields,
  });
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.get("range") ?? "") ?? [];
  if (method === "HEAD" || headers.get("if-none-match") === `"${etag}"`) {
    await content.cancel();
    return new Response(null, { status: method === "HEAD" ? 200 : 304, headers: answer });
  }
  if (first === undefined) return new Response(content, { headers: answer });
  const start = Number(first);
  const end = Math.min(size - 1, last === "" ? Infinity : Number(last));
  if (start > end) {
    await content.cancel();
    throw new S3Error(416, "InvalidRange", `The object has ${size} bytes`);
  }
  answer.set("content-length", String(end - start + 1));
  answer.set("content-range", `bytes ${start}-${end}/${size}`);
  return new Response(content.pipeThrough(slice(start, end + 1)), { status: 206, headers: answer });
}

/** Selects the header fields that Amazon S3 stores with an object. */
export function storedFields(headers: Headers): StoredFields {
  const fields = [...headers].map(([name, value]) => {
    // "aws-chunked" tells how the SDK sent the bytes. It is not part of the object.
    const isCoding = name === "content-encoding";
    return [name, isCoding ? value.replace(/\s*aws-chunked\s*,?/i, "").trim() : value] as const;
  });
  return Object.fromEntries(
    fields.filter(([name, value]) => STORED_FIELDS.test(name) && value !== ""),
  );
}

/** Passes on the bytes from `start` up to `end`. */
function slice(start: number, end: number): TransformStream<Uint8Array, Uint8Array> {
  let position = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
      position += chunk.length;
      if (part.length > 0) controller.enqueue(part);
      if (position >= end) controller.terminate();
    },
  });
}

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
