/** Four decimal numbers up to 255 without leading zeros. To parse a `URL` takes ten times as long. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** An IPv4 address mapped into IPv6, as `URL` writes it. */
const MAPPED = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/;

/**
 * An IP address in its canonical text, so that equal addresses have equal texts.
 *
 * The canonical text of an IPv6 address is defined by RFC 5952. An IPv4 address mapped into IPv6 is written as
 * `::ffff:192.0.2.1`.
 *
 * @example Canonical text
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { IpAddress } from "@mate/core/gateway";
 *
 * const address = new IpAddress("2001:DB8:0:0:0:0:0:1");
 * assertEquals(address.version, 6);
 * assertEquals(`${address}`, "2001:db8::1");
 * assertEquals(JSON.stringify({ address }), '{"address":"2001:db8::1"}');
 * ```
 */
export class IpAddress {
  /** The version of the Internet Protocol. */
  readonly version: 4 | 6;

  /** The canonical text. */
  readonly text: string;

  /**
   * Reads an address.
   *
   * @param text An IPv4 address as four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 section 2.2)
   * without a zone. Nothing may stand around the address.
   * @throws {TypeError} If the text is anything else.
   */
  constructor(text: string) {
    const canonical = canonicalText(text);
    if (canonical === undefined) throw new TypeError(`Invalid IP address ${JSON.stringify(text)}`);
    this.version = canonical.includes(":") ? 6 : 4;
    this.text = canonical;
  }

  /** Returns the canonical text. */
  toString(): string {
    return this.text;
  }

  /** Returns the canonical text. */
  toJSON(): string {
    return this.text;
  }
}

function canonicalText(text: string): string | undefined {
  if (IPV4.test(text)) return text;
  const url = `http://[${text}]`;
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const [, high, low] = MAPPED.exec(hostname)?.map((group) => parseInt(group, 16)) ?? [];
  if (high === undefined || low === undefined) return hostname.slice(1, -1);
  return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
