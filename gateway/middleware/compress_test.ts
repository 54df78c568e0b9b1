import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import mimeDb from "mime-db";
import * as zlib from "node:zlib";
import { ask } from "../testdata/events.ts";
import {
  buildHttpResponse,
  type Coding,
  compress,
  FnProxyEvent,
  reply,
  withMiddleware,
} from "../mod.ts";

const UNDO: Partial<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
};

Deno.test("compress() takes the coding that the client prefers, from a number of bytes on, for types that shrink", async () => {
  const codings: Coding[] = ["br", "gzip"];
  const long = "x".repeat(1000);
  const shrunk = "image/png audio/ogg video/mp4 font/woff2 application/zip application/gzip";
  for (
    const [options, accepted, text, type, coding] of [
      [undefined, "gzip, br, zstd", long, "text/css", "gzip"],
      [undefined, "br", long, "text/css", undefined],
      [undefined, "gzip", "x".repeat(999), "text/css", undefined],
      [undefined, "gzip", "ü".repeat(500), "text/css", "gzip"],
      [undefined, "gzip", "x".repeat(998) + "\x80", "text/css", "gzip"],
      [undefined, "gzip", "漢".repeat(400), "text/css", "gzip"], // 1,200 bytes
      [undefined, "gzip", "漢".repeat(333), "text/css", undefined],
      [{ from: 5 }, "gzip", "12345", "text/css", "gzip"],
      [{ from: 5 }, "gzip", "1234", "text/css", undefined],
      [{ codings }, "gzip, br, zstd", long, "text/css", "br"],
      [{ codings }, "gzip, br;q=0.5", long, "text/css", "gzip"],
      [{ codings }, "identity, gzip;q=0.5", long, "text/css", undefined],
      [{ codings: [] }, "gzip", long, "text/css", undefined],
      [undefined, "gzip", long, "image/svg+xml", "gzip"],
      ...`${shrunk} text/event-stream`.split(" ").map((type) =>
        [undefined, "gzip", long, type, undefined] as const
      ),
    ] as const
  ) {
    const { result } = await ask(() => reply(200, text, { type }), {
      use: options ? [compress(options)] : [],
    }, {
      headers: { "Accept-Encoding": accepted },
    });
    const name = JSON.stringify([options, accepted, text.length, type]);
    assertEquals(result.headers["Content-Encoding"], coding, name);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(Buffer.from(coding ? UNDO[coding]!(bytes) : bytes).toString(), text, name);
    // A short content is the same for all codings.
    const isLong = Buffer.from(text).length >= (options && "from" in options ? options.from : 1000);
    const isVarying = isLong && JSON.stringify(options) !== '{"codings":[]}' &&
      /css|svg/.test(type);
    assertEquals(result.headers["Vary"], isVarying ? "Accept, Accept-Encoding" : "Accept", name);
  }
});

Deno.test("a handler compresses a short content if the client refuses identity (RFC 9110 §12.5.3)", async () => {
  for (
    const [accepted, text, type, options, coding] of [
      ["gzip, identity;q=0", "short", "text/css", {}, "gzip"],
      ["gzip, *;q=0", "short", "text/css", {}, "gzip"],
      ["gzip", "short", "text/css", {}, undefined],
      ["br, identity;q=0", "short", "text/css", {}, undefined],
      ["br, identity;q=0", "short", "text/css", { codings: ["br"] }, "br"],
      ["gzip, identity;q=0", "short", "text/css", { codings: [] }, undefined],
      ["gzip, identity;q=0", "short", "image/png", {}, undefined],
      ["gzip, identity;q=0", "", "text/css", {}, undefined],
    ] as const
  ) {
    const use = [compress(options as { codings?: Coding[] })];
    const headers = { "Accept-Encoding": accepted };
    const { result } = await ask(() => reply(200, text, { type }), { use }, { headers });
    const name = JSON.stringify([accepted, text, type, options]);
    assertEquals(result.headers["Content-Encoding"], coding, name);
    assertEquals(result.headers["Vary"], coding ? "Accept, Accept-Encoding" : "Accept", name);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(Buffer.from(coding ? UNDO[coding]!(bytes) : bytes).toString(), text, name);
  }
});

Deno.test("a response with no-transform is never compressed (RFC 9111 §5.2.2.6)", async () => {
  const event = new FnProxyEvent({ headers: { "Accept-Encoding": "gzip, identity;q=0" } });
  for (
    const control of [
      "no-transform",
      "max-age=60, No-Transform",
      "public,no-transform",
      'a=",", no-transform ,b',
      "no-transform=1",
    ]
  ) {
    const own = { "cache-control": control, ETag: '"1"', "Content-Digest": "sha-256=:x:" };
    const text = "x".repeat(2000);
    const { result } = await ask(() => reply(200, text, { type: "text/css", headers: own }), {}, {
      headers: { "Accept-Encoding": "gzip, identity;q=0" },
    });
    const built = buildHttpResponse(200, text, { event, extraHeaders: own });
    for (const { headers } of [result, built]) {
      assertEquals([headers["Content-Encoding"], headers["ETag"]], [undefined, '"1"'], control);
      assertEquals([headers["Content-Digest"], headers["Vary"]], ["sha-256=:x:", "Accept"]);
    }
  }
  const others = [
    "no-store",
    "x-no-transform",
    "no-transform-x",
    'a="no-transform"',
    'a=",\\",no-transform,"',
  ];
  for (const control of [...others, `a=${'"'.repeat(100_001)}`, `,${" ".repeat(100_000)}x`]) {
    const extraHeaders = { "Cache-Control": control };
    const { headers } = buildHttpResponse(200, 1, { event, extraHeaders });
    assertEquals(headers["Content-Encoding"], "gzip", control);
  }
});

Deno.test("a 304 has no Content-Length of the plain content if the 200 is compressed (RFC 9110 §8.6)", () => {
  const own = { ETag: '"1"', "Content-Length": "2000" };
  for (const [accepted, length] of [["gzip", undefined], ["identity", "2000"]] as const) {
    const event = new FnProxyEvent({ headers: { "Accept-Encoding": accepted } });
    const { headers } = buildHttpResponse(304, undefined, { event, extraHeaders: own });
    assertEquals(headers["Content-Length"], length);
  }
});

Deno.test("a compressed response loses the digests of its plain content", async () => {
  const own = { "content-digest": "sha-256=:x:", "Content-MD5": "x", "Repr-Digest": "sha-256=:x:" };
  const route = () => reply(200, "x".repeat(2000), { type: "text/css", headers: own });
  const digests = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => /digest|md5/i.test(name)).length;
  for (const [accepted, count] of [["gzip", 0], ["br", 3]] as const) {
    const { result } = await ask(route, {}, { headers: { "Accept-Encoding": accepted } });
    assertEquals(digests(result.headers), count, accepted);
    const event = new FnProxyEvent({ headers: { "Accept-Encoding": accepted } });
    assertEquals(digests(buildHttpResponse(200, 1, { event, extraHeaders: own }).headers), count);
  }
});

Deno.test("a handler compresses the types that mime-db says shrink, but no images and nothing built on zip", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const text = "x".repeat(1000);
  const zipped = [
    "application/java-archive",
    "application/vnd.android.package-archive",
    "application/vnd.apple.pkpass",
    "application/vnd.google-earth.kmz",
    "application/vnd.ms-excel.sheet.macroEnabled.12",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ...Object.keys(mimeDb).filter((type) => type.endsWith("+zip")),
  ];
  const shrinking = Object.entries<{ readonly compressible?: boolean }>(mimeDb)
    .filter(([type, { compressible }]) =>
      compressible && !/^(image|audio|video)|event-stream/.test(type)
    )
    .map(([type]) => type);
  assert(zipped.length > 20 && shrinking.length > 100);
  for (const type of [...zipped, ...shrinking]) {
    const { result } = await ask(() => reply(200, text, { type }), {}, { headers });
    const coding = zipped.includes(type) ? undefined : "gzip";
    assertEquals(result.headers["Content-Encoding"], coding, type);
  }
});

Deno.test("a handler leaves a part of a content alone, because its range counts the bytes as they are", async () => {
  const headers = { "Content-Range": "bytes 0-999/5000", ETag: '"a"' };
  const part = () => reply(206, "x".repeat(1000), { type: "text/csv", headers });
  const { result } = await ask(part, {}, { headers: { "Accept-Encoding": "gzip" } });
  assertEquals([result.statusCode, result.body.length], [206, 1000]);
  assertEquals([result.headers["Content-Encoding"], result.headers["ETag"]], [undefined, '"a"']);
});

Deno.test("compress() refuses invalid options, and a coding that the runtime lacks", () => {
  for (
    const [options, problem] of [
      [true, "Invalid options"],
      [{ form: 1 }, 'Unknown option "form": expected one of from, codings'],
      [{ from: "1" }, "Invalid option from"],
      [{ from: -1 }, "Invalid option from"],
      [{ from: NaN }, "Invalid option from"],
      [{ codings: "gzip" }, "Invalid option codings"],
      [{ codings: ["deflate"] }, 'Invalid item "deflate" in codings: expected zstd, br or gzip'],
      [{ codings: ["toString"] }, 'Invalid item "toString" in codings'],
      ..."zstdCompressSync" in zlib
        ? []
        : [[{ codings: ["zstd"] }, "Cannot compress with zstd"] as const],
    ] as const
  ) {
    assertThrows(() => compress(options as never), TypeError, problem, JSON.stringify(options));
  }
});

Deno.test("compress(): the inner one counts", async () => {
  const headers = { "Accept-Encoding": "br, gzip" };
  const inner = withMiddleware([compress({ from: 1, codings: ["br"] })], () => "x");
  const use = [compress({ codings: [] })];
  const { result } = await ask(inner, { use }, { headers });
  assertEquals(result.headers["Content-Encoding"], "br");
  assertEquals((await ask(() => "x".repeat(2000), { use }, { headers })).result.body.length, 2019);
});
