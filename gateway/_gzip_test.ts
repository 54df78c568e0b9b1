import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { gzip, loadZlib } from "./_gzip.ts";

Deno.test("gzip() is undone by gunzip, for bytes and for text", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(gunzipSync(gzip(bytes)).equals(bytes), true);
  }));
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    assertEquals(gunzipSync(gzip(text)).toString(), text);
  }));
});

Deno.test("gzip() replaces half a surrogate pair, as every encoder of UTF-8 does", () => {
  assertEquals(gunzipSync(gzip("a\ud800")).equals(Buffer.from("a\ufffd")), true);
});

Deno.test("loadZlib() names what a runtime is missing", () => {
  for (const process of [undefined, {}]) {
    assertThrows(() => loadZlib(process), Error, "process.getBuiltinModule() is missing");
  }
});
