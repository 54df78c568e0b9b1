/**
 * Amazon S3 as the AWS SDKs and the AWS CLI speak it, over the folders of the buckets: get, head, put, copy, delete and list,
 * with path-style URLs.
 *
 * @module
 */
import type { Client, StoredObject } from "../triggers/bucket_folder.ts";
import { chunkedContent } from "./aws_chunked.ts";
import { listObjects } from "./object_list.ts";
import { elements, xml, xmlResponse } from "./xml.ts";

/** A bucket that holds the objects. */
export interface ObjectStore {
  /** Lists the objects in the order of their keys. */
  list(): readonly StoredObject[];
  /** Stores an object. */
  put(key: string, content: AsyncIterable<Uint8Array>, client: Client): Promise<StoredObject>;
  /** Opens an object; `undefined` if there is none. */
  open(
    key: string,
  ): Promise<{ object: StoredObject; content: ReadableStream<Uint8Array> } | undefined>;
  /** Removes an object, if there is one. */
  delete(key: string, client: Client): Promise<void>;
}

/** An error in the form that Amazon S3 sends. */
class S3Error extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The fields of an object that come back as they were stored. */
const STORED_FIELDS =
  /^(x-amz-meta-.*|cache-control|content-disposition|content-encoding|content-language|content-type)$/;

/** Further operations of Amazon S3, which are named by a parameter of the query. */
const SUBRESOURCES =
  /^(accelerate|acl|analytics|cors|encryption|inventory|lifecycle|logging|metrics|notification|object-lock|partNumber|policy|publicAccessBlock|replication|requestPayment|restore|select|tagging|torrent|uploadId|uploads|versioning|versions|website)$/;

/**
 * Makes the function that answers requests to Amazon S3.
 *
 * @param buckets The buckets by name.
 * @returns The function. It answers 501 to an operation that is not emulated.
 */
export function createS3(
  buckets: ReadonlyMap<string, ObjectStore>,
): (request: Request, client: Client) => Promise<Response> {
  const fields = new Map<string, Headers>();
  return async (request, client) => {
    const { pathname, searchParams: query } = new URL(request.url);
    try {
      const [, name = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(pathname)!.map(decodeURIComponent);
      const subresource = [...query.keys()].find((parameter) => SUBRESOURCES.test(parameter));
      if (subresource !== undefined) {
        throw new S3Error(501, "NotImplemented", `"${subresource}" is not emulated locally`);
      }
      if (name === "") return listBuckets([...buckets.keys()]);
      const bucket = buckets.get(name);
      if (bucket === undefined) {
        throw new S3Error(404, "NoSuchBucket", `The manifest names no bucket "${name}"`);
      }
      const target = { bucket, buckets, name, key, client, fields };
      const answer = key === ""
        ? await answerBucket(request, query, target)
        : await answerObject(request, target);
      if (answer !== undefined) return answer;
      throw new S3Error(
        501,
        "NotImplemented",
        `${request.method} ${pathname} is not emulated locally`,
      );
    } catch (error) {
      return errorResponse(error);
    }
  };
}

interface Target {
  readonly bucket: ObjectStore;
  readonly buckets: ReadonlyMap<string, ObjectStore>;
  readonly name: string;
  readonly key: string;
  readonly client: Client;
  /** The stored fields of the objects, by bucket and key. */
  readonly fields: Map<string, Headers>;
}

async function answerBucket(
  request: Request,
  query: URLSearchParams,
  { bucket, name, client, fields }: Target,
): Promise<Response | undefined> {
  if (request.method === "HEAD") return new Response(null);
  if (request.method === "GET" && query.has("location")) {
    return xmlResponse(xml`<LocationConstraint></LocationConstraint>`);
  }
  if (request.method === "GET") return listObjects(bucket.list(), name, query);
  if (request.method === "POST" && query.has("delete")) {
    const keys = elements(await request.text(), "Key");
    for (const key of keys) {
      await bucket.delete(key, client);
      fields.delete(`${name}/${key}`);
    }
    const deleted = keys.map((key) =>
      xml`
        <Deleted>
          <Key>${key}</Key>
        </Deleted>
      `
    );
    return xmlResponse(xml`<DeleteResult>${deleted}</DeleteResult>`);
  }
  return undefined;
}

async function answerObject(request: Request, target: Target): Promise<Response | undefined> {
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
  const object = await bucket.put(key, chunkedContent(request), client);
  fields.set(`${name}/${key}`, storedFields(headers));
  return new Response(null, { headers: { ETag: `"${object.etag}"` } });
}

async function copyObject(
  source: string,
  headers: Headers,
  { bucket, buckets, name, key, client, fields }: Target,
): Promise<Response> {
  const [from = "", ...path] = decodeURIComponent(source).replace(/^\//, "").split("/");
  const found = await buckets.get(from)?.open(path.join("/"));
  if (found === undefined) throw new S3Error(404, "NoSuchKey", `There is no object "${source}"`);
  const object = await bucket.put(key, found.content, client);
  const replaces = headers.get("x-amz-metadata-directive") === "REPLACE";
  const copied = replaces ? storedFields(headers) : fields.get(`${from}/${path.join("/")}`);
  if (copied !== undefined) fields.set(`${name}/${key}`, copied);
  const time = new Date(object.modified).toISOString();
  return xmlResponse(
    xml`
      <CopyObjectResult>
        <ETag>"${object.etag}"</ETag>
        <LastModified>${time}</LastModified>
      </CopyObjectResult>
    `,
  );
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

function storedFields(headers: Headers): Headers {
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

function listBuckets(names: readonly string[]): Response {
  const buckets = names.map((name) =>
    xml`
      <Bucket>
        <Name>${name}</Name>
        <CreationDate>2020-01-01T00:00:00.000Z</CreationDate>
      </Bucket>
    `
  );
  return xmlResponse(
    xml`
      <ListAllMyBucketsResult>
        <Buckets>${buckets}</Buckets>
      </ListAllMyBucketsResult>
    `,
  );
}

function errorResponse(error: unknown): Response {
  const isKey = error instanceof Error && error.name === "ObjectKeyError";
  if (!(error instanceof S3Error) && !isKey && !(error instanceof URIError)) throw error;
  const { status, code } = error instanceof S3Error
    ? error
    : { status: 400, code: "InvalidArgument" };
  const { message } = error as Error;
  return xmlResponse(
    xml`<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    status,
  );
}
