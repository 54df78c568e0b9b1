import { assert, assertEquals, assertThrows } from "@std/assert";
import { bundles, makeApp } from "../testdata/bundle.ts";
import { bundleFunctions } from "../bundle/functions.ts";
import { checkLimits, contentsOf, formatSize } from "./sizes.ts";

const MB = 1024 * 1024;
const layer = { name: "the layer", zipped: 40 * MB, unzipped: 90 * MB };
const contents = { files: [], sources: [] };
const one = {
  ...{ name: 'the function "one"', zipped: 1_000, unzipped: 160 * MB },
  hasLayer: true,
  contents,
};

Deno.test("checkLimits() accepts archives just within the limits", () => {
  checkLimits([{ ...layer, zipped: 50 * MB }], [one]);
  checkLimits([layer], [{ ...one, unzipped: 250 * MB, hasLayer: false }]);
});

Deno.test("checkLimits() names every archive that is too large", () => {
  for (
    const [layers, functions, problem] of [
      [
        [{ ...layer, zipped: 50 * MB + 1 }],
        [one],
        "the layer has 50.0 MB zipped: expected at most 50.0 MB",
      ],
      [
        [layer],
        [{ ...one, zipped: 51 * MB }],
        'the function "one" has 51.0 MB zipped: expected at most 50.0 MB',
      ],
      [
        [layer, { ...layer, unzipped: 91 * MB }],
        [one],
        'the function "one" has 251.0 MB unzipped with its layer: expected at most 250.0 MB',
      ],
      [
        [layer],
        [{
          ...one,
          unzipped: 251 * MB,
          hasLayer: false,
          contents: {
            ...contents,
            files: [{ name: "node_modules/@a/b", size: 240 * MB }, { name: "index.mjs", size: 1 }],
          },
        }],
        'the function "one" has 251.0 MB unzipped: expected at most 250.0 MB (node_modules/@a/b has 240.0 MB)',
      ],
    ] as const
  ) {
    const error = assertThrows(() => checkLimits(layers, functions), RangeError);
    assertEquals(error.message, `Cannot bundle archives that Lambda refuses: ${problem}`);
  }
});

Deno.test("formatSize() counts in powers of 1024", () => {
  assertEquals([0, 1023, 1536, 41.4 * MB].map(formatSize), ["0 B", "1023 B", "1.5 kB", "41.4 MB"]);
});

Deno.test("contentsOf() counts every byte of the code by source and npm package", async () => {
  await using app = await makeApp({
    "deno.json": `{ "imports": { "js-tokens": "npm:js-tokens@10.0.0" } }`,
    "one.ts": `import tokens from "js-tokens"; import { text } from "./lib/text.ts";
      export const handler = () => [...tokens(text)].length;`,
    "lib/text.ts": `export const text = "${"x".repeat(40_000)}";`,
  }, { one: { module: "one.ts" } });
  for (const isMinified of [false, true]) {
    const application = await app.read();
    const { functions } = await bundleFunctions(app.manifest, application, { isMinified });
    const cache = { path: "mate/cache-arm64/v8_code_cache_v2", data: new Uint8Array(70) };
    const contents = contentsOf([...functions.get("one")!, cache, {
      ...cache,
      path: `${cache.path}-wal`,
    }]);
    const sizeOf = (name: string) => contents.files.find((file) => file.name === name)?.size;
    assertEquals(sizeOf("mate/cache-arm64"), 140);
    const total = contents.sources.reduce((sum, { size }) => sum + size, 0);
    // The last line counts as if it had a line break.
    assert(Math.abs(total - sizeOf("index.mjs")!) <= 1, `${total} ${sizeOf("index.mjs")}`);
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

Deno.test("contentsOf() lists each copied package, and the sources of a function that reads secrets", async () => {
  const settings = { module: "one.ts", runtime: "nodejs24.x", secrets: ["KEY"] };
  await using app = await makeApp({ "one.ts": "export const handler = () => 1;" }, {
    one: settings,
  });
  const { functions } = await bundleFunctions(app.manifest, await app.read(), { bundles });
  const packages = ["node_modules/a/a.js", "node_modules/a/node_modules/@b/c/d/e.node"].map((
    path,
  ) => ({
    path,
    data: new Uint8Array(1e6),
  }));
  const { files, sources } = contentsOf([...functions.get("one")!, ...packages]);
  const names = files.map(({ name }) => name);
  assertEquals(names.slice(0, 2), ["node_modules/a", "node_modules/a/node_modules/@b/c"]);
  assertEquals(sources.some(({ name }) => name.endsWith("/one.ts")), true);
});

Deno.test("contentsOf() lists the files of a layer, the largest first", () => {
  const file = (path: string, size: number) => ({ path, data: new Uint8Array(size) });
  assertEquals(contentsOf([file("bootstrap", 2), file("bin/deno", 9)]), {
    files: [{ name: "bin/deno", size: 9 }, { name: "bootstrap", size: 2 }],
    sources: [],
  });
});

Deno.test("contentsOf() takes linear time of the names in a source map", () => {
  const sources = ["x".repeat(500_000), `${"node_modules/@a/".repeat(31_250)}b`];
  const file = (path: string, text: string) => ({ path, data: new TextEncoder().encode(text) });
  const map = JSON.stringify({ version: 3, sources, names: [], mappings: "AAAA;ACAA" });
  const { sources: found } = contentsOf([file("index.mjs", "a\nb"), file("index.mjs.map", map)]);
  assertEquals(found.map(({ size }) => size), [2, 1]);
});
