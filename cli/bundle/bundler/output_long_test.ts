import { assert } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { Bundler } from "./bundler.ts";

const SIZE = 5_000_000;

/** Texts of that size, by the names of modules that have them. */
const TEXTS: Readonly<Record<string, string>> = {
  hex: `export const hex = "${"0123456789abcdef".repeat(SIZE / 16)}";`,
  word: `export const ${"a".repeat(SIZE)} = 1;`,
  comments: `/*! ${"* ".repeat(SIZE / 2)} */ export const comments = 1;`,
  line: `export const line = [${"typeof Deno, typeof x, ".repeat(SIZE / 23)}];`,
  minified: `export const minified=[${"e=>e||!e||e.__esModule?e:1,".repeat(SIZE / 27)}]`,
};

Deno.test("a bundle takes linear time of 5 MB of hex, of one word, of comments, of one line, and of minified code", async () => {
  const files = Object.entries(TEXTS).map(([name, text]) => [`${name}.js`, text]);
  await using app = await makeApp({ "package.json": "{}", ...Object.fromEntries(files) }, {});
  // Quadratic time would be hours. The signal also ends a process that does not answer.
  await using bundler = await Bundler.open({
    folder: app.folder,
    signal: AbortSignal.timeout(300_000),
  });
  const entries = Object.keys(TEXTS).map((name) => `${app.folder}/${name}.js`);
  const style = { target: "nodejs24.x", isMinified: true } as const;
  for (const [index, bundle] of (await bundler.bundleAll(entries, style)).entries()) {
    assert(!(bundle instanceof Error), String(bundle));
    assert(bundle.code.length > SIZE / 3 || entries[index]!.endsWith("/word.js"), entries[index]);
  }
});
