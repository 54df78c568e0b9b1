import { assertEquals } from "@std/assert";
import { decodeBase64, encodeBase64 as encodeByStandard } from "@std/encoding/base64";
import fc from "fast-check";
import { encodeBase64 } from "./base64.ts";

/** The same bytes as a runtime without `toBase64()` has them. */
function withoutMethod(bytes: Uint8Array): Uint8Array {
  return Object.defineProperty(bytes.slice(), "toBase64", { value: undefined });
}

Deno.test("encodeBase64() does as the standard library does, with the runtime's method and without", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    const expected = encodeByStandard(bytes);
    assertEquals(encodeBase64(bytes), expected);
    assertEquals(encodeBase64(withoutMethod(bytes)), expected);
  }));
});

Deno.test("encodeBase64() takes a megabyte, and part of a buffer", () => {
  const bytes = new Uint8Array(1_000_001).map((_, index) => index * 31);
  for (const part of [bytes, bytes.subarray(7, 1001)]) {
    const bare = Object.defineProperty(part.subarray(), "toBase64", { value: undefined });
    assertEquals(encodeBase64(part), encodeBase64(bare));
    assertEquals(decodeBase64(encodeBase64(part)), part.slice());
  }
});

Deno.test("encodeBase64() works if Buffer is not a global, as on Deno 2.1 to 2.3", () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, "Buffer");
  Reflect.deleteProperty(globalThis, "Buffer");
  try {
    assertEquals(encodeBase64(withoutMethod(new Uint8Array([1, 2, 255]))), "AQL/");
  } finally {
    if (before) Object.defineProperty(globalThis, "Buffer", before);
  }
});
