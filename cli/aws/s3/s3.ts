/**
 * Amazon S3 over the folders of the buckets, with path-style URLs.
 *
 * @module
 */
import { ACCOUNT_ID, bucketArn } from "../../rules/arn.ts";
import {
  type Access,
  notEmulated,
  S3Error,
  s3Failure,
  type ServiceCall,
  ServiceError,
  xmlResponse,
} from "../service_call.ts";
import { SignatureError } from "../signature.ts";
import type { ChunkSignatures } from "../signature_check.ts";
import type { BucketFolder, Client } from "./bucket_folder.ts";
import { readClaim } from "./checksums.ts";
import { matchCondition } from "./conditions.ts";
import { readContent } from "./content.ts";
import { type Item, listObjects, malformedXml, OWNER, readDocument } from "./documents.ts";
import type { MultipartUploads } from "./multipart.ts";
import { copyObject, putObject, readObject, type Target } from "./object.ts";
import { checkKey, MAX_KEY, ObjectKeyError } from "./object_store.ts";
import { type OperationName, readRequest, type S3Request } from "./operations.ts";
import { findBucket, placeOfSource } from "./facts.ts";

export function createS3(
  buckets: ReadonlyMap<string, BucketFolder>,
  uploads: MultipartUploads,
): (request: Request, client: Client, chunks?: ChunkSignatures) => Promise<ServiceCall> {
  async function answer(call: S3Request, request: Request, client: Client): Promise<Response> {
    if (call.operation === "ListBuckets") return listBuckets([...buckets.keys()]);
    const target = { bucket: findBucket(buckets, call.bucket), buckets, client };
    const { bucket } = target;
    switch (call.operation) {
      case "HeadBucket":
        return new Response(null, { headers: { "x-amz-bucket-region": "us-east-1" } });
      case "GetBucketLocation":
        return xmlResponse({ LocationConstraint: "" }); // Amazon S3 answers so for us-east-1.
      case "ListObjects":
      case "ListObjectsV2":
        return listObjects(bucket.list(), call.bucket, call.query);
      case "DeleteObjects":
        return await deleteObjects(call, target);
      case "GetObject":
      case "HeadObject":
        return await readObject(call, target);
      case "PutObject":
        return await putObject(request, call, target);
      case "CopyObject":
        return await copyObject(call, target);
      case "DeleteObject": {
        const check = matchCondition(call.headers.get("if-match"));
        await bucket.delete(call.key, { ...client, check });
        return new Response(null, { status: 204 });
      }
      default:
        return await uploads.answer(request, call, target);
    }
  }

  /** Makes the response of a piece of work, also if it fails through a mistake of the client. */
  async function respond(request: Request, work: () => Promise<Response>): Promise<Response> {
    const response = await work().catch((error) => failureOf(error, request));
    // A client that waits until its request is read gets the response, too. It may have gone away meanwhile.
    if (request.body !== null && !request.bodyUsed) request.body.cancel().catch(() => {});
    response.headers.set("x-amz-request-id", crypto.randomUUID());
    response.headers.set("server", "AmazonS3");
    return response;
  }

  return async (request, client, chunks) => {
    try {
      const call = await readCall(request, chunks);
      const run = () => respond(request, () => answer(call, request, client));
      return { accesses: accessesOf(call), operation: call.operation, run };
    } catch (error) {
      return { accesses: [], run: () => respond(request, () => Promise.reject(error)) };
    }
  };
}

/** Reads everything that a request says about itself: also the keys of DeleteObjects. */
async function readCall(request: Request, chunks?: ChunkSignatures): Promise<S3Request> {
  const call = { ...readRequest(request), chunks };
  checkOwner(call.headers);
  if (call.key !== "") checkKey(call.key);
  return call.operation === "DeleteObjects"
    ? { ...call, ...await readDeletion(request, chunks) }
    : call;
}

/** Makes the response for a mistake of the client. Throws any other error. */
function failureOf(error: unknown, { method }: Request): Response {
  const known = knownError(error);
  return method === "HEAD" ? new Response(null, { status: known.status }) : s3Failure(known);
}

function knownError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SignatureError) return error.of("s3");
  if (!(error instanceof ObjectKeyError)) throw error;
  return error.isTooLong
    ? new S3Error("KeyTooLongError", "Your key is too long", { MaxSizeAllowed: MAX_KEY })
    : new S3Error("InvalidURI", "Couldn't parse the specified URI.");
}

/** All buckets have one owner. */
function checkOwner(headers: Headers): void {
  for (const name of ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"]) {
    const owner = headers.get(name);
    if (owner !== null && owner !== ACCOUNT_ID) {
      throw new S3Error("AccessDenied", "Access Denied");
    }
  }
}

function listBuckets(names: readonly string[]): Response {
  const CreationDate = "2020-01-01T00:00:00.000Z";
  const Bucket = names.toSorted().map((Name) => ({ Name, CreationDate }));
  return xmlResponse({ ListAllMyBucketsResult: { Owner: OWNER, Buckets: { Bucket } } });
}

async function deleteObjects(
  { items = [], isQuiet }: S3Request,
  { bucket, client }: Target,
): Promise<Response> {
  const results = await Promise.all(items.map(async ({ Key = "", ETag }) => {
    try {
      await bucket.delete(Key, { ...client, check: matchCondition(ETag ?? null) });
      return { Deleted: { Key } };
    } catch (error) {
      const { code, message } = knownError(error);
      return { Error: { Key, Code: code, Message: message } };
    }
  }));
  return xmlResponse({
    DeleteResult: {
      Deleted: isQuiet ? [] : results.flatMap(({ Deleted }) => Deleted ?? []),
      Error: results.flatMap((result) => result.Error ?? []),
    },
  });
}

/** The most objects that one DeleteObjects removes. */
const MAX_DELETED = 1_000;

/** Reads the document of DeleteObjects. */
async function readDeletion({ headers, body }: Request, chunks?: ChunkSignatures) {
  if (!headers.has("content-md5") && readClaim(headers) === undefined) {
    const message = "Missing required header for this request: Content-MD5 OR x-amz-checksum-*";
    throw new S3Error("InvalidRequest", message);
  }
  const { bytes } = readContent({ headers, body, chunks });
  const { texts, items } = await readDocument(bytes, "Delete", "Object");
  checkNames(texts, "Quiet");
  if (items.length === 0 || items.length > MAX_DELETED) throw malformedXml();
  for (const item of items) {
    checkNames(item, "Key", "ETag");
    if (item.Key === undefined || item.Key === "") throw malformedXml();
  }
  return { items, isQuiet: texts.Quiet === "true" };
}

/** Refuses elements of the document that are not emulated, such as `VersionId`. */
function checkNames(item: Item, ...names: string[]): void {
  const unknown = Object.keys(item).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw notEmulated(`The element "${unknown}" of DeleteObjects`);
}

/** The actions of the operations that have another name, as IAM names them. */
const ACTIONS: { readonly [operation in OperationName]?: string } = {
  ListBuckets: "ListAllMyBuckets",
  HeadBucket: "ListBucket",
  ListObjects: "ListBucket",
  ListObjectsV2: "ListBucket",
  HeadObject: "GetObject",
  DeleteObjects: "DeleteObject",
  CopyObject: "PutObject",
  CreateMultipartUpload: "PutObject",
  UploadPart: "PutObject",
  UploadPartCopy: "PutObject",
  CompleteMultipartUpload: "PutObject",
};

/**
 * Lists the accesses that a request to Amazon S3 needs.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export function accessesOf(
  { operation, bucket, key, headers, items }: S3Request,
): readonly Access[] {
  const action = `s3:${ACTIONS[operation] ?? operation}`;
  if (items !== undefined) {
    return items.map(({ Key }) => ({ action, resource: bucketArn(`${bucket}/${Key}`) }));
  }
  const resource = bucket === "" ? "*" : bucketArn(key === "" ? bucket : `${bucket}/${key}`);
  const read = [];
  const source = headers.get("x-amz-copy-source");
  if (source !== null) read.push(bucketArn(placeOfSource(source).join("/")));
  // To compare an entity tag, Amazon S3 reads the object.
  const compares = headers.has("if-match") && headers.get("if-match") !== "*";
  if (compares && action !== "s3:GetObject") read.push(resource);
  return [
    { action, resource },
    ...read.map((resource) => ({ action: "s3:GetObject", resource })),
  ];
}
