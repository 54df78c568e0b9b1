import { assert } from "@std/assert";
import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

Deno.test("a bundle with logger alone takes at most 3.5 KB, minified and gzipped", async () => {
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: 'export { logger } from "./mod.ts";',
      resolveDir: new URL(".", import.meta.url).pathname,
      loader: "ts",
    },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  await esbuild.stop();
  const { length } = gzipSync(outputFiles[0]!.contents, { level: 9 });
  assert(length <= 3_584, `${length} bytes`);
});
