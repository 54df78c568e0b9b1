import { assert } from "@std/assert";
import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

Deno.test({
  name: "the gateway stays small in a bundle, minified and gzipped",
  sanitizeResources: false, // the process of esbuild
  sanitizeOps: false,
  async fn() {
    try {
      for (
        const [name, limit] of [
          ["proxyHandler", 18_000],
          ["proxyHandler, routes", 19_000],
          ["fetchHandler", 18_000],
          ["buildHttpResponse", 10_500],
        ] as const
      ) {
        const { outputFiles: [file] } = await esbuild.build({
          stdin: {
            contents: `export { ${name} } from "./mod.ts";`,
            resolveDir: new URL(".", import.meta.url).pathname,
          },
          bundle: true,
          minify: true,
          write: false,
          format: "esm",
          target: "es2022",
        });
        const size = gzipSync(file!.contents, { level: 9 }).length;
        assert(size <= limit, `${name}: ${size} bytes, ${limit} at most`);
      }
    } finally {
      await esbuild.stop();
    }
  },
});
