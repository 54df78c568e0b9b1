import type { FnProxyEvent } from "../event/proxy_event.ts";
import { requestHeader } from "./answer.ts";

/** Makes a strong entity tag of a content (RFC 9110 §8.8.3): equal bytes have equal tags. */
export async function tagContent(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  return `"${
    [...hash.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  }"`;
}

/**
 * Evaluates the preconditions of a GET or HEAD request, in the order of RFC 9110 §13.2.2.
 *
 * @param event The request.
 * @param tag The `ETag` of the response.
 * @param modified The `Last-Modified` of the response.
 * @returns The status that the response must have: 200, 304 or 412.
 */
export function evaluatePreconditions(
  event: FnProxyEvent,
  tag: string | undefined,
  modified: string | undefined,
): 200 | 304 | 412 {
  const header = (name: string) => requestHeader(event, name, 200);
  const date = Date.parse(modified ?? "");
  const match = header("if-match");
  if (match !== undefined) {
    if (!isListed(tag, match, (listed) => listed === tag && !listed.startsWith("W/"))) return 412;
  } else if (date > Date.parse(header("if-unmodified-since") ?? "")) return 412;
  const noneMatch = header("if-none-match");
  if (noneMatch !== undefined) {
    return isListed(tag, noneMatch, (listed) => opaque(listed) === opaque(tag!)) ? 304 : 200;
  }
  return date <= Date.parse(header("if-modified-since") ?? "") ? 304 : 200;
}

/** Whether a list of entity tags, or `*`, names the tag of the response. */
function isListed(
  tag: string | undefined,
  list: string,
  isSame: (listed: string) => boolean,
): boolean {
  if (list.trim() === "*") return true;
  return tag !== undefined && (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isSame);
}

/** An entity tag without the mark of a weak one (RFC 9110 §8.8.3.2). */
function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
