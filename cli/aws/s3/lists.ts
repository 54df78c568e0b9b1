import { Buffer } from "node:buffer";
import type { StoredObject } from "./object_store.ts";
import { invalidArgument, type XmlElements, xmlResponse } from "../responses.ts";
import { timeOf } from "./facts.ts";

/** The owner of all buckets and objects. */
export const OWNER = { DisplayName: "local", ID: "0".repeat(64) };

const MAX_PAGE = 1_000;

/** Lists objects as ListObjectsV2 does, or as ListObjects if the query has no `list-type`. */
export function listObjects(
  objects: readonly StoredObject[],
  name: string,
  query: URLSearchParams,
): Response {
  const isSecondVersion = query.has("list-type");
  const listType = query.get("list-type");
  if (isSecondVersion && listType !== "2") {
    throw invalidArgument("Invalid List Type specified in Request", "list-type", listType!);
  }
  const encode = readEncoding(query.get("encoding-type"));
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const maxKeys = readMaxKeys(query.get("max-keys"));
  const token = query.get("continuation-token");
  const startAfter = query.get("start-after") ?? "";
  const marker = query.get("marker") ?? "";
  const after = !isSecondVersion ? marker : token === null ? startAfter : readToken(token);
  const { entries, isTruncated } = pageOf(objects, { prefix, delimiter, after, maxKeys });
  const last = entries.at(-1)?.[0] ?? "";
  const hasOwner = !isSecondVersion || query.get("fetch-owner") === "true";
  const ofVersion = isSecondVersion
    ? {
      KeyCount: entries.length,
      ...(token !== null && { ContinuationToken: token }),
      ...(isTruncated && { NextContinuationToken: writeToken(last) }),
      ...(startAfter !== "" && { StartAfter: encode(startAfter) }),
    }
    : {
      Marker: encode(marker),
      ...(isTruncated && delimiter !== "" && { NextMarker: encode(last) }),
    };
  return xmlResponse({
    ListBucketResult: {
      Name: name,
      Prefix: encode(prefix),
      MaxKeys: maxKeys,
      ...(delimiter !== "" && { Delimiter: encode(delimiter) }),
      ...(query.has("encoding-type") && { EncodingType: "url" }),
      IsTruncated: isTruncated,
      ...ofVersion,
      Contents: entries.flatMap(([key, object]) =>
        object === undefined ? [] : [{ Key: encode(key), ...factsOf(object, hasOwner) }]
      ),
      CommonPrefixes: entries.flatMap(([key, object]) =>
        object === undefined ? [{ Prefix: encode(key) }] : []
      ),
    },
  });
}

function factsOf(object: StoredObject, hasOwner: boolean): XmlElements {
  const { modified, etag, size, checksum, storageClass = "STANDARD" } = object;
  return {
    LastModified: timeOf(modified),
    ETag: `"${etag}"`,
    ...(checksum && { ChecksumAlgorithm: checksum.algorithm, ChecksumType: checksum.type }),
    Size: size,
    ...(hasOwner && { Owner: OWNER }),
    StorageClass: storageClass,
  };
}

interface Page {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  readonly maxKeys: number;
}

/** Selects a page of the objects. A common prefix of several keys has no object. */
function pageOf(
  objects: readonly StoredObject[],
  { prefix, delimiter, after, maxKeys }: Page,
): { entries: [string, StoredObject | undefined][]; isTruncated: boolean } {
  const entries = new Map<string, StoredObject | undefined>();
  for (const object of objects) {
    const { key } = object;
    if (!key.startsWith(prefix) || !isAfter(key, after)) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : key.slice(0, end + delimiter.length);
    // An earlier page had the common prefix.
    if (common !== undefined && (entries.has(common) || after.startsWith(common))) continue;
    if (entries.size === maxKeys) return { entries: [...entries], isTruncated: maxKeys > 0 };
    entries.set(common ?? key, common === undefined ? object : undefined);
  }
  return { entries: [...entries], isTruncated: false };
}

/** Compares keys by the bytes of UTF-8. */
function isAfter(key: string, other: string): boolean {
  return other === "" || Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;
}

function readMaxKeys(text: string | null): number {
  if (text === null || text === "") return MAX_PAGE;
  if (!/^[+-]?\d{1,10}$/.test(text) || Number(text) > 2 ** 31 - 1) {
    throw invalidArgument(
      "Provided max-keys not an integer or within integer range",
      "max-keys",
      text,
    );
  }
  if (Number(text) < 0) {
    const message = "Argument maxKeys must be an integer between 0 and 2147483647";
    throw invalidArgument(message, "maxKeys", text);
  }
  return Math.min(MAX_PAGE, Number(text));
}

/** Returns the function that encodes the texts of a list. */
function readEncoding(type: string | null): (text: string) => string {
  if (type === null) return (text) => text;
  if (type !== "url") {
    throw invalidArgument("Invalid Encoding Method specified in Request", "encoding-type", type);
  }
  return (text) =>
    encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%20", "+")
      .replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Makes a token that does not look like a key, because clients must not use it as a key. */
function writeToken(key: string): string {
  return Buffer.from(`1/${key}`).toString("base64");
}

function readToken(token: string): string {
  const bytes = Buffer.from(token, "base64");
  const text = bytes.toString();
  if (text.startsWith("1/") && bytes.toString("base64") === token) return text.slice(2);
  const message = "The continuation token provided is incorrect";
  throw invalidArgument(message, "continuation-token", token);
}
