/**
 * Amazon S3 as the AWS SDKs and the AWS CLI speak it, over the folders of the buckets: get, head, put, copy, delete, list and
 * multipart uploads, with path-style URLs.
 *
 * @module
 */
import type { BucketFolder, Client, StoredObject } from "../triggers/bucket_folder.ts";
import { S3Error, s3ErrorResponse } from "./errors.ts";
import { answerUpload, type MultipartUploads } from "./multipart.ts";
import { answerObject, type Target } from "./s3_object.ts";
import { elements, xmlResponse } from "./xml.ts";

/** Further operations of Amazon S3, which are named by a parameter of the query. */
const SUBRESOURCES =
  /^(accelerate|acl|analytics|cors|encryption|inventory|lifecycle|logging|metrics|notification|object-lock|partNumber|policy|publicAccessBlock|replication|requestPayment|restore|select|tagging|torrent|uploadId|uploads|versioning|versions|website)$/;

export function createS3(
  buckets: ReadonlyMap<string, BucketFolder>,
  uploads: MultipartUploads,
): (request: Request, client: Client) => Promise<Response> {
  const fields = new Map<string, Headers>();
  return async (request, client) => {
    const { pathname, searchParams: query } = new URL(request.url);
    try {
      const [, name = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(pathname)!.map(decodeURIComponent);
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
      const target = { bucket, buckets, name, key, client, fields };
      const answer = key === ""
        ? await answerBucket(request, query, target)
        : isUpload
        ? await answerUpload(request, query, target, uploads)
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
  { bucket, name, client, fields }: Target,
): Promise<Response | undefined> {
  if (request.method === "HEAD") return new Response(null);
  if (request.method === "GET" && query.has("location")) {
    return xmlResponse({ LocationConstraint: "" });
  }
  if (request.method === "GET") return listObjects(bucket.list(), name, query);
  if (request.method === "POST" && query.has("delete")) {
    const keys = elements(await request.text(), "Key");
    for (const key of keys) {
      await bucket.delete(key, client);
      fields.delete(`${name}/${key}`);
    }
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
  const contents = [];
  const prefixes = new Set<string>();
  let last = after;
  let isTruncated = false;
  for (const { key, size, etag, modified } of objects) {
    if (!key.startsWith(prefix) || key <= after) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = key.slice(0, end + delimiter.length);
    if (end >= 0 && (prefixes.has(common) || common === after)) {
      last = key;
      continue;
    }
    if (contents.length + prefixes.size === limit) {
      isTruncated = true;
      break;
    }
    last = key;
    if (end >= 0) prefixes.add(common);
    else {
      const time = new Date(modified).toISOString();
      contents.push({
        Key: key,
        LastModified: time,
        ETag: `"${etag}"`,
        Size: size,
        StorageClass: "STANDARD",
      });
    }
  }
  return xmlResponse({
    ListBucketResult: {
      Name: name,
      Prefix: prefix,
      MaxKeys: limit,
      KeyCount: contents.length + prefixes.size,
      IsTruncated: isTruncated,
      ...(isTruncated && { [isSecondVersion ? "NextContinuationToken" : "NextMarker"]: last }),
      Contents: contents,
      CommonPrefixes: [...prefixes].map((common) => ({ Prefix: common })),
    },
  });
}
