import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { isIP } from "node:net";
import { IpAddress } from "./ip_address.ts";

for (
  const [text, version, canonical] of [
    ["0.0.0.0", 4, "0.0.0.0"],
    ["192.0.2.1", 4, "192.0.2.1"],
    ["255.255.255.255", 4, "255.255.255.255"],
    ["::", 6, "::"],
    ["::1", 6, "::1"],
    ["1::", 6, "1::"],
    ["0:0:0:0:0:0:0:0", 6, "::"],
    ["2001:db8::1", 6, "2001:db8::1"],
    ["2001:0DB8:0000:0000:0000:0000:0000:0001", 6, "2001:db8::1"],
    ["2001:db8:0:1:1:1:1:1", 6, "2001:db8:0:1:1:1:1:1"],
    ["2001:db8::1:1:1:1:1", 6, "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", 6, "2001:0:0:1::1"],
    ["2001:db8:0:0:1:0:0:1", 6, "2001:db8::1:0:0:1"],
    ["1:2:3:4:5:6:7::", 6, "1:2:3:4:5:6:7:0"],
    ["1:2:3:4:5:6::", 6, "1:2:3:4:5:6::"],
    ["::2:3:4:5:6:7:8", 6, "0:2:3:4:5:6:7:8"],
    ["::ffff:192.0.2.1", 6, "::ffff:192.0.2.1"],
    ["::FFFF:c000:201", 6, "::ffff:192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", 6, "::ffff:192.0.2.1"],
    ["0000:0000:0000:0000:0000:ffff:255.255.255.255", 6, "::ffff:255.255.255.255"],
    ["64:ff9b::192.0.2.33", 6, "64:ff9b::c000:221"],
    ["::192.0.2.1", 6, "::c000:201"],
  ] as const
) {
  Deno.test(`IpAddress reads ${text} as ${canonical}`, () => {
    const address = new IpAddress(text);
    assertEquals([address.version, address.text], [version, canonical]);
    assertEquals([String(address), JSON.stringify(address)], [canonical, `"${canonical}"`]);
  });
}

const NOT_ADDRESSES = [
  "",
  " ",
  "5",
  "1.2.3",
  "1.2.3.",
  ".1.2.3.4",
  "1.2.3.4.",
  "1.2.3.4.5",
  "1..2.3",
  "0x7f.1",
  "0x7f.0.0.1",
  "256.0.0.1",
  "1.2.3.999",
  "01.2.3.4",
  "1.2.3.00",
  "192.168.000.1",
  "10.0.0.1:80",
  "192.168.0.1/32",
  " 10.0.0.1",
  "10.0.0.1\n",
  "١.١.١.١",
  "+1.2.3.4",
  "-1.2.3.4",
  "1e1.2.3.4",
  "test-invoke-source-ip",
  "s3.amazonaws.com",
  ":",
  ":::",
  "1:",
  ":1",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7:8::",
  "::1:2:3:4:5:6:7:8",
  "1::2:3:4:5:6:7:8",
  "12345::",
  "g::",
  "::1 ",
  "fe80::1%eth0",
  "[::1]",
  "2001:db8::/32",
  "::ffff:192.0.2",
  "::ffff:192.0.2.01",
  "::192.0.2.1:1",
  "192.0.2.1::",
  "1:2:3:4:5:6:7:192.0.2.1",
  `${"0".repeat(50)}::1`,
];

for (const text of NOT_ADDRESSES) {
  Deno.test(`IpAddress refuses ${JSON.stringify(text)}`, () => {
    const error = assertThrows(() => new IpAddress(text), TypeError);
    assertEquals(error.message, `Cannot read the IP address: got ${JSON.stringify(text)}`);
  });
}

for (const value of [null, undefined, 5, [], {}, ["::1"]]) {
  Deno.test(`IpAddress refuses a value that is no string: ${JSON.stringify(value)}`, () => {
    assertThrows(() => new IpAddress(value as never), TypeError, "Cannot read the IP address");
  });
}

Deno.test("IpAddress reads what node:net takes for an address, and nothing else", () => {
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
        if (text.includes("%")) return; // node:net takes a zone, which is no part of an address here
        assertEquals(readVersion(text), isIP(text), text);
      },
    ),
    { numRuns: 5_000 },
  );
});

Deno.test("IpAddress writes IPv6 as the URL standard does, mapped IPv4 addresses aside", () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      fc.pre(groups[5] !== 0xffff || groups.slice(0, 5).some((value) => value !== 0));
      const text = groups.map((value) => value.toString(16)).join(":");
      const canonical = new IpAddress(text).text;
      assertEquals(`[${canonical}]`, new URL(`http://[${text}]`).hostname);
      assertEquals(new IpAddress(canonical).text, canonical);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("IpAddress writes the same text for every spelling of an address", () => {
  fc.assert(fc.property(fc.ipV6(), (text) => {
    const { text: canonical } = new IpAddress(text);
    assertEquals(new IpAddress(text.toUpperCase()).text, canonical);
    assertEquals(new URL(`http://[${canonical}]`).hostname, new URL(`http://[${text}]`).hostname);
  }));
});

function readVersion(text: string): number {
  try {
    return new IpAddress(text).version;
  } catch {
    return 0; // what node:net says of a text that is no address
  }
}
