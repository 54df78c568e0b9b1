import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { Kept } from "../../programs/kept.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { Bundler } from "../bundler/bundler.ts";
import type { ModuleBundle } from "../packages/types.ts";
import { Bundles, type BundlesOptions } from "./bundles.ts";

const MODULES: Readonly<Record<string, string>> = {
  "deno.json": `{ "imports": { "@lib/": "./lib/" } }`,
  "one.ts":
    `import { a } from "./lib/a.ts"; import dep from "dep"; export const handler = () => a + dep;`,
  "two.ts": `import { a } from "./lib/a.ts"; export const handler = () => a;`,
  "round.ts": `export { b as handler } from "./lib/b.ts";`,
  "lib/a.ts": `export const a = "first";`,
  "lib/b.ts": `import { c } from "./c.ts"; export const b = () => c;`,
  "lib/c.ts": `import { b } from "./b.ts"; export const c = typeof b;`,
  "broken.ts": `export const handler = (`,
  "node_modules/dep/package.json": `{ "name": "dep", "main": "old.js" }`,
  "node_modules/dep/old.js": `module.exports = "old dep";`,
  "node_modules/dep/new.js": `module.exports = "new dep";`,
  "package.json": `{ "dependencies": { "dep": "*" } }`,
};

/** Lets the clock of the file system pass, because a file that changes while it is bundled is not kept. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

function textOf(bundle: ModuleBundle | Error | undefined): string {
  return bundle instanceof Error ? bundle.message : bundle!.code;
}

/** Bundles a module in a new run. Returns the bundle, and the warnings about what is kept. */
async function run(folder: string, cache: string, name: string) {
  await pause();
  const warnings: string[] = [];
  const kept = new Kept((message) => warnings.push(message), cache);
  await using bundles = new Bundles({ folder, kept });
  const [bundle] = await bundles.take([`${folder}/${name}`]);
  return { bundle, warnings };
}

/** Returns the bundle of a module that an earlier run has kept. Nothing is bundled, because the signal forbids it. */
async function find(
  folder: string,
  cache: string,
  name: string,
  options: Partial<BundlesOptions> = {},
): Promise<ModuleBundle | undefined> {
  await pause();
  const signal = AbortSignal.abort();
  await using bundles = new Bundles({
    folder,
    kept: new Kept(() => {}, cache),
    signal,
    ...options,
  });
  const found = await bundles.take([`${folder}/${name}`]).catch((error) => {
    assert(error instanceof DOMException, String(error));
    return [];
  });
  return found[0] as ModuleBundle | undefined;
}

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

Deno.test("a file that changes while it is bundled is not kept", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  await pause();
  {
    await using bundles = new Bundles({ folder, kept: new Kept(() => {}, cache) });
    let isOver = false;
    const taking = bundles.take([`${folder}/two.ts`]).finally(() => isOver = true);
    for (let round = 0; !isOver; round++) {
      await Deno.writeTextFile(`${folder}/lib/a.ts`, `export const a = ${round % 10};`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await taking;
  }
  assertEquals(await find(folder, cache, "two.ts"), undefined);
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

Deno.test("a minified bundle, and that of another application or version, are other bundles, and a damaged one is made again", async () => {
  await using app = await makeApp(MODULES, {});
  await using other = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  const first = (await run(folder, cache, "two.ts")).bundle as ModuleBundle;
  assertEquals(await find(folder, cache, "two.ts"), first);
  assertEquals(await find(folder, cache, "two.ts", { isMinified: true }), undefined);
  assertEquals(await find(folder, cache, "two.ts", { tool: "the next version" }), undefined);
  assertEquals(await find(await Deno.realPath(other.folder), cache, "two.ts"), undefined);
  for await (const { name } of Deno.readDir(`${cache}/kept`)) {
    await Deno.writeTextFile(`${cache}/kept/${name}`, "damaged");
  }
  const { bundle, warnings } = await run(folder, cache, "two.ts");
  assertEquals([bundle, warnings.length], [first, 1]);
  assertEquals(await find(folder, cache, "two.ts"), first);
});

Deno.test("Bundles.begin() bundles a module, and starts the bundler at once if no module was ever bundled", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const kept = new Kept(() => {}, temporaryFolder());
  const modules = ["two.ts", "one.ts"]
    .map((name) => ({ path: `${folder}/${name}`, target: "deno" as const, packages: [] }));
  for (const isFirst of [true, false]) {
    await pause();
    await using bundles = new Bundles({ folder, kept });
    await bundles.begin(modules, modules[0]);
    const [bundle] = await bundles.take([modules[0]!.path]);
    assertMatch(textOf(bundle), /first/);
    assertEquals(await isBundling(folder), isFirst);
  }
});

Deno.test("a configuration that cannot be read is the problem of each module, and the bundler goes on", async () => {
  await using app = await makeApp({ "deno.json": "{ broken", "one.ts": "export default 1;" }, {});
  const folder = await Deno.realPath(app.folder);
  await using bundles = new Bundles({ folder });
  for (const _ of [1, 2]) {
    const [problem] = await bundles.take([`${folder}/one.ts`]);
    assertMatch(textOf(problem), /^Failed deserializing config file/);
  }
});

/** Whether a process bundles a folder. */
async function isBundling(folder: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "args"] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.includes("bundler/main.ts") && line.includes(folder));
}
