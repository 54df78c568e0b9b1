import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ask } from "./testdata/answers.ts";
import { type Coding, reply } from "./mod.ts";

Deno.test("compression takes the coding that the client prefers, from a length on, for types that shrink", async () => {
  const undo: Partial<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
  };
  const codings: Coding[] = ["br", "gzip"];
  for (
    const [options, accepted, length, type, coding] of [
      [undefined, "gzip, br, zstd", 1000, "text/css", "gzip"],
      [undefined, "br", 1000, "text/css", undefined],
      [undefined, "gzip", 999, "text/css", undefined],
      [{ from: 5 }, "gzip", 5, "text/css", "gzip"],
      [{ from: 5 }, "gzip", 4, "text/css", undefined],
      [{ codings }, "gzip, br, zstd", 1000, "text/css", "br"],
      [{ codings }, "gzip, br;q=0.5", 1000, "text/css", "gzip"],
      [{ codings }, "identity, gzip;q=0.5", 1000, "text/css", undefined],
      [false, "gzip", 1000, "text/css", undefined],
      [undefined, "gzip", 1000, "image/svg+xml", "gzip"],
      ...[
        "image/png",
        "audio/ogg",
        "video/mp4",
        "font/woff2",
        "application/zip",
        "application/gzip",
        "text/event-stream",
      ].map((type) => [undefined, "gzip", 1000, type, undefined] as const),
    ] as const
  ) {
    const text = "x".repeat(length);
    const { result } = await ask(() => reply(200, text, { type }), { compression: options }, {
      headers: { "Accept-Encoding": accepted },
    });
    const name = JSON.stringify([options, accepted, length, type]);
    assertEquals(result.headers["Content-Encoding"], coding, name);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(Buffer.from(coding ? undo[coding]!(bytes) : bytes).toString(), text, name);
    const isVarying = options !== false &&
      !/^(?!image.svg)(image|audio|video|font|app)|event/.test(type);
    assertEquals(result.headers["Vary"], isVarying ? "Accept, Accept-Encoding" : "Accept", name);
  }
});

Deno.test("compression counts bytes, not characters", async () => {
  const route = () => reply(200, "ü".repeat(500), { type: "text/plain" });
  const { result } = await ask(route, {}, { headers: { "Accept-Encoding": "gzip" } });
  assertEquals(result.headers["Content-Encoding"], "gzip");
});
