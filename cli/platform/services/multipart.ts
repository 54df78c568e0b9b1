import { createHash } from "node:crypto";
import { digest } from "../triggers/bucket_folder.ts";
import { chunkedContent } from "./aws_chunked.ts";
import { S3Error } from "./errors.ts";
import { preconditionOf, readSource, storedFields, type Target } from "./s3_object.ts";
import { elements, xmlResponse } from "./xml.ts";

/** The smallest part of an upload, except the last. */
const MIN_PART = 5 * 1024 * 1024;

export async function answerUpload(
  request: Request,
  query: URLSearchParams,
  { bucket, buckets, name, key, client, fields }: Target,
  uploads: MultipartUploads,
): Promise<Response | undefined> {
  const { method, headers } = request;
  const place = `${name}/${key}`;
  if (method === "POST" && query.has("uploads")) {
    const id = await uploads.begin(place, storedFields(headers));
    const result = { Bucket: name, Key: key, UploadId: id };
    return xmlResponse({ InitiateMultipartUploadResult: result });
  }
  const upload = uploads.find(query.get("uploadId") ?? "", place);
  if (method === "PUT") {
    const source = headers.get("x-amz-copy-source");
    const content = source === null
      ? chunkedContent(request)
      : (await readSource(source, headers.get("x-amz-copy-source-range"), buckets)).content;
    const ETag = `"${await upload.put(query.get("partNumber") ?? "", content)}"`;
    return source === null
      ? new Response(null, { headers: { ETag } })
      : xmlResponse({ CopyPartResult: { ETag } });
  }
  if (method === "DELETE") {
    await uploads.end(upload);
    return new Response(null, { status: 204 });
  }
  if (method !== "POST") return undefined;
  const content = upload.join(await request.text());
  const how = "CompleteMultipartUpload";
  const check = preconditionOf(headers);
  const { etag } = await bucket.put(key, content, { ...client, how, check });
  fields.set(place, upload.fields);
  await uploads.end(upload);
  return xmlResponse({
    CompleteMultipartUploadResult: { Bucket: name, Key: key, ETag: `"${etag}"` },
  });
}

/** The multipart uploads under way. Their parts are files in a temporary folder. */
export class MultipartUploads implements AsyncDisposable {
  readonly #uploads = new Map<string, MultipartUpload>();

  async begin(place: string, fields: Headers): Promise<string> {
    const id = crypto.randomUUID();
    const folder = await Deno.makeTempDir({ prefix: "mate-upload-" });
    this.#uploads.set(id, new MultipartUpload(id, place, fields, folder));
    return id;
  }

  /** Finds an upload by its identifier, its bucket and its key. */
  find(id: string, place: string): MultipartUpload {
    const upload = this.#uploads.get(id);
    if (upload?.place === place) return upload;
    const message = "The upload does not exist: it was completed or aborted";
    throw new S3Error(404, "NoSuchUpload", message);
  }

  async end({ id, folder }: MultipartUpload): Promise<void> {
    this.#uploads.delete(id);
    await Deno.remove(folder, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const upload of this.#uploads.values()) await this.end(upload);
  }
}

interface Part {
  readonly file: string;
  readonly size: number;
  readonly etag: string;
}

class MultipartUpload {
  readonly #parts = new Map<string, Part>();

  constructor(
    readonly id: string,
    readonly place: string,
    readonly fields: Headers,
    readonly folder: string,
  ) {}

  /** Stores a part; it replaces an earlier part of the same number. */
  async put(number: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    if (!/^([1-9]\d{0,3}|10000)$/.test(number)) {
      const message = `Expected a part number from 1 to 10000: "${number}"`;
      throw new S3Error(400, "InvalidArgument", message);
    }
    const file = await Deno.makeTempFile({ dir: this.folder });
    const hash = createHash("md5");
    await Deno.writeFile(file, ReadableStream.from(digest(content, hash)));
    const { size } = await Deno.stat(file);
    const etag = hash.digest("hex");
    this.#parts.set(number, { file, size, etag });
    return etag;
  }

  join(list: string): AsyncIterable<Uint8Array> {
    const etags = elements(list, "ETag");
    const numbers = elements(list, "PartNumber");
    const parts = numbers.map((number, index) => {
      const part = this.#parts.get(number);
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
}

async function* contentOf(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { file } of parts) yield* (await Deno.open(file)).readable;
}
