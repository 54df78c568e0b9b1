import { assertEquals, assertThrows } from "@std/assert";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { gzip, gzipStream, isStreamSooner, loadZlib } from "./gzip.ts";

Deno.test("gzip() is undone by gunzip", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(gunzipSync(gzip(bytes)).equals(bytes), true);
  }));
});

Deno.test("gzipStream() is undone by gunzip, whatever the length", async () => {
  for (const length of [0, 1, 1000, 1_000_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * index % 251);
    assertEquals(gunzipSync(await gzipStream(bytes)).equals(bytes), true, `${length} bytes`);
  }
});

Deno.test("isStreamSooner() is false once node:zlib is loaded", () => {
  gzip(new Uint8Array());
  assertEquals(isStreamSooner(), false);
});

Deno.test("loadZlib() names what a runtime is missing", () => {
  for (const process of [undefined, {}]) {
    assertThrows(() => loadZlib(process), Error, "process.getBuiltinModule() is missing");
  }
});
