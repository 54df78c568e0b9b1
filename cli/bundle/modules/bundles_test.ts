import { assert, assertEquals, assertMatch } from "@std/assert";
import { Kept } from "../../programs/kept.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import type { ModuleBundle } from "../packages/messages.ts";
import { Bundles } from "./bundles.ts";

const MODULES = {
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

/** Bundles modules in a new run. The result says which of them were kept. */
async function run(
  folder: string,
  cache: string,
  names: readonly string[],
  isMinified = false,
  tool?: string,
) {
  await pause();
  const warnings: string[] = [];
  const kept = new Kept((message) => warnings.push(message), cache);
  let gets = 0;
  const get = kept.get.bind(kept);
  kept.get = async (kind, key) => {
    const found = await get(kind, key);
    if (kind === "bundle" && found) gets++;
    return found;
  };
  await using bundles = new Bundles({ folder, kept, isMinified, tool });
  const results = await bundles.take(names.map((name) => `${folder}/${name}`));
  return { results, found: gets, warnings };
}

Deno.test("modules that are bundled together are those that are bundled alone, and a problem stops no other", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const names = ["one.ts", "broken.ts", "round.ts", "two.ts"];
  for (const isMinified of [false, true]) {
    const together = await run(folder, temporaryFolder(), names, isMinified);
    for (const [index, name] of names.entries()) {
      const alone = await run(folder, temporaryFolder(), [name], isMinified);
      assertEquals(together.results[index], alone.results[0], name);
    }
    assertMatch(textOf(together.results[1]), /Unexpected end of file\n {4}at broken\.ts:1:25/);
  }
  const { results } = await run(folder, temporaryFolder(), ["one.ts", "two.ts"]);
  const inputs = (results[1] as ModuleBundle).inputs!.files;
  assertEquals(
    inputs.some((file) => file.includes("old.js")),
    false,
    "an input of the other module",
  );
});

Deno.test("a bundle is kept as long as everything is the same that it was made of", async () => {
  const changes: [string, string | undefined, RegExp | undefined][] = [
    ["lib/a.ts", `export const a = "second";`, /second/],
    ["lib/a.ts", `export const a = "thirds";`, /thirds/], // of the same size
    ["node_modules/dep/package.json", `{ "name": "dep", "main": "new.js" }`, /new dep/],
    ["node_modules/dep/new.js", `module.exports = "patched";`, /patched/],
    ["deno.json", `{ "imports": { "dep": "./lib/dep.ts" } }`, undefined],
    ["tsconfig.json", `{ "compilerOptions": { "experimentalDecorators": true } }`, undefined],
    ["lib/package.json", `{ "type": "module" }`, undefined],
    ["lib/a.js", "", undefined], // It could be imported instead.
    [".npmrc", "fund=false", undefined],
    ["node_modules/other/package.json", "{}", undefined],
  ];
  for (const [file, text, expected] of changes) {
    await using app = await makeApp({ ...MODULES, "lib/dep.ts": `export default "mapped";` }, {});
    const folder = await Deno.realPath(app.folder);
    const cache = temporaryFolder();
    if (file === "node_modules/dep/new.js") {
      await Deno.writeTextFile(`${folder}/node_modules/dep/package.json`, `{ "main": "new.js" }`);
    }
    const first = await run(folder, cache, ["one.ts"]);
    assert(!(first.results[0] instanceof Error), textOf(first.results[0]));
    const again = await run(folder, cache, ["one.ts"]);
    assertEquals([first.found, again.found], [0, 1], file);
    assertEquals(again.results, first.results);

    await Deno.mkdir(`${folder}/${file}`.replace(/[^/]*$/, ""), { recursive: true });
    const former = await Deno.readTextFile(`${folder}/${file}`).catch(() => undefined);
    await Deno.writeTextFile(`${folder}/${file}`, text!);
    const changed = await run(folder, cache, ["one.ts"]);
    assertEquals(changed.found, 0, file);
    if (expected) assertMatch(textOf(changed.results[0]), expected);
    if (former === undefined) continue;
    await Deno.writeTextFile(`${folder}/${file}`, former);
    const back = await run(folder, cache, ["one.ts"]);
    assertEquals(
      [back.results, back.found],
      [first.results, 1],
      "the content counts, not the time",
    );
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
  assertEquals((await run(folder, cache, ["two.ts"])).found, 0);
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
    await run(folder, cache, ["computed.js"]);
    assertEquals((await run(folder, cache, ["computed.js"])).found, 1);
    await Deno.writeTextFile(`${folder}/${name}`, `export const b = "new ${name}";`);
    assertMatch((await take()).code, new RegExp(`"new ${name}"`));
    const { found, results } = await run(folder, cache, ["computed.js"]);
    assertEquals([found, textOf(results[0])], [0, (await take()).code]);
  }
});

Deno.test("a minified bundle, and that of another application or version, are other bundles, and a damaged one is made again", async () => {
  await using app = await makeApp(MODULES, {});
  await using other = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  const first = await run(folder, cache, ["two.ts"]);
  assertEquals((await run(folder, cache, ["two.ts"], true)).found, 0);
  assertEquals((await run(folder, cache, ["two.ts"], false, "the next version")).found, 0);
  assertEquals((await run(await Deno.realPath(other.folder), cache, ["two.ts"])).found, 0);
  for await (const { name } of Deno.readDir(`${cache}/kept`)) {
    await Deno.writeTextFile(`${cache}/kept/${name}`, "damaged");
  }
  const again = await run(folder, cache, ["two.ts"]);
  assertEquals([again.results, again.found, again.warnings.length], [first.results, 0, 1]);
  assertEquals((await run(folder, cache, ["two.ts"])).found, 1);
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
