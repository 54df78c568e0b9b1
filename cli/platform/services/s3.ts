/**
 * Amazon S3 as the AWS SDKs and the AWS CLI speak it, over the folders of the buckets: get, head, put, copy, delete, list and
 * multipart uploads, with path-style URLs.
 *
 * @module
 */
import type { Client } from "../triggers/bucket_folder.ts";
import type { MultipartUploads } from "./multipart.ts";
import { listObjects } from "./object_list.ts";
import { errorResponse, S3Error } from "./s3_error.ts";
import { answerObject, type ObjectStore, type Target } from "./s3_object.ts";
import { answerUpload } from "./s3_upload.ts";
import { elements, xml, xmlResponse } from "./xml.ts";

/** Further operations of Amazon S3, which are named by a parameter of the query. */
const SUBRESOURCES =
  /^(accelerate|acl|analytics|cors|encryption|inventory|lifecycle|logging|metrics|notification|object-lock|partNumber|policy|publicAccessBlock|replication|requestPayment|restore|select|tagging|torrent|uploadId|uploads|versioning|versions|website)$/;

/** Makes the function that answers requests to Amazon S3. */
export function createS3(
  buckets: ReadonlyMap<string, ObjectStore>,
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
