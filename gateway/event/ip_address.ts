/** Four numbers from 0 to 255 without leading zeros (the `IPv4address` of RFC 3986 §3.2.2). */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV6_GROUP = /^[\da-f]{1,4}$/i;

/**
 * An IP address, in its canonical text.
 *
 * Equal addresses have equal texts: of an IPv6 address, the one of RFC 5952, with `::ffff:192.0.2.1` for an
 * IPv4 address mapped into IPv6.
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
   * @param text An IPv4 address as four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 §2.2)
   * without zone; nothing around it.
   * @throws {TypeError} If the text is anything else.
   */
  constructor(text: string) {
    if (IPV4.test(text)) {
      this.version = 4;
      this.text = text;
      return;
    }
    const groups = parseIpv6(text);
    if (!groups) throw new TypeError(`Cannot read the IP address: got ${JSON.stringify(text)}`);
    this.version = 6;
    this.text = formatIpv6(groups);
  }

  /** The canonical text. */
  toString(): string {
    return this.text;
  }

  /** The canonical text. */
  toJSON(): string {
    return this.text;
  }
}

/** The eight groups of an IPv6 address, or `undefined` if the text is none. */
function parseIpv6(text: string): number[] | undefined {
  if (typeof text !== "string" || text.length > 45) return; // the longest: six groups, then an IPv4 address
  const halves = expandIpv4(text)?.split("::");
  if (!halves || halves.length > 2) return;
  const [head, tail] = halves.map((half) => half === "" ? [] : half.split(":"));
  const given = [...head!, ...tail ?? []];
  if (tail ? given.length > 7 : given.length !== 8) return;
  if (!given.every((group) => IPV6_GROUP.test(group))) return;
  const groups = given.map((group) => parseInt(group, 16));
  groups.splice(head!.length, 0, ...new Array<number>(8 - groups.length).fill(0));
  return groups;
}

/** Writes the IPv4 address at the end of an IPv6 address, if there is one, as two groups. */
function expandIpv4(text: string): string | undefined {
  if (!text.includes(".")) return text;
  const start = text.lastIndexOf(":") + 1;
  const last = text.slice(start);
  if (start === 0 || !IPV4.test(last)) return;
  const [a, b, c, d] = last.split(".").map(Number) as [number, number, number, number];
  return `${text.slice(0, start)}${(a << 8 | b).toString(16)}:${(c << 8 | d).toString(16)}`;
}

/** RFC 5952 §4 and §5. */
function formatIpv6(groups: number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high, low] = groups.slice(6) as [number, number];
    return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const { start, length } = findLongestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":"); // §4.2.2: a single group is not shortened
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

/** The longest run of zeros, the first of several (RFC 5952 §4.2.3). */
function findLongestZeros(groups: number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > longest.length) longest = { start, length };
  }
  return longest;
}
