import { encodeBase64 } from "../../function/base64.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { requestHeader } from "./answer.ts";

/** Makes a strong entity tag of a content (RFC 9110 §8.8.3): equal bytes have equal tags. */
export async function tagContent(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return `"${encodeBase64(new Uint8Array(hash))}"`;
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
  tag: string,
  modified: string | undefined,
): 200 | 304 | 412 {
  const header = (name: string) => requestHeader(event, name, 200);
  const date = Date.parse(modified ?? "");
  const match = header("if-match");
  const isFalse = match === undefined
    ? date > Date.parse(header("if-unmodified-since") ?? "")
    : match.trim() !== "*" && (tag.startsWith("W/") || !tagsOf(match).includes(tag));
  if (isFalse) return 412;
  const noneMatch = header("if-none-match");
  const isKnown = noneMatch === undefined
    ? date <= Date.parse(header("if-modified-since") ?? "")
    : noneMatch.trim() === "*" ||
      tagsOf(noneMatch).some((listed) => opaque(listed) === opaque(tag));
  return isKnown ? 304 : 200;
}

function tagsOf(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** An entity tag without the mark of a weak one (RFC 9110 §8.8.3.2). */
function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
