import { Buffer } from "node:buffer";
import { invalidArgument, notEmulated, S3Error } from "../service_call.ts";
import type { BucketFolder } from "./bucket_folder.ts";
import { checkSource } from "./conditions.ts";
import { decodeWords, encodeWords } from "./encoded_words.ts";
import type { StoredFields, StoredObject } from "./object_store.ts";

/** The largest metadata of an object: the bytes of all names and values. */
const MAX_METADATA = 2_048;

const FIELDS =
  /^(x-amz-meta-.*|cache-control|content-disposition|content-encoding|content-language|content-type|expires)$/;

/** The storage classes whose objects can be read at once. */
const STORAGE_CLASSES =
  /^(STANDARD|EXPRESS_ONEZONE|GLACIER_IR|INTELLIGENT_TIERING|ONEZONE_IA|REDUCED_REDUNDANCY|STANDARD_IA)$/;

/** The storage classes whose objects must be restored before they can be read. */
const ARCHIVES = ["DEEP_ARCHIVE", "GLACIER", "OUTPOSTS", "SNOW"];

/** What Amazon S3 stores with an object, besides its content. */
export type Facts = Pick<StoredObject, "fields" | "storageClass">;

/** Reads what the client wants to store with an object. */
export function readFacts(headers: Headers): Facts {
  const acl = headers.get("x-amz-acl");
  if (acl !== null && acl !== "bucket-owner-full-control") {
    throw new S3Error("AccessControlListNotSupported", "The bucket does not allow ACLs");
  }
  const encryption = headers.get("x-amz-server-side-encryption");
  if (encryption !== null && encryption !== "AES256") {
    throw notEmulated(`The encryption "${encryption}"`);
  }
  const storageClass = headers.get("x-amz-storage-class");
  if (storageClass !== null && ARCHIVES.includes(storageClass)) {
    throw notEmulated(`The storage class "${storageClass}"`);
  }
  if (storageClass !== null && !STORAGE_CLASSES.test(storageClass)) {
    const message = "The storage class you specified is not valid";
    throw new S3Error("InvalidStorageClass", message, { StorageClassRequested: storageClass });
  }
  return {
    fields: readFields(headers),
    ...(storageClass !== null && storageClass !== "STANDARD" && { storageClass }),
  };
}

function readFields(headers: Headers): StoredFields {
  const fields = [...headers].map(([name, value]) => {
    // "aws-chunked" tells how the SDK sent the bytes. It is not part of the object.
    if (name === "content-encoding") return [name, withoutChunks(value)] as const;
    return [name, name.startsWith("x-amz-meta-") ? decodeWords(value) : value] as const;
  }).filter(([name, value]) => FIELDS.test(name) && (value !== "" || name.startsWith("x-amz-")));
  const size = fields.filter(([name]) => name.startsWith("x-amz-meta-"))
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name.slice(11) + value), 0);
  if (size > MAX_METADATA) {
    throw new S3Error(
      "MetadataTooLarge",
      "Your metadata headers exceed the maximum allowed metadata size",
      { Size: size, MaxSizeAllowed: MAX_METADATA },
    );
  }
  return Object.fromEntries(fields);
}

function withoutChunks(codings: string): string {
  return codings.split(",").map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding.toLowerCase() !== "aws-chunked").join(",");
}

/** Makes the header of the answer to GetObject and HeadObject, without the length of the content. */
export function objectHeaders(object: StoredObject, query: URLSearchParams): Headers {
  const headers = new Headers({
    "accept-ranges": "bytes",
    "content-type": "binary/octet-stream",
    etag: `"${object.etag}"`,
    "last-modified": new Date(object.modified).toUTCString(),
    "x-amz-server-side-encryption": "AES256",
    ...Object.fromEntries(
      Object.entries(object.fields ?? {}).map(([name, value]) => [
        name,
        name.startsWith("x-amz-meta-") ? encodeWords(value) : value,
      ]),
    ),
    ...(object.storageClass && { "x-amz-storage-class": object.storageClass }),
  });
  for (const [name, value] of query) {
    if (!name.startsWith("response-")) continue;
    if (!/^[\t -~\x80-\xff]*$/.test(value)) {
      const isText = /^[\t -~\x80-\u{10ffff}]*$/u.test(value);
      const message = isText
        ? "Header value cannot be represented using ISO-8859-1."
        : "Header value cannot have control characters.";
      throw invalidArgument(message, name, value);
    }
    headers.set(name.slice("response-".length), value);
  }
  return headers;
}

/** Writes a time as Amazon S3 does, which knows no milliseconds of an object. */
export function timeOf(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1_000) * 1_000).toISOString();
}

/** Reads the bucket and the key of `x-amz-copy-source`. */
export function placeOfSource(source: string): readonly [bucket: string, key: string] {
  const [path = "", parameters] = source.replace(/^\//, "").split("?");
  if (parameters !== undefined) {
    throw notEmulated(`The version "${parameters}" of a copy source`);
  }
  const [, bucket, key] = /^([^/]+)\/(.+)$/s.exec(decodeSource(path)) ?? [];
  if (bucket !== undefined && key !== undefined) return [bucket, key];
  throw invalidArgument("Invalid copy source object key", "x-amz-copy-source", source);
}

function decodeSource(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidArgument("Invalid copy source encoding", "x-amz-copy-source", path);
  }
}

/** Opens the object that a request copies, and checks the conditions on it. `check` may refuse the object, too. */
export async function openSource(
  headers: Headers,
  buckets: ReadonlyMap<string, BucketFolder>,
  check: (object: StoredObject, place: string) => void,
) {
  const [bucket, key] = placeOfSource(headers.get("x-amz-copy-source")!);
  const found = await findBucket(buckets, bucket).open(key, (object) => {
    checkSource(headers, object);
    check(object, `${bucket}/${key}`);
  });
  if (found === undefined) throw noSuchKey(key);
  return found;
}

export function findBucket(
  buckets: ReadonlyMap<string, BucketFolder>,
  name: string,
): BucketFolder {
  const bucket = buckets.get(name);
  if (bucket !== undefined) return bucket;
  throw new S3Error("NoSuchBucket", "The specified bucket does not exist", { BucketName: name });
}

export function noSuchKey(key: string): S3Error {
  return new S3Error("NoSuchKey", "The specified key does not exist.", { Key: key });
}
