import { assert } from "@std/assert";
import { measureSizes } from "../benchmarks/sizes.ts";

Deno.test({
  name: "each import stays small in a bundle, minified and gzipped",
  sanitizeResources: false, // the process of esbuild
  sanitizeOps: false,
  async fn() {
    for (const { names, size, limit } of await measureSizes()) {
      assert(size <= limit, `${names}: ${size} bytes, ${limit} at most`);
    }
  },
});
