import { assertEquals } from "@std/assert";
import fc from "fast-check";
import * as zlib from "node:zlib";
import { type Coding, compress, compressSoon } from "./compress.ts";

const UNDO: Partial<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  // Node.js before 22.15 does not have it.
  ..."zstdDecompressSync" in zlib && { zstd: zlib.zstdDecompressSync },
};

Deno.test("compress() and compressSoon() are undone by the decoder of each coding", async () => {
  for (const [coding, undo] of Object.entries(UNDO)) {
    for (const length of [0, 1, 1000, 1_000_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => index * index % 251);
      const name = `${coding} of ${length} bytes`;
      for (
        const compressed of [
          compress(bytes, coding as Coding),
          await compressSoon(bytes, coding as Coding),
        ]
      ) {
        assertEquals(new Uint8Array(undo(compressed)), bytes, name);
      }
    }
  }
});

Deno.test("compress() is undone by gunzip whatever the bytes", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(zlib.gunzipSync(compress(bytes, "gzip")).equals(bytes), true);
  }));
});
