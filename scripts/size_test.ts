import { assert } from "@std/assert";
import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

Deno.test({
  name: "each import stays small in a bundle, minified and gzipped",
  sanitizeResources: false, // the process of esbuild
  sanitizeOps: false,
  async fn() {
    try {
      for (
        const [room, name, limit] of [
          ["gateway", "proxyHandler", 15_760],
          ["gateway", "proxyHandler, cors, etag, problemDetails", 17_080],
          ["gateway", "proxyHandler, routes", 16_900],
          ["gateway", "fetchHandler", 15_860],
          ["gateway", "streamHandler", 15_640],
          ["gateway", "buildHttpResponse", 9_350],
          ["gateway", "FnProxyEvent", 7_000],
          ["gateway", "HttpNotFoundError", 1_000],
          ["logger", "logger", 3_610],
          ["function", "FnEvent", 1_000],
          ["scheduler", "FnBridgePutEvent", 2_000],
          ["storage", "FnNotificationEvent", 2_500],
          ["topic", "FnMessageEvent", 3_000],
          ["queue", "queueHandler", 9_000],
          ["table", "tableHandler", 7_000],
          ["idempotency", "idempotent, tableStore", 6_000],
        ] as const
      ) {
        const { outputFiles: [file] } = await esbuild.build({
          stdin: {
            contents: `export { ${name} } from "../${room}/mod.ts";`,
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
