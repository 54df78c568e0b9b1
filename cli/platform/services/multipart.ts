import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { makeOwnedFolder } from "../../lambda/isolation/owned_folder.ts";
import { type BucketFolder, digest } from "../triggers/bucket_folder.ts";
import { completeUpload, type Part, type Upload } from "./multipart_completion.ts";
import { S3Error, xmlResponse } from "./responses.ts";
import {
  checksumElement,
  checksumField,
  DEFAULT_ALGORITHM,
  readAlgorithm,
  readClaim,
  readType,
} from "./s3_checksums.ts";
import { readContent } from "./s3_content.ts";
import { readFacts, timeOf } from "./s3_facts.ts";
import { readPartNumber, type Target } from "./s3_object.ts";
import type { S3Request } from "./s3_operations.ts";
import { readCopyRange, slice } from "./s3_ranges.ts";
import { openSource, orCancel } from "./s3_source.ts";

/** The multipart uploads that have begun. Their parts are files in temporary folders. */
export class MultipartUploads implements AsyncDisposable {
  readonly #uploads = new Map<string, Upload>();

  /** Answers a request of an upload. */
  async answer(request: Request, call: S3Request, target: Target): Promise<Response> {
    if (call.operation === "CreateMultipartUpload") return await this.#create(call, target.bucket);
    const place = `${call.bucket}/${call.key}`;
    const upload = this.#uploads.get(call.query.get("uploadId")!);
    if (upload?.place !== place) {
      throw new S3Error(
        "NoSuchUpload",
        "The specified upload does not exist. The upload ID may be invalid, or the upload may " +
          "have been aborted or completed.",
        { UploadId: call.query.get("uploadId")! },
      );
    }
    switch (call.operation) {
      case "UploadPart":
        return await uploadPart(request, call, upload);
      case "UploadPartCopy":
        return await copyPart(call, upload, target);
      case "CompleteMultipartUpload": {
        const response = await completeUpload(request, call, upload, target);
        await this.#end(upload);
        return response;
      }
      default:
        await this.#end(upload);
        return new Response(null, { status: 204 });
    }
  }

  async #create({ bucket, key, headers }: S3Request, folder: BucketFolder): Promise<Response> {
    const facts = readFacts(headers);
    const algorithm = readAlgorithm(headers, "x-amz-checksum-algorithm");
    const type = headers.get("x-amz-checksum-type");
    if (algorithm === undefined && type !== null) {
      throw new S3Error(
        "InvalidRequest",
        "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
      );
    }
    const checksum = algorithm && { algorithm, type: readType(algorithm, type) };
    const upload = {
      id: crypto.randomUUID(),
      place: `${bucket}/${key}`,
      facts,
      folder: await makeOwnedFolder(tmpdir()),
      checksum,
      change: folder.changeOf(key),
      parts: new Map(),
    };
    this.#uploads.set(upload.id, upload);
    const result = { Bucket: bucket, Key: key, UploadId: upload.id };
    const response = xmlResponse({ InitiateMultipartUploadResult: result });
    if (checksum !== undefined) {
      response.headers.set("x-amz-checksum-algorithm", checksum.algorithm);
      response.headers.set("x-amz-checksum-type", checksum.type);
    }
    return response;
  }

  async #end({ id, folder }: Upload): Promise<void> {
    if (!this.#uploads.delete(id)) return; // Another request has ended the upload meanwhile.
    await folder[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const upload of this.#uploads.values()) await this.#end(upload);
  }
}

async function uploadPart(
  { body }: Request,
  { query, headers }: S3Request,
  upload: Upload,
): Promise<Response> {
  const number = readPartNumber(query.get("partNumber")!);
  const wanted = upload.checksum;
  const claimed = readClaim(headers)?.algorithm;
  const isWrong = claimed === undefined
    ? wanted?.type === "COMPOSITE"
    : wanted !== undefined && wanted.algorithm !== claimed;
  if (isWrong) {
    const expected = wanted!.algorithm.toLowerCase();
    const actual = claimed?.toLowerCase() ?? "null";
    const rule = `expected checksum Type: ${expected}, actual checksum Type: ${actual}`;
    throw new S3Error("InvalidRequest", `Checksum Type mismatch occurred, ${rule}`);
  }
  const content = readContent({ headers, body }, wanted?.algorithm);
  const { etag, checksum } = await putPart(upload, number, content);
  return new Response(null, {
    headers: { ETag: `"${etag}"`, [checksumField(checksum.algorithm)]: checksum.value },
  });
}

async function copyPart(
  { query, headers }: S3Request,
  upload: Upload,
  { buckets }: Target,
): Promise<Response> {
  const number = readPartNumber(query.get("partNumber")!);
  const { object, content } = await openSource(headers, buckets);
  const field = headers.get("x-amz-copy-source-range");
  const range = await orCancel(content, () => readCopyRange(field, object.size));
  const body = range === undefined ? content : content.pipeThrough(slice(range));
  const length = range === undefined ? object.size : range.end - range.start;
  const copied = new Headers({ "content-length": String(length) });
  const algorithm = upload.checksum?.algorithm ?? DEFAULT_ALGORITHM;
  const part = await putPart(upload, number, readContent({ headers: copied, body }, algorithm));
  return xmlResponse({
    CopyPartResult: {
      ETag: `"${part.etag}"`,
      LastModified: timeOf(Date.now()),
      ...(upload.checksum && { [checksumElement(algorithm)]: part.checksum.value }),
    },
  });
}

/** Stores a part. The part replaces an earlier part with the same number. */
async function putPart(
  { folder, parts }: Upload,
  number: number,
  content: ReturnType<typeof readContent>,
): Promise<Part> {
  const file = await Deno.makeTempFile({ dir: folder.path });
  const hash = createHash("md5");
  try {
    await Deno.writeFile(file, ReadableStream.from(digest(content.bytes, hash)));
  } catch (error) {
    await Deno.remove(file);
    throw error;
  }
  const { size } = await Deno.stat(file);
  const part = { file, size, etag: hash.digest("hex"), checksum: content.checksum() };
  const former = parts.get(number);
  parts.set(number, part);
  if (former !== undefined) await Deno.remove(former.file);
  return part;
}
