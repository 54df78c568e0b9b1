import { assert } from "@std/assert";
import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

Deno.test({
  name: "what a function imports stays small in a bundle, minified and gzipped",
  sanitizeResources: false, // the process of esbuild
  sanitizeOps: false,
  async fn() {
    try {
      for (
        const [name, limit] of [
          ["proxyHandler", 15_800],
          ["proxyHandler, routes", 16_800],
          ["fetchHandler", 16_000],
          ["buildHttpResponse", 9_000],
          ["FnProxyEvent", 6_000],
          ["HttpNotFoundError", 1_000],
          ["logger", 3_584],
        ] as const
      ) {
        const { outputFiles: [file] } = await esbuild.build({
          stdin: {
            contents: `export { ${name} } from "../mod.ts";`,
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
