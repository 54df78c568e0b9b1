import { assertEquals } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import fc from "fast-check";
import { decodeBase64 } from "./base64.ts";

/** Runs a test with the decoder of the engine, and as on a runtime that has none. */
function testBoth(name: string, test: () => void): void {
  Deno.test(`decodeBase64() ${name}`, test);
  Deno.test(`decodeBase64() ${name}, where the engine cannot decode`, () => {
    const descriptor = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
    Reflect.deleteProperty(Uint8Array, "fromBase64");
    try {
      test();
    } finally {
      if (descriptor) Object.defineProperty(Uint8Array, "fromBase64", descriptor);
    }
  });
}

testBoth("decodes what an encoder writes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
    const decoded = decodeBase64(encodeBase64(bytes));
    assertEquals(decoded && [...decoded], [...bytes]);
  }));
});

testBoth("refuses everything that no encoder writes", () => {
  for (
    const text of [
      "A",
      "AA",
      "AAA",
      "=",
      "====",
      "A===",
      "AA=A",
      "AA==AAAA",
      "AAAA=",
      "AAAA====",
      "AA",
      "QR==",
      "QUJ=",
      "AAA\n",
      " AAA",
      "AAAA\n",
      "AA A",
      "AAAA\r\n\t ",
      "-_-_",
      "AAAé",
      "AAA\u0000",
      "A\uD800AA",
      "%3D%",
    ]
  ) {
    assertEquals(decodeBase64(text), undefined, text);
  }
});

testBoth("decodes a text to the bytes that encode to it, or not at all", () => {
  const characters = fc.constantFrom(..."ABQgwR0/+=9 -_\n");
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 12 }), (text) => {
      const decoded = decodeBase64(text);
      // A copy, since an oracle may want to have the memory, which a `Buffer` shares.
      if (decoded) assertEquals(encodeBase64(Uint8Array.from(decoded)), text);
    }),
    { numRuns: 2_000 },
  );
});

testBoth("bears six megabytes, right and wrong", () => {
  assertEquals(decodeBase64("A".repeat(6e6))?.length, 4.5e6);
  assertEquals(decodeBase64("A".repeat(6e6 - 1) + "!"), undefined);
});
