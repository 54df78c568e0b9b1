import { MemberScanner } from "./member_scanner.ts";

const STAR = 0x2a;

/**
 * Whether a client takes gzip, and no less than the content as it is (RFC 9110 §12.5.3).
 *
 * @param acceptEncoding The field value of `Accept-Encoding`; absent, nothing is encoded.
 * @returns True if `gzip` or `x-gzip`, or any coding where the header names neither, has a weight above 0
 * that is not less than that of `identity`, where the header names it.
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const header = acceptEncoding.toLowerCase();
  const scanner = new MemberScanner(header);
  let gzip = -1; // not named
  let identity = -1;
  let any = -1;
  while (scanner.next()) {
    const { start, weight } = scanner;
    const length = scanner.end - start;
    if (length === 4 && header.startsWith("gzip", start)) gzip = Math.max(gzip, weight);
    else if (length === 6 && header.startsWith("x-gzip", start)) gzip = Math.max(gzip, weight);
    else if (length === 8 && header.startsWith("identity", start)) {
      identity = Math.max(identity, weight);
    } else if (length === 1 && header.charCodeAt(start) === STAR) any = Math.max(any, weight);
  }
  const weight = gzip < 0 ? any : gzip;
  return weight > 0 && weight >= identity;
}
