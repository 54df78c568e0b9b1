import { assertEquals } from "@std/assert";
import { stop } from "esbuild";
import { bundleImport, measureSizes } from "../benchmarks/sizes.ts";

/** The process of esbuild outlives the tests. */
const OPTIONS = { sanitizeResources: false, sanitizeOps: false };

Deno.test({
  name: "each import stays small in a bundle, minified and gzipped",
  ...OPTIONS,
  async fn() {
    const large = (await measureSizes()).filter(({ size, limit }) => size > limit);
    const rows = large.map(({ room, names, size, limit }) =>
      `["${room}", "${names}", ${limit}]: ${size} bytes`
    );
    assertEquals(rows, [], "Make these smaller, or raise their limits in benchmarks/sizes.ts");
  },
});

Deno.test({
  name: "a bundle contains only the middleware and the stream that the function uses",
  ...OPTIONS,
  async fn() {
    const textOf = async (names: string) =>
      new TextDecoder().decode(await bundleImport("gateway", names));
    try {
      const minimal = await textOf("proxyHandler");
      for (
        const [name, sign] of [
          ["cors", "Access-Control-Allow-Origin"],
          ["etag", "if-none-match"],
          ["problemDetails", "problem+json"],
          ["compress", "brotliCompressSync"],
          ["eventData", "no middleware has set it"],
          ["withMiddleware", "Cannot run middleware"],
          ["routes", "Invalid route "],
          ["implement", "described route"],
          ["openApi", "operationId"],
          ["streamHandler", "streamifyResponse"],
        ] as const
      ) {
        const has = [minimal, await textOf(`proxyHandler, ${name}`)].map((text) =>
          text.includes(sign)
        );
        assertEquals(has, [false, true], name);
      }
    } finally {
      await stop();
    }
  },
});
