import type { BucketFolder, Client, StoredObject } from "../triggers/bucket_folder.ts";
import { chunkedContent } from "./aws_chunked.ts";
import { S3Error } from "./errors.ts";
import { xmlResponse } from "./xml.ts";

export interface Target {
  readonly bucket: BucketFolder;
  readonly buckets: ReadonlyMap<string, BucketFolder>;
  readonly name: string;
  readonly key: string;
  readonly client: Client;
  /** The stored fields of the objects, by bucket and key. */
  readonly fields: Map<string, Headers>;
}

/** The fields of an object that come back as they were stored. */
const STORED_FIELDS =
  /^(x-amz-meta-.*|cache-control|content-disposition|content-encoding|content-language|content-type)$/;

export async function answerObject(
  request: Request,
  target: Target,
): Promise<Response | undefined> {
  const { bucket, name, key, client, fields } = target;
  const { method, headers } = request;
  if (method === "GET" || method === "HEAD") return await readObject(request, target);
  if (method === "DELETE") {
    await bucket.delete(key, client);
    fields.delete(`${name}/${key}`);
    return new Response(null, { status: 204 });
  }
  if (method !== "PUT") return undefined;
  const source = headers.get("x-amz-copy-source");
  if (source !== null) return await copyObject(source, headers, target);
  const check = preconditionOf(headers);
  const object = await bucket.put(key, chunkedContent(request), { ...client, check });
  fields.set(`${name}/${key}`, storedFields(headers));
  return new Response(null, { headers: { ETag: `"${object.etag}"` } });
}

export async function readSource(
  source: string,
  range: string | null,
  buckets: ReadonlyMap<string, BucketFolder>,
) {
  const [from = "", ...path] = decodeURIComponent(source).replace(/^\//, "").split("/");
  const key = path.join("/");
  const found = await buckets.get(from)?.open(key);
  if (found === undefined) throw new S3Error(404, "NoSuchKey", `There is no object "${source}"`);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const content = first === undefined
    ? found.content
    : found.content.pipeThrough(slice(Number(first), Number(last) + 1));
  return { place: `${from}/${key}`, content };
}

/** The precondition of a conditional write: `If-None-Match: *`, or `If-Match` with an entity tag. */
export function preconditionOf(headers: Headers): (current: StoredObject | undefined) => void {
  const match = headers.get("if-match");
  const isNew = headers.has("if-none-match"); // Amazon S3 takes "*" only
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
  { bucket, buckets, name, key, client, fields }: Target,
): Promise<Response> {
  const { place, content } = await readSource(source, null, buckets);
  const check = preconditionOf(headers);
  const object = await bucket.put(key, content, { ...client, how: "Copy", check });
  const replaces = headers.get("x-amz-metadata-directive") === "REPLACE";
  const copied = replaces ? storedFields(headers) : fields.get(place);
  if (copied !== undefined) fields.set(`${name}/${key}`, copied);
  const time = new Date(object.modified).toISOString();
  return xmlResponse({ CopyObjectResult: { ETag: `"${object.etag}"`, LastModified: time } });
}

async function readObject(
  { method, headers }: Request,
  { bucket, name, key, fields }: Target,
): Promise<Response> {
  const found = await bucket.open(key);
  if (found === undefined) throw new S3Error(404, "NoSuchKey", `There is no object "${key}"`);
  const { object: { size, etag, modified }, content } = found;
  const answer = new Headers({
    "Accept-Ranges": "bytes",
    "Content-Length": String(size),
    "Content-Type": "binary/octet-stream",
    ETag: `"${etag}"`,
    "Last-Modified": new Date(modified).toUTCString(),
  });
  fields.get(`${name}/${key}`)?.forEach((value, field) => answer.set(field, value));
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
  answer.set("Content-Length", String(end - start + 1));
  answer.set("Content-Range", `bytes ${start}-${end}/${size}`);
  return new Response(content.pipeThrough(slice(start, end + 1)), { status: 206, headers: answer });
}

/** The fields of a request that are stored with the object. */
export function storedFields(headers: Headers): Headers {
  const stored = new Headers();
  for (const [name, value] of headers) {
    // "aws-chunked" tells how the SDK sent the bytes, and is not part of the object.
    const kept = name === "content-encoding"
      ? value.replace(/\s*aws-chunked\s*,?/i, "").trim()
      : value;
    if (STORED_FIELDS.test(name) && kept !== "") stored.set(name, kept);
  }
  return stored;
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
