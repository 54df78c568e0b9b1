import { assertEquals } from "@std/assert";
import { makeApp } from "../testdata/bundle.ts";
import { readManifest } from "../manifest/manifest.ts";
import { contentsOf } from "./contents.ts";
import { bundleFunctions } from "./functions.ts";

Deno.test("contentsOf() counts every byte of the code by source and npm package", async () => {
  await using app = await makeApp({
    "deno.json": `{ "imports": { "js-tokens": "npm:js-tokens@10.0.0" } }`,
    "one.ts": `import tokens from "js-tokens"; import { text } from "./lib/text.ts";
      export const handler = () => [...tokens(text)].length;`,
    "lib/text.ts": `export const text = "${"x".repeat(40_000)}";`,
  }, { one: { module: "one.ts" } });
  for (const isMinified of [false, true]) {
    const manifest = await readManifest(app.manifest);
    const { functions } = await bundleFunctions(app.manifest, manifest, { isMinified });
    const cache = { path: "mate/cache-arm64/v8_code_cache_v2", data: new Uint8Array(70) };
    const contents = contentsOf([...functions.get("one")!, cache, {
      ...cache,
      path: `${cache.path}-wal`,
    }]);
    const sizeOf = (name: string) => contents.files.find((file) => file.name === name)?.size;
    assertEquals(sizeOf("mate/cache-arm64"), 140);
    const total = contents.sources.reduce((sum, { size }) => sum + size, 0);
    // The last line counts as if it had a line break.
    assertEquals(
      Math.abs(total - sizeOf("index.js")!) <= 1,
      true,
      `${total} ${sizeOf("index.js")}`,
    );
    const names = contents.sources.map(({ name }) => name).filter((name) => name !== "(bundler)");
    assertEquals(
      names,
      ["lib/text.ts", "npm:js-tokens@10.0.0", "one.ts"],
      `minified: ${isMinified}`,
    );
    const [text] = contents.sources;
    assertEquals(text!.size >= 40_000 && text!.size < 40_300, true, `${text!.size}`);
  }
});

Deno.test("contentsOf() lists the files of a layer, the largest first", () => {
  const file = (path: string, size: number) => ({ path, data: new Uint8Array(size) });
  assertEquals(contentsOf([file("bootstrap", 2), file("bin/deno", 9)]), {
    files: [{ name: "bin/deno", size: 9 }, { name: "bootstrap", size: 2 }],
    sources: [],
  });
});
