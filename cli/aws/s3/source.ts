import type { BucketFolder } from "./bucket_folder.ts";
import type { StoredObject } from "./object_store.ts";
import { invalidArgument, S3Error } from "../responses.ts";
import { notEmulated } from "../service_call.ts";
import { checkSource } from "./conditions.ts";

/** The object that a request copies. */
export interface Source {
  readonly bucket: string;
  readonly key: string;
  readonly object: StoredObject;
  readonly content: ReadableStream<Uint8Array>;
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

/** Opens the object that a request copies, and checks the conditions on it. */
export async function openSource(
  headers: Headers,
  buckets: ReadonlyMap<string, BucketFolder>,
): Promise<Source> {
  const [bucket, key] = placeOfSource(headers.get("x-amz-copy-source")!);
  const folder = findBucket(buckets, bucket);
  const found = await folder.open(key);
  if (found === undefined) throw noSuchKey(key);
  await orCancel(found.content, () => checkSource(headers, found.object));
  return { bucket, key, ...found };
}

/** Does some work. If the work throws, closes the file of the content. */
export async function orCancel<Value>(
  content: ReadableStream<Uint8Array>,
  work: () => Value,
): Promise<Value> {
  try {
    return work();
  } catch (error) {
    await content.cancel();
    throw error;
  }
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
