import { createHash } from "node:crypto";
import { digest, type StoredFields } from "../triggers/bucket_folder.ts";
import { S3Error, textsOf, xmlResponse } from "./responses.ts";
import {
  chunkedContent,
  preconditionOf,
  readSource,
  storedFields,
  type Target,
} from "./s3_object.ts";

/** The smallest size of each part except the last. */
const MIN_PART = 5 * 1024 * 1024;

interface Upload {
  readonly id: string;
  /** The bucket and the key of the object. */
  readonly place: string;
  readonly fields: StoredFields;
  readonly folder: string;
  /** The parts that have been uploaded, by number. */
  readonly parts: Map<string, Part>;
}

interface Part {
  readonly file: string;
  readonly size: number;
  readonly etag: string;
}

/** The multipart uploads that have begun. Their parts are files in temporary folders. */
export class MultipartUploads implements AsyncDisposable {
  readonly #uploads = new Map<string, Upload>();

  /** Answers a request of an upload. Returns `undefined` if the method is not known. */
  async answer(
    request: Request,
    query: URLSearchParams,
    { bucket, buckets, name, key, client }: Target,
  ): Promise<Response | undefined> {
    const { method, headers } = request;
    const place = `${name}/${key}`;
    if (method === "POST" && query.has("uploads")) {
      const id = crypto.randomUUID();
      const folder = await Deno.makeTempDir({ prefix: "mate-upload-" });
      const fields = storedFields(headers);
      this.#uploads.set(id, { id, place, fields, folder, parts: new Map() });
      const result = { Bucket: name, Key: key, UploadId: id };
      return xmlResponse({ InitiateMultipartUploadResult: result });
    }
    const upload = this.#find(query.get("uploadId") ?? "", place);
    if (method === "PUT") {
      const source = headers.get("x-amz-copy-source");
      const content = source === null
        ? chunkedContent(request)
        : (await readSource(source, headers.get("x-amz-copy-source-range"), buckets)).content;
      const ETag = `"${await putPart(upload, query.get("partNumber") ?? "", content)}"`;
      return source === null
        ? new Response(null, { headers: { ETag } })
        : xmlResponse({ CopyPartResult: { ETag } });
    }
    if (method === "DELETE") {
      await this.#end(upload);
      return new Response(null, { status: 204 });
    }
    if (method !== "POST") return undefined;
    const { etag } = await bucket.put(key, joinParts(upload, await request.text()), {
      ...client,
      how: "CompleteMultipartUpload",
      check: preconditionOf(headers),
      fields: upload.fields,
    });
    await this.#end(upload);
    return xmlResponse({
      CompleteMultipartUploadResult: { Bucket: name, Key: key, ETag: `"${etag}"` },
    });
  }

  #find(id: string, place: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload?.place === place) return upload;
    const message = "The upload does not exist: it was completed or aborted";
    throw new S3Error(404, "NoSuchUpload", message);
  }

  async #end({ id, folder }: Upload): Promise<void> {
    this.#uploads.delete(id);
    await Deno.remove(folder, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const upload of this.#uploads.values()) await this.#end(upload);
  }
}

/** Stores a part. The part replaces an earlier part with the same number. */
async function putPart(
  { folder, parts }: Upload,
  number: string,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  if (!/^([1-9]\d{0,3}|10000)$/.test(number)) {
    const message = `Expected a part number from 1 to 10000: "${number}"`;
    throw new S3Error(400, "InvalidArgument", message);
  }
  const file = await Deno.makeTempFile({ dir: folder });
  const hash = createHash("md5");
  await Deno.writeFile(file, ReadableStream.from(digest(content, hash)));
  const { size } = await Deno.stat(file);
  const etag = hash.digest("hex");
  parts.set(number, { file, size, etag });
  return etag;
}

function joinParts(upload: Upload, list: string): AsyncIterable<Uint8Array> {
  const etags = textsOf(list, "ETag");
  const numbers = textsOf(list, "PartNumber");
  const parts = numbers.map((number, index) => {
    const part = upload.parts.get(number);
    if (part !== undefined && part.etag === etags[index]?.replaceAll('"', "")) return part;
    throw new S3Error(400, "InvalidPart", `Part ${number} was not uploaded with this ETag`);
  });
  if (parts.length === 0) throw new S3Error(400, "MalformedXML", "Expected at least one part");
  if (numbers.some((number, index) => Number(number) <= Number(numbers[index - 1] ?? 0))) {
    throw new S3Error(400, "InvalidPartOrder", "Expected the parts in ascending order");
  }
  if (parts.slice(0, -1).some(({ size }) => size < MIN_PART)) {
    throw new S3Error(400, "EntityTooSmall", "Every part but the last must have at least 5 MiB");
  }
  return contentOf(parts);
}

async function* contentOf(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { file } of parts) yield* (await Deno.open(file)).readable;
}
