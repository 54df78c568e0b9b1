import { assertEquals } from "@std/assert";
import { encodeBase64 as encodeByStandard } from "@std/encoding/base64";
import fc from "fast-check";
import { decodeBase64, decodeLooseBase64, encodeBase64 } from "./bytes.ts";

/** Runs a test with the methods of the engine, with the global `Buffer`, and without both as on Deno 2.1 to 2.3. */
function testAll(name: string, check: () => void): void {
  const methods = [[Uint8Array, "fromBase64"], [Uint8Array.prototype, "toBase64"]] as const;
  for (const removed of [[], methods, [...methods, [globalThis, "Buffer"]] as const]) {
    Deno.test([name, ...removed.map(([, key]) => key)].join(" without "), () => {
      const before = removed.map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key));
      for (const [owner, key] of removed) Reflect.deleteProperty(owner, key);
      try {
        check();
      } finally {
        for (const [i, [owner, key]] of removed.entries()) {
          if (before[i]) Object.defineProperty(owner, key, before[i]); // old runtimes do not have it
        }
      }
    });
  }
}

testAll("encodeBase64() agrees with the standard library, also for part of a buffer", () => {
  const large = new Uint8Array(1_000_001).map((_, index) => index * 31);
  const arbitrary = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(9));
  fc.assert(
    fc.property(arbitrary, ([bytes, start]) => {
      const part = bytes.subarray(start);
      assertEquals(encodeBase64(part), encodeByStandard(part.slice()));
    }),
    { examples: [[[large, 0]], [[large, 7]]] },
  );
});

testAll("both decoders decode the text that an encoder writes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
    const text = encodeByStandard(bytes);
    assertEquals(decodeBase64(text), bytes.slice());
    assertEquals(decodeLooseBase64(text), bytes.slice());
    assertEquals(decodeLooseBase64(text.replaceAll("=", "")), bytes.slice());
  }));
});

testAll("decodeBase64() refuses every text that no encoder writes", () => {
  const texts = ["A", "AA", "AAA", "=", "====", "A===", "AA=A", "AA==AAAA", "AAAA=", "QR==", "QUJ="]
    .concat("AAA\n", " AAA", "AA A", "AAAA\r\n\t ", "-_-_", "AAAé", "A\uD800AA", "%3D%");
  for (const text of texts) assertEquals(decodeBase64(text), undefined, text);
});

testAll("decodeBase64() decodes a text only if the bytes encode to the same text", () => {
  const characters = fc.constantFrom(..."ABQgwR0/+=9 -_\n");
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 12 }), (text) => {
      const decoded = decodeBase64(text);
      if (decoded) assertEquals(encodeByStandard(decoded), text);
    }),
    { numRuns: 2_000 },
  );
});

testAll("decodeLooseBase64() ignores spare bits and refuses wrong padding and characters", () => {
  assertEquals(decodeLooseBase64("QR"), new Uint8Array([0x41]));
  const texts = ["A", "AAAAA", "A=", "AA=", "AAAA=", "A===", "=", "AA==AA==", "A A=", "-_-_"];
  for (const text of texts) {
    assertEquals(decodeLooseBase64(text), undefined, text);
  }
});

Deno.test("decodeBase64() decodes six megabytes", () => {
  assertEquals(decodeBase64("A".repeat(6e6))?.length, 4.5e6);
  assertEquals(decodeBase64("A".repeat(6e6 - 1) + "!"), undefined);
});
