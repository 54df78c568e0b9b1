/**
 * Tells whether a response must carry a body of this media type as base64, because the body may not be text.
 *
 * @param contentType A media type (RFC 9110 section 8.3.1). Case and parameters are ignored.
 * @returns False for `text/*`, `application/xml` and `application/json`. True for every other type, also for
 * `image/svg+xml` and `application/problem+json`.
 *
 * @example Text and bytes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { isBinary } from "@mate/core/gateway";
 *
 * assertEquals(isBinary("Text/HTML; charset=utf-8"), false);
 * assertEquals(isBinary("image/png"), true);
 * ```
 */
export function isBinary(contentType: string): boolean {
  const end = contentType.indexOf(";");
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return !(type.startsWith("text/") || type === "application/json" || type === "application/xml");
}
