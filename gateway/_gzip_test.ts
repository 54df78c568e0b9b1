import { assertEquals, assertThrows } from "@std/assert";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { gzip, loadZlib } from "./_gzip.ts";

Deno.test("gzip() is undone by gunzip", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(gunzipSync(gzip(bytes)).equals(bytes), true);
  }));
});

Deno.test("loadZlib() names what a runtime is missing", () => {
  for (const process of [undefined, {}]) {
    assertThrows(() => loadZlib(process), Error, "process.getBuiltinModule() is missing");
  }
});
