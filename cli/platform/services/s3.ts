/**
 * Amazon S3 over the folders of the buckets, with path-style URLs: get, head, put, copy, delete, list, multipart uploads.
 *
 * @module
 */
import type { BucketFolder, Client, StoredObject } from "../triggers/bucket_folder.ts";
import type { MultipartUploads } from "./multipart.ts";
import { S3Error, s3ErrorResponse, textsOf, xmlResponse } from "./responses.ts";
import { answerObject, placeOf, type Target } from "./s3_object.ts";

/** The parameters of the query that name a further operation of Amazon S3. */
const SUBRESOURCES =
  /^(accelerate|acl|analytics|cors|encryption|inventory|lifecycle|logging|metrics|notification|object-lock|partNumber|policy|publicAccessBlock|replication|requestPayment|restore|select|tagging|torrent|uploadId|uploads|versioning|versions|website)$/;

export function createS3(
  buckets: ReadonlyMap<string, BucketFolder>,
  uploads: MultipartUploads,
): (request: Request, client: Client) => Promise<Response> {
  return async (request, client) => {
    const { pathname, searchParams: query } = new URL(request.url);
    try {
      const [name, key] = placeOf(request);
      const isUpload = key !== "" && (query.has("uploads") || query.has("uploadId"));
      const subresource = [...query.keys()].find((parameter) => SUBRESOURCES.test(parameter));
      if (subresource !== undefined && !isUpload) {
        throw new S3Error(501, "NotImplemented", `"${subresource}" is not emulated locally`);
      }
      if (name === "") return listBuckets([...buckets.keys()]);
      const bucket = buckets.get(name);
      if (bucket === undefined) {
        throw new S3Error(404, "NoSuchBucket", `The manifest names no bucket "${name}"`);
      }
      const target = { bucket, buckets, name, key, client };
      const answer = key === ""
        ? await answerBucket(request, query, target)
        : isUpload
        ? await uploads.answer(request, query, target)
        : await answerObject(request, target);
      if (answer !== undefined) return answer;
      const message = `${request.method} ${pathname} is not emulated locally`;
      throw new S3Error(501, "NotImplemented", message);
    } catch (error) {
      return s3ErrorResponse(error);
    }
  };
}

async function answerBucket(
  request: Request,
  query: URLSearchParams,
  { bucket, name, client }: Target,
): Promise<Response | undefined> {
  if (request.method === "HEAD") return new Response(null);
  if (request.method === "GET" && query.has("location")) {
    return xmlResponse({ LocationConstraint: "" });
  }
  if (request.method === "GET") return listObjects(bucket.list(), name, query);
  if (request.method === "POST" && query.has("delete")) {
    const keys = textsOf(await request.text(), "Key");
    for (const key of keys) await bucket.delete(key, client);
    return xmlResponse({ DeleteResult: { Deleted: keys.map((key) => ({ Key: key })) } });
  }
  return undefined;
}

function listBuckets(names: readonly string[]): Response {
  const CreationDate = "2020-01-01T00:00:00.000Z";
  const Bucket = names.map((Name) => ({ Name, CreationDate }));
  return xmlResponse({ ListAllMyBucketsResult: { Buckets: { Bucket } } });
}

/** Lists objects as ListObjectsV2 of Amazon S3 does, and as ListObjects if the query has no `list-type=2`. */
function listObjects(
  objects: readonly StoredObject[],
  name: string,
  query: URLSearchParams,
): Response {
  const isSecondVersion = query.get("list-type") === "2";
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const after = isSecondVersion
    ? query.get("continuation-token") ?? query.get("start-after") ?? ""
    : query.get("marker") ?? "";
  const limit = Math.min(1_000, Number(query.get("max-keys") ?? 1_000));
  /** The objects by key. A common prefix of several keys has no object. */
  const entries = new Map<string, StoredObject | undefined>();
  for (const object of objects) {
    const { key } = object;
    if (!key.startsWith(prefix) || key <= after) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = key.slice(0, end + delimiter.length);
    if (end < 0) entries.set(key, object);
    else if (common !== after) entries.set(common, undefined);
  }
  const page = [...entries].slice(0, limit);
  const isTruncated = entries.size > page.length;
  const last = page.at(-1)?.[0] ?? after;
  return xmlResponse({
    ListBucketResult: {
      Name: name,
      Prefix: prefix,
      MaxKeys: limit,
      KeyCount: page.length,
      IsTruncated: isTruncated,
      ...(isTruncated && { [isSecondVersion ? "NextContinuationToken" : "NextMarker"]: last }),
      Contents: page.flatMap(([key, object]) =>
        object === undefined ? [] : [{
          Key: key,
          LastModified: new Date(object.modified).toISOString(),
          ETag: `"${object.etag}"`,
          Size: object.size,
          StorageClass: "STANDARD",
        }]
      ),
      CommonPrefixes: page.flatMap(([key, object]) =>
        object === undefined ? [{ Prefix: key }] : []
      ),
    },
  });
}
