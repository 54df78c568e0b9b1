import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { isIP } from "node:net";
import { IpAddress } from "./ip_address.ts";

Deno.test("IpAddress reads IPv4 and IPv6 addresses and writes the canonical text", () => {
  const canonical = "0.0.0.0 192.0.2.1 255.255.255.255 :: ::1 1:: 2001:db8::1 1:2:3:4:5:6::";
  for (
    const [text, expected] of [
      ...canonical.split(" ").map((text) => [text, text] as const),
      ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
      ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
      ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
      ["::FFFF:c000:201", "::ffff:192.0.2.1"],
      ["0:0:0:0:0:ffff:192.0.2.1", "::ffff:192.0.2.1"],
      ["0000:0000:0000:0000:0000:ffff:255.255.255.255", "::ffff:255.255.255.255"],
      ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
      ["::192.0.2.1", "::c000:201"],
    ] as const
  ) {
    const address = new IpAddress(text);
    assertEquals([address.version, address.text], [text.includes(":") ? 6 : 4, expected]);
    assertEquals([String(address), JSON.stringify(address)], [expected, `"${expected}"`]);
  }
});

const NOT_ADDRESSES = [
  ..."5 1.2.3 1.2.3. .1.2.3.4 1.2.3.4. 1.2.3.4.5 1..2.3 0x7f.1 0x7f.0.0.1 256.0.0.1".split(" "),
  ..."1.2.3.999 01.2.3.4 1.2.3.00 192.168.000.1 10.0.0.1:80 192.168.0.1/32 ١.١.١.١".split(" "),
  ..."+1.2.3.4 -1.2.3.4 1e1.2.3.4 test-invoke-source-ip s3.amazonaws.com : ::: 1: :1".split(" "),
  ..."1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8".split(" "),
  ..."1::2:3:4:5:6:7:8 12345:: g:: fe80::1%eth0 [::1] 2001:db8::/32 ::ffff:192.0.2".split(" "),
  ..."::ffff:192.0.2.01 ::192.0.2.1:1 192.0.2.1:: 1:2:3:4:5:6:7:192.0.2.1".split(" "),
  ...["", " ", " 10.0.0.1", "10.0.0.1\n", "::1 ", `${"0".repeat(50)}::1`],
];

Deno.test("IpAddress refuses every other value and quotes it", () => {
  for (const value of [...NOT_ADDRESSES, null, undefined, 5]) {
    const error = assertThrows(() => new IpAddress(value as string), TypeError);
    assertEquals(error.message, `Invalid IP address ${JSON.stringify(value)}`);
  }
});

Deno.test("IpAddress reads exactly the texts that node:net calls an address", () => {
  const mutated = fc.tuple(
    fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(...NOT_ADDRESSES)),
    fc.nat(45),
    fc.nat(3),
    fc.constantFrom("", "0", ":", "::", ".", "f", "1", "00", "256", "%", "g", "/"),
  ).map(([text, at, count, insert]) => text.slice(0, at) + insert + text.slice(at + count));
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6(), mutated, fc.stringMatching(/^[0-9a-f:.]{0,12}$/)),
      (text) => {
        if (text.includes("%")) return; // node:net accepts a zone
        assertEquals(readVersion(text), isIP(text), text);
      },
    ),
    { numRuns: 5_000 },
  );
});

Deno.test("IpAddress writes the text of RFC 5952 for every spelling of an address", () => {
  const group = fc.oneof(fc.constant(0), fc.constant(0xffff), fc.nat(0xffff));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const hex = groups.map((value) => value.toString(16));
      const { text } = new IpAddress(hex.join(":"));
      assertEquals(text, rfc5952(groups));
      assertEquals(new IpAddress(text).text, text);
      const long = hex.map((digits) => digits.padStart(4, "0").toUpperCase()).join(":");
      assertEquals(new IpAddress(long).text, text);
    }),
    { numRuns: 2_000 },
  );
});

/** Sections 4 and 5 of RFC 5952. */
function rfc5952(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(":");
  if (text.startsWith("0:0:0:0:0:ffff:")) {
    return `::ffff:${groups.slice(6).flatMap((group) => [group >> 8, group & 255]).join(".")}`;
  }
  const runs = text.match(/(?<=^|:)0(?::0)+(?=:|$)/g) ?? [];
  const longest = runs.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined) return text;
  return text.replace(new RegExp(`(^|:)${longest}(?=:|$)(:|$)`), "::");
}

function readVersion(text: string): number {
  try {
    return new IpAddress(text).version;
  } catch {
    return 0; // the result of node:net for any other text
  }
}
