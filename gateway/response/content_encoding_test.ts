import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { CODECS, type Coding } from "./zlib_codecs.ts";
import { chooseCoding, encode, encodeSoon } from "./content_encoding.ts";
import { encodeStream } from "./stream_response.ts";

const UNDO: Partial<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  // Node.js before 22.15 does not have it.
  ..."zstdDecompressSync" in zlib && { zstd: zlib.zstdDecompressSync },
};

Deno.test("encode() and encodeSoon() are undone by the decoder of each coding", async () => {
  for (const [coding, undo] of Object.entries(UNDO)) {
    for (const length of [0, 1, 1000, 1_000_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => index * index % 251);
      const name = `${coding} of ${length} bytes`;
      for (
        const compressed of [
          encode(bytes, CODECS[coding as Coding]),
          await encodeSoon(bytes, CODECS[coding as Coding]),
        ]
      ) {
        assertEquals(new Uint8Array(undo(compressed)), bytes, name);
      }
    }
  }
});

Deno.test("encode() is undone by gunzip whatever the bytes", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(zlib.gunzipSync(encode(bytes, CODECS.gzip)).equals(bytes), true);
  }));
});

const DECODERS: Partial<Record<Coding, () => Transform>> = {
  gzip: zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  ..."createZstdDecompress" in zlib && { zstd: zlib.createZstdDecompress as () => Transform },
};

Deno.test("encodeStream() gives out each chunk at once, also before a failure", async () => {
  for (const [coding, makeDecoder] of Object.entries(DECODERS)) {
    let sent = "";
    let received = "";
    const decoder = makeDecoder().on("data", (text) => received += text);
    const arrival = async () => {
      for (let tries = 0; received !== sent; tries++) {
        assert(tries < 1000, `${coding}: ${received.length} of ${sent.length} bytes arrived`);
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    const chunks = async function* () {
      const long = Array.from({ length: 20_000 }, Math.random).join();
      for (const part of ["a", long, "", "c"]) {
        await arrival();
        sent += part;
        yield new TextEncoder().encode(part);
      }
      throw new RangeError("no disk");
    };
    await assertRejects(async () => {
      for await (const chunk of encodeStream(chunks(), CODECS[coding as Coding])) {
        decoder.write(chunk);
      }
    }, RangeError);
    await arrival();
    decoder.destroy();
  }
});

Deno.test("chooseCoding() chooses a coding for a short content only if the client refuses identity", () => {
  for (
    const [header, expected] of [
      ["", undefined],
      ["gzip", undefined],
      ["gzip, br;q=0.5", undefined],
      ["identity;q=0, gzip", "gzip"],
      ["gzip;q=0.2, Identity ; q=0.0", "gzip"],
      ["*;q=0, gzip", "gzip"],
      ["*;q=0, identity;q=0.1, gzip", undefined],
      ["identity;q=0", undefined],
      ["identity;q=0, gzip;q=0", undefined],
      ["identity;q=0, *", "gzip"],
      ["*;q=0", undefined],
      ["identity;q=0.001, gzip", undefined],
    ] as const
  ) {
    assertEquals(chooseCoding(header, [{ coding: "gzip" }], true)?.coding, expected, header);
  }
});

Deno.test("chooseCoding() chooses the available coding that the client prefers", () => {
  for (
    const [header, expected] of [
      ["", undefined],
      ["gzip", "gzip"],
      ["GZIP;q=0.1", "gzip"],
      ["X-Gzip;q=0.1", "gzip"],
      ["gzip, x-gzip;q=0", "gzip"],
      ["gzip;q=0, x-gzip", "gzip"],
      ["gzip;q=0", undefined],
      ["gzip;q=0, br;q=0, *", undefined],
      ["deflate", undefined],
      ["*", "br"],
      ["*;q=0", undefined],
      ["*;q=0, gzip", "gzip"],
      ["*;q=0.1, *;q=0.9, identity;q=0.5", "br"],
      ["gzip;q=5", undefined],
      ["br;q=0, *", "gzip"],
      ["gzip, br", "br"],
      ["gzip, br;q=0.9", "gzip"],
      ["gzip;q=0.5, identity", undefined],
      ["gzip;q=0.5, identity;q=0.5", "gzip"],
      ["identity;q=0", undefined],
      ["identity;q=0, gzip;q=0.1", "gzip"],
      ["identity;q=0.2, identity;q=0.9, gzip;q=0.5", undefined],
      ["identity, *;q=0.9", undefined],
      ["identity;q=0.5, *", "br"],
    ] as const
  ) {
    assertEquals(
      chooseCoding(header, [{ coding: "br" }, { coding: "gzip" }])?.coding,
      expected,
      header,
    );
  }
});
