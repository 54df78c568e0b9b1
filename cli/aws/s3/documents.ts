import { Buffer } from "node:buffer";
import { invalidArgument, S3Error, type XmlElements, xmlResponse } from "../service_call.ts";
import { timeOf } from "./facts.ts";
import type { StoredObject } from "./object_store.ts";

/** The largest document of a request, in bytes. A list of 10,000 parts with checksums is smaller. */
const MAX_DOCUMENT = 4 * 1024 ** 2;

/** An element of XML: text, or elements by name. */
type Element = string | { readonly [name: string]: Element | readonly Element[] };

/** An element that has only elements with texts, by name. */
export type Item = Readonly<Record<string, string>>;

export function malformedXml(): S3Error {
  return new S3Error(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}

/**
 * Reads a document such as `<Delete><Object><Key>a</Key></Object></Delete>`.
 *
 * @param root The name of the root.
 * @param item The name of the repeated element.
 * @throws {S3Error} If the document is something else.
 */
export async function readDocument(
  content: AsyncIterable<Uint8Array>,
  root: string,
  item: string,
): Promise<{ texts: Item; items: readonly Item[] }> {
  const { XMLParser, XMLValidator } = await import("fast-xml-parser"); // Only these operations need it.
  const text = await readText(content);
  // Amazon S3 knows no document type, so entities cannot be declared.
  if (text.includes("<!DOCTYPE") || XMLValidator.validate(text) !== true) throw malformedXml();
  const parser = new XMLParser({
    ignoreAttributes: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    isArray: (name) => name === item,
    parseTagValue: false,
    processEntities: false,
    removeNSPrefix: true,
    trimValues: false,
  });
  const { [root]: found, ...others } = parser.parse(text) as Record<string, Element>;
  if (found === undefined || Object.keys(others).some((name) => name !== "#text")) {
    throw malformedXml();
  }
  if (typeof found === "string") return { texts: {}, items: [] };
  const { [item]: items = [], ...rest } = found as Record<string, Element>;
  return { texts: textsOf(rest), items: (items as readonly Element[]).map(textsOf) };
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of content) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_DOCUMENT) throw malformedXml();
    }
    return text + decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? malformedXml() : error;
  }
}

function textsOf(element: Element): Item {
  if (typeof element === "string") {
    if (element.trim() === "") return {};
    throw malformedXml();
  }
  return Object.fromEntries(
    Object.entries(element).filter(([name]) => name !== "#text").map(([name, value]) => {
      if (typeof value !== "string") throw malformedXml();
      return [name, decode(value)];
    }),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/** Replaces the entities that need no declaration. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+);|#x([\da-f]+);|(\w+);)?/gi, (_, decimal, hex, named) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    const character = named === undefined
      ? code <= 0x10ffff ? String.fromCodePoint(code) : undefined
      : ENTITIES[named];
    if (character === undefined) throw malformedXml();
    return character;
  });
}

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
      ...(isTruncated && { NextContinuationToken: Buffer.from(`1/${last}`).toString("base64") }),
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

/** Selects a page of the objects. A common prefix of several keys has no object. */
function pageOf(
  objects: readonly StoredObject[],
  { prefix, delimiter, after, maxKeys }:
    & { maxKeys: number }
    & Record<"prefix" | "delimiter" | "after", string>,
): { entries: [string, StoredObject | undefined][]; isTruncated: boolean } {
  const entries = new Map<string, StoredObject | undefined>();
  const start = Buffer.from(after); // The order of keys is that of the bytes of UTF-8.
  for (const object of objects) {
    const { key } = object;
    if (!key.startsWith(prefix) || Buffer.compare(Buffer.from(key), start) <= 0) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : key.slice(0, end + delimiter.length);
    // An earlier page had the common prefix.
    if (common !== undefined && (entries.has(common) || after.startsWith(common))) continue;
    if (entries.size === maxKeys) return { entries: [...entries], isTruncated: maxKeys > 0 };
    entries.set(common ?? key, common === undefined ? object : undefined);
  }
  return { entries: [...entries], isTruncated: false };
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

/** Returns the key in a token, which does not look like a key, because clients must not use it as a key. */
function readToken(token: string): string {
  const bytes = Buffer.from(token, "base64");
  const text = bytes.toString();
  if (text.startsWith("1/") && bytes.toString("base64") === token) return text.slice(2);
  const message = "The continuation token provided is incorrect";
  throw invalidArgument(message, "continuation-token", token);
}
