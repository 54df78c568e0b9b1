import { S3Error } from "./responses.ts";
import { notEmulated } from "./service_call.ts";
import { readClaim } from "./s3_checksums.ts";
import { readContent } from "./s3_content.ts";
import { type Item, malformedXml, readDocument } from "./s3_documents.ts";

/** The most objects that one DeleteObjects removes. */
const MAX_DELETED = 1_000;

/** What a request of DeleteObjects asks for. */
export interface Deletion {
  /** The keys, perhaps with the entity tags that the objects must have. */
  readonly items: readonly Item[];
  /** Whether the answer has errors only. */
  readonly isQuiet: boolean;
}

/** Reads the document of DeleteObjects. */
export async function readDeletion({ headers, body }: Request): Promise<Deletion> {
  if (!headers.has("content-md5") && readClaim(headers) === undefined) {
    const message = "Missing required header for this request: Content-MD5 OR x-amz-checksum-*";
    throw new S3Error("InvalidRequest", message);
  }
  const { bytes } = readContent({ headers, body });
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
