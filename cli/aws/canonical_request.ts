/**
 * The one form of a request that its client and its service sign. Each character of a header field is one byte.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html#create-canonical-request
 * @module
 */
import { Buffer } from "node:buffer";
import { AUTHORITY, type Signature, type SignedRequest } from "./signature.ts";

/** Makes the text that stands for a request. Its time is linear in the size of the request without its body. */
export function canonicalRequest(
  { names, service }: Signature,
  { method, path, query, headers }: SignedRequest,
  digest: string,
): string {
  const fields = names.map((name) => {
    const value = (headers.get(name === AUTHORITY ? "host" : name) ?? "").replaceAll(/[\t ]+/g, " ")
      .replaceAll(/^ | $/g, "");
    return `${name}:${value}\n`;
  });
  return [
    method,
    canonicalPath(path, service),
    canonicalQuery(query),
    fields.join(""),
    names.join(";"),
    digest,
  ].join("\n");
}

/** Amazon S3 keeps the path. Every other service removes dots and empty parts, and encodes the path once more. */
function canonicalPath(path: string, service: string): string {
  if (service === "s3") return path.split("/").map((part) => encode(part)).join("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(encode(part, "twice"));
  }
  const end = parts.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${parts.join("/")}${end}`;
}

function canonicalQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => pair !== "").map((pair) => {
    const at = pair.indexOf("=");
    const parts = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    return parts.map((part) => encode(part.replaceAll("+", " "))) as [string, string];
  }).filter(([name]) => name !== "X-Amz-Signature");
  const compare = (a: string, b: string) => a < b ? -1 : Number(a > b);
  return pairs.sort(([a, b], [c, d]) => compare(a, c) || compare(b, d))
    .map((pair) => pair.join("=")).join("&");
}

/** The one form that each byte has in a signature. */
const BYTES = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[\w.~-]/.test(character)
    ? character
    : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

/** Writes each byte in its one form. What is encoded already stays so, unless it is encoded twice. */
function encode(text: string, how?: "twice"): string {
  const plain = (found: string) => [...Buffer.from(found)].map((byte) => BYTES[byte]).join("");
  if (how === "twice") return text.replaceAll(/[^\w.~-]+/g, plain);
  return text.replaceAll(
    /%([\dA-Fa-f]{2})|(?:[^\w.~%-]|%(?![\dA-Fa-f]{2}))+/g,
    (found, digits?: string) => digits === undefined ? plain(found) : BYTES[parseInt(digits, 16)]!,
  );
}
