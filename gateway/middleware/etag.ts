import { encodeBase64 } from "../../function/base64.ts";
import { HttpPreconditionFailedError } from "../errors/client_errors.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { toBytes } from "../response/content_body.ts";
import { isBytes } from "../response/stream_body.ts";
import type { Middleware } from "./middleware.ts";

/**
 * Makes a middleware that tags responses of status 200 to GET and HEAD with an `ETag` of their content, and evaluates the
 * preconditions of these requests (RFC 9110 §13): `If-None-Match` and `If-Match`; and, if the route sets `Last-Modified`,
 * `If-Modified-Since` and `If-Unmodified-Since`. The response becomes a 304 or a 412.
 *
 * A route that changes something reads `event.header("if-match")` itself, because it has done its work when the tag of its
 * answer is known. A content that is streamed has only the tag that the route sets.
 *
 * @returns The middleware.
 *
 * @example A client that has the content already
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { etag, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() => ({ soup: 9.5 }), { use: [etag()] });
 *
 * const { headers } = await call(handler, { url: "/menu" });
 * const again = await call(handler, { url: "/menu", headers: { "If-None-Match": headers.get("ETag")! } });
 * assertEquals(again.status, 304);
 * ```
 */
export function etag(): Middleware {
  return async (event, _context, next) => {
    const answer = await next();
    const { status, headers, content } = answer;
    if (status !== 200 || !/^(?:GET|HEAD)$/.test(event.httpMethod())) return answer;
    if (!headers.has("etag") && (typeof content === "string" || isBytes(content))) {
      headers.set("ETag", await tagContent(toBytes(content)));
    }
    const result = evaluatePreconditions(event, headers.get("etag"), headers.get("last-modified"));
    if (result === 412) {
      throw new HttpPreconditionFailedError("The resource is not as the request expects it");
    }
    if (result === 304) {
      answer.status = 304;
      headers.delete("content-encoding");
      headers.delete("content-length");
    }
    return answer;
  };
}

/** Makes a strong entity tag of a content (RFC 9110 §8.8.3): equal bytes have equal tags. */
async function tagContent(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return `"${encodeBase64(new Uint8Array(hash))}"`;
}

/**
 * Evaluates the preconditions of a GET or HEAD request, in the order of RFC 9110 §13.2.2.
 *
 * @param event The request.
 * @param tag The `ETag` of the answer.
 * @param modified The `Last-Modified` of the answer.
 * @returns The status that the answer must have.
 */
function evaluatePreconditions(
  event: FnProxyEvent,
  tag: string | null,
  modified: string | null,
): 200 | 304 | 412 {
  const date = Date.parse(modified ?? "");
  const dateOf = (name: string) => Date.parse(event.header(name) ?? "");
  const match = event.header("if-match");
  const isFalse = match === undefined
    ? date > dateOf("if-unmodified-since")
    : match.trim() !== "*" && (!tag || tag.startsWith("W/") || !tagsOf(match).includes(tag));
  if (isFalse) return 412;
  const noneMatch = event.header("if-none-match");
  const since = dateOf("if-modified-since");
  const isKnown = noneMatch === undefined
    ? date <= since && since <= Date.now() // a date in the future is invalid (§13.1.3)
    : noneMatch.trim() === "*" ||
      tagsOf(noneMatch).some((listed) => opaque(listed) === opaque(tag ?? ""));
  return isKnown ? 304 : 200;
}

function tagsOf(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** An entity tag without the mark of a weak one (RFC 9110 §8.8.3.2). */
function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
