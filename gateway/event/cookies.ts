import { percentDecode } from "./percent_decode.ts";

/**
 * Parses a `Cookie` header (RFC 6265 section 5.4).
 *
 * @returns The values by names. The first cookie of a name counts. Quotes are removed, and values are percent-decoded if
 * this is possible.
 */
export function parseCookies(header: string): Record<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(";")) {
    const end = pair.indexOf("=");
    const name = pair.slice(0, end).trim();
    if (end < 0 || cookies.has(name)) continue;
    const value = pair.slice(end + 1).trim().replace(/^"(.*)"$/s, "$1");
    cookies.set(name, percentDecode(value) ?? value);
  }
  return Object.fromEntries(cookies);
}
