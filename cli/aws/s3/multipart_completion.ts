import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Checksum, Content as Stored, ObjectStore } from "./object_store.ts";
import { S3Error, xmlResponse } from "../service_call.ts";
import {
  type Algorithm,
  checksumElement,
  checksumElements,
  checksumField,
  DEFAULT_ALGORITHM,
  startDigest,
} from "./checksums.ts";
import { writeCondition } from "./conditions.ts";
import { type Content, digestContent, readContent } from "./content.ts";
import { type Item, malformedXml, readDocument } from "./documents.ts";
import type { Facts } from "./facts.ts";
import type { Target } from "./object.ts";
import type { S3Request } from "./operations.ts";

/** The smallest size of each part except the last. */
const MIN_PART = 5 * 1024 * 1024;

/** A multipart upload that has begun. */
export interface Upload {
  readonly id: string;
  /** The bucket and the key of the object. */
  readonly place: string;
  readonly facts: Facts;
  /** The store of the bucket, which has the parts. */
  readonly store: ObjectStore;
  /** The checksum that the client has asked for. */
  readonly checksum?:
    | { readonly algorithm: Algorithm; readonly type: Checksum["type"] }
    | undefined;
  /** The number of the last change of the key when the upload began. */
  readonly change: number;
  /** The parts that have been uploaded, by number. */
  readonly parts: Map<number, Part>;
  /** The contents of all parts, also of those that were replaced while the upload was busy. */
  readonly contents: string[];
  /** Whether a request reads the parts, in order to complete the upload. */
  isBusy: boolean;
  /** Whether the upload was completed or aborted. */
  isOver: boolean;
  /** The last request that completes or aborts the upload. It does not reject. */
  last: Promise<unknown>;
}

export interface Part extends Stored {
  readonly checksum: Pick<Checksum, "algorithm" | "value">;
}

/** Reads the list of parts that a client sends. */
export async function readParts(
  { body }: Request,
  { headers, chunks }: S3Request,
): Promise<readonly Item[]> {
  if (body === null || headers.get("content-length") === "0") throw noParts();
  // The checksum in the header is that of the object, not that of the list of parts.
  const own = new Headers([...headers].filter(([name]) => !name.startsWith("x-amz-checksum-")));
  own.delete("x-amz-sdk-checksum-algorithm");
  const { bytes } = readContent({ headers: own, body, chunks });
  const { items } = await readDocument(bytes, "CompleteMultipartUpload", "Part");
  if (items.length === 0) throw noParts();
  return items;
}

function noParts(): S3Error {
  return new S3Error("InvalidRequest", "You must specify at least one part");
}

/** Answers CompleteMultipartUpload. */
export async function completeUpload(
  request: Request,
  { bucket: name, key, headers }: S3Request,
  items: readonly Item[],
  upload: Upload,
  { bucket, client }: Target,
): Promise<Response> {
  const parts = findParts(items, upload);
  checkSize(headers.get("x-amz-mp-object-size"), parts);
  checkType(headers.get("x-amz-checksum-type"), upload);
  const check = writeCondition(headers, () => bucket.changeOf(key) !== upload.change);
  const joined = joinParts(parts, upload, headers);
  const object = await bucket.put(key, joined.bytes, {
    ...client,
    how: "CompleteMultipartUpload",
    check,
    facts: () => ({
      ...upload.facts,
      etag: etagOf(parts),
      checksum: joined.checksum(),
      parts: parts.map(({ size }) => size),
    }),
  });
  return xmlResponse({
    CompleteMultipartUploadResult: {
      Location: `${new URL(request.url).origin}/${name}/${encodeURI(key)}`,
      Bucket: name,
      Key: key,
      ETag: `"${object.etag}"`,
      ...checksumElements(object.checksum),
    },
  });
}

function findParts(items: readonly Item[], upload: Upload): readonly Part[] {
  const numbers = items.map(({ PartNumber = "", ETag }) => {
    if (!/^\d{1,5}$/.test(PartNumber) || ETag === undefined) throw malformedXml();
    return Number(PartNumber);
  });
  if (numbers.some((number, index) => index > 0 && number <= numbers[index - 1]!)) {
    throw new S3Error(
      "InvalidPartOrder",
      "The list of parts was not in ascending order. Parts must be ordered by part number.",
      { UploadId: upload.id },
    );
  }
  const parts = items.map((item, index) => findPart(item, numbers[index]!, upload));
  const small = parts.slice(0, -1).find(({ size }) => size < MIN_PART);
  if (small === undefined) return parts;
  const message = "Your proposed upload is smaller than the minimum allowed size";
  throw new S3Error("EntityTooSmall", message, {
    ETag: small.etag,
    MinSizeAllowed: MIN_PART,
    PartNumber: numbers[parts.indexOf(small)]!,
    ProposedSize: small.size,
  });
}

function findPart(item: Item, number: number, { id, checksum, parts }: Upload): Part {
  const part = parts.get(number);
  const claimed = part && item[checksumElement(part.checksum.algorithm)];
  const isRight = part?.etag === item.ETag!.replaceAll('"', "") &&
    (claimed === undefined || claimed === part.checksum.value);
  if (part === undefined || !isRight) {
    throw new S3Error(
      "InvalidPart",
      "One or more of the specified parts could not be found.  The part may not have been " +
        "uploaded, or the specified entity tag may not match the part's entity tag.",
      { UploadId: id, PartNumber: number, ETag: item.ETag!.replaceAll('"', "") },
    );
  }
  if (checksum?.type === "COMPOSITE" && claimed === undefined) {
    throw new S3Error(
      "InvalidRequest",
      `The upload was created using a ${checksum.algorithm.toLowerCase()} checksum. The complete ` +
        "request must include the checksum for each part. " +
        `It was missing for part ${number} in the request.`,
    );
  }
  return part;
}

function checkSize(text: string | null, parts: readonly Part[]): void {
  if (text === null) return;
  if (!/^\d+$/.test(text)) {
    throw new S3Error("InvalidRequest", "Value for x-amz-mp-object-size header is invalid");
  }
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (Number(text) === size) return;
  const computed = `does not match what was computed: ${size}`;
  const message = `The provided 'x-amz-mp-object-size' header value ${text} ${computed}`;
  throw new S3Error("InvalidRequest", message);
}

function checkType(type: string | null, { checksum }: Upload): void {
  const expected = checksum?.type ?? "FULL_OBJECT";
  if (type === null || type === expected) return;
  throw new S3Error(
    "InvalidRequest",
    `The upload was created using the ${expected} checksum mode. The complete request must use the ` +
      "same checksum mode.",
  );
}

/** Joins the digests of the parts, as Amazon S3 makes the entity tag of a multipart upload. */
function etagOf(parts: readonly Part[]): string {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, "hex")));
  return `${createHash("md5").update(digests).digest("hex")}-${parts.length}`;
}

/** Joins the content of the parts. If the client claims another checksum, reading the bytes throws at the end. */
function joinParts(parts: readonly Part[], { checksum, store }: Upload, headers: Headers): Content {
  const { algorithm = DEFAULT_ALGORITHM, type = "FULL_OBJECT" } = checksum ?? {};
  const claimed = headers.get(checksumField(algorithm))?.replace(/-\d+$/, "");
  const check = (value: string) => {
    if (claimed === undefined || claimed === value) return;
    const name = algorithm.toLowerCase();
    const message = `The ${name} you specified did not match the calculated checksum.`;
    throw new S3Error("BadDigest", message);
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const { name } of parts) yield* (await store.open(name))!;
  }
  const digest = startDigest(algorithm);
  const isComposite = type === "COMPOSITE"; // Then it is the checksum of the checksums of the parts.
  for (const { checksum: { value } } of isComposite ? parts : []) {
    digest.update(Buffer.from(value, "base64"));
  }
  const whole = isComposite ? { update() {}, digest: () => digest.digest() } : digest;
  const joined = digestContent(read(), algorithm, check, whole);
  const suffix = isComposite ? `-${parts.length}` : "";
  const value = () => joined.checksum().value + suffix;
  return { bytes: joined.bytes, checksum: () => ({ algorithm, value: value(), type }) };
}
