/**
 * Whether a body of a media type has to be carried as base64, because it may be no text.
 *
 * @param contentType A media type (RFC 9110 §8.3.1); its case and its parameters do not matter.
 * @returns False for `text/*`, `application/xml` and `application/json`; true for everything else, types
 * such as `image/svg+xml` and `application/problem+json` too.
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
