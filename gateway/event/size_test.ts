import { assert } from "@std/assert";
import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

Deno.test("FnProxyEvent with all formats bundles to less than 6,250 bytes, gzipped", async () => {
  const { outputFiles } = await esbuild.build({
    entryPoints: [new URL("proxy_event.ts", import.meta.url).pathname],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  await esbuild.stop();
  const { length } = gzipSync(outputFiles[0]!.contents, { level: 9 });
  assert(length < 6_250, `${length} bytes`);
});
