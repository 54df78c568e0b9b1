import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { Bundler } from "../bundler/bundler.ts";
import type { ModuleBundle } from "../packages/types.ts";
import { Bundles } from "./bundles.ts";
import { find, MODULES, pause, run, textOf } from "./testdata/kept_runs.ts";

Deno.test("modules that are bundled together are those that are bundled alone, and a problem stops no other", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const paths = ["one.ts", "broken.ts", "round.ts", "two.ts"].map((name) => `${folder}/${name}`);
  await using bundler = await Bundler.open({ folder });
  for (const isMinified of [false, true]) {
    const together = await bundler.bundleAll(paths, { isMinified }, paths);
    for (const [index, path] of paths.entries()) {
      const [alone] = await bundler.bundleAll([path], { isMinified }, [path]);
      assertEquals(together[index], alone, path);
    }
    assertMatch(textOf(together[1]), /Unexpected end of file\n {4}at broken\.ts:1:25/);
    const valid = paths.toSpliced(1, 1); // in one build of esbuild, because none has a problem
    const bundles = await bundler.bundleAll(valid, { isMinified }, valid);
    assertEquals(bundles, together.toSpliced(1, 1));
    const { files } = (bundles[2] as ModuleBundle).inputs!;
    assertEquals(files.filter((file) => file.includes("old.js")), [], "inputs of the other module");
  }
});

Deno.test("a bundle is kept as long as everything is the same that it was made of", async () => {
  await using app = await makeApp({ ...MODULES, "lib/dep.ts": `export default "mapped";` }, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  const first = (await run(folder, cache, "one.ts")).bundle as ModuleBundle;
  assertMatch(first.code, /old dep/);
  for (
    const [file, text, expected] of [
      ["lib/a.ts", `export const a = "second";`, /second/],
      ["lib/a.ts", `export const a = "third";`, /third/], // of the same size as at first
      ["node_modules/dep/package.json", `{ "name": "dep", "main": "new.js" }`, /new dep/],
      ["node_modules/dep/old.js", `module.exports = "patched";`, /patched/],
      ["deno.json", `{ "imports": { "dep": "./lib/dep.ts" } }`, undefined],
      ["tsconfig.json", `{ "compilerOptions": { "experimentalDecorators": true } }`, undefined],
      ["lib/package.json", `{ "type": "module" }`, undefined],
      ["lib/a.js", "", undefined], // It could be imported instead.
      [".npmrc", "fund=false", undefined],
      ["node_modules/other/package.json", "{}", undefined],
    ] as const
  ) {
    const path = `${folder}/${file}`;
    const former = MODULES[file];
    const isThere = await Deno.stat(dirname(path)).then(() => true, () => false);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
    assertEquals(await find(folder, cache, "one.ts"), undefined, file);
    if (expected) assertMatch(textOf((await run(folder, cache, "one.ts")).bundle), expected);
    if (former !== undefined) await Deno.writeTextFile(path, former);
    else await Deno.remove(isThere ? path : dirname(path), { recursive: true });
    const message = `the content counts, not the time: ${file}`;
    assertEquals(await find(folder, cache, "one.ts"), first, message);
  }
});

Deno.test("a new file with a name that a module computes is in the next bundle, also in another run", async () => {
  await using app = await makeApp({
    "computed.js": "exports.handler = (name) => require('./lib/' + name + '.ts');",
    "lib/a.ts": "export const a = 1;",
    "lib/deep/a.ts": "export const a = 2;",
  }, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  await using bundles = new Bundles({ folder });
  const paths = [`${folder}/computed.js`, `${folder}/lib/a.ts`]; // The first time, they are bundled together.
  const take = async () => (await bundles.take(paths))[0] as ModuleBundle;
  for (const name of ["lib/b.ts", "lib/deep/b.ts"]) {
    await pause();
    const first = await take();
    assert(first === await take(), "nothing has changed");
    await run(folder, cache, "computed.js");
    assertEquals(textOf(await find(folder, cache, "computed.js")), first.code);
    await Deno.writeTextFile(`${folder}/${name}`, `export const b = "new ${name}";`);
    assertMatch((await take()).code, new RegExp(`"new ${name}"`));
    assertEquals(await find(folder, cache, "computed.js"), undefined);
    const { bundle } = await run(folder, cache, "computed.js");
    assertEquals(textOf(bundle), (await take()).code);
  }
});
