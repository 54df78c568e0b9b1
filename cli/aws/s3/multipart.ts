import type { BucketFolder } from "./bucket_folder.ts";
import { completeUpload, type Part, readParts, type Upload } from "./multipart_completion.ts";
import { S3Error, xmlResponse } from "../service_call.ts";
import {
  checksumElement,
  checksumField,
  DEFAULT_ALGORITHM,
  readAlgorithm,
  readClaim,
  readType,
} from "./checksums.ts";
import { readContent } from "./content.ts";
import { openSource, readFacts, timeOf } from "./facts.ts";
import { readPartNumber, type Target } from "./object.ts";
import type { StoredObject } from "./object_store.ts";
import type { S3Request } from "./operations.ts";
import { readCopyRange, slice } from "./conditions.ts";

/** The multipart uploads that have begun. Their parts are contents in the stores of the buckets. */
export class MultipartUploads implements AsyncDisposable {
  readonly #uploads = new Map<string, Upload>();

  /** Answers a request of an upload. */
  async answer(request: Request, call: S3Request, target: Target): Promise<Response> {
    if (call.operation === "CreateMultipartUpload") return this.#create(call, target.bucket);
    const place = `${call.bucket}/${call.key}`;
    const id = call.query.get("uploadId")!;
    const upload = this.#uploads.get(id);
    if (upload?.place !== place) throw noSuchUpload(id);
    switch (call.operation) {
      case "UploadPart":
        return await uploadPart(request, call, upload);
      case "UploadPartCopy":
        return await copyPart(call, upload, target);
      case "CompleteMultipartUpload": {
        const items = await readParts(request, call);
        return await this.#alone(upload, async () => {
          const response = await completeUpload(request, call, items, upload, target);
          await this.#end(upload);
          return response;
        });
      }
      default:
        return await this.#alone(upload, async () => {
          await this.#end(upload);
          return new Response(null, { status: 204 });
        });
    }
  }

  /** Completes or aborts an upload after the other such requests, of which one may end the upload. */
  #alone(upload: Upload, work: () => Promise<Response>): Promise<Response> {
    const result = upload.last.then(async () => {
      if (upload.isOver) throw noSuchUpload(upload.id);
      upload.isBusy = true;
      return await work().finally(() => upload.isBusy = false);
    });
    upload.last = result.catch(() => {}); // The client gets the error.
    return result;
  }

  #create(
    { bucket: name, key, headers }: S3Request,
    bucket: BucketFolder,
  ): Response {
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
      place: `${name}/${key}`,
      facts,
      store: bucket.store,
      checksum,
      change: bucket.changeOf(key),
      parts: new Map(),
      contents: [],
      isBusy: false,
      isOver: false,
      last: Promise.resolve(),
    };
    this.#uploads.set(upload.id, upload);
    const result = { Bucket: name, Key: key, UploadId: upload.id };
    const response = xmlResponse({ InitiateMultipartUploadResult: result });
    if (checksum !== undefined) {
      response.headers.set("x-amz-checksum-algorithm", checksum.algorithm);
      response.headers.set("x-amz-checksum-type", checksum.type);
    }
    return response;
  }

  async #end(upload: Upload): Promise<void> {
    upload.isOver = true;
    this.#uploads.delete(upload.id);
    for (const name of upload.contents) await upload.store.drop(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const upload of this.#uploads.values()) await this.#end(upload);
  }
}

function noSuchUpload(id: string): S3Error {
  return new S3Error(
    "NoSuchUpload",
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have " +
      "been aborted or completed.",
    { UploadId: id },
  );
}

async function uploadPart(
  { body }: Request,
  { query, headers, chunks }: S3Request,
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
  const content = readContent({ headers, body, chunks }, wanted?.algorithm);
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
  const rangeOf = ({ size }: StoredObject) =>
    readCopyRange(headers.get("x-amz-copy-source-range"), size);
  const { object, content } = await openSource(headers, buckets, rangeOf);
  const range = rangeOf(object);
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

/** Stores a part. The part replaces an earlier part with the same number, which a completion may be reading. */
async function putPart(
  upload: Upload,
  number: number,
  content: ReturnType<typeof readContent>,
): Promise<Part> {
  const written = await upload.store.write(content.bytes);
  if (upload.isOver) {
    await upload.store.drop(written.name);
    throw noSuchUpload(upload.id);
  }
  const part = { ...written, checksum: content.checksum() };
  const former = upload.parts.get(number);
  upload.contents.push(written.name);
  upload.parts.set(number, part);
  if (former !== undefined && !upload.isBusy) await upload.store.drop(former.name);
  return part;
}
