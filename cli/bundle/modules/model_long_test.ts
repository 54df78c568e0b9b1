import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { Kept } from "../../programs/kept.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { makeZip } from "../../archives/archive.ts";
import { bundleFunctions } from "../functions.ts";
import { Bundles } from "./bundles.ts";

const FILES = {
  "package.json": pkg("a"),
  "one.ts": one(""),
  "lib/store.ts": `export const store: string = "store 0";`,
  "lib/extra.ts": `export const extra = "extra 0";`,
  "lib/spare.ts": `export const spare = "spare";`,
  "lib/a.ts": `export const named = "by #named: a";`,
  "lib/b.ts": `export const named = "by #named: b";`,
  "lib/folder/index.ts": `export const folder = "the folder";`,
  "lib/data.json": `{ "data": 0 }`,
  "lib/page.txt": "page 0",
  "lib/many/a.ts": `export const many = "many a";`,
  "first/value.ts": `import { deep } from "./deep.ts"; export const value = "first " + deep;`,
  "first/deep.ts": `export const deep = "deep 1";`,
  "second/value.ts": `import { deep } from "./deep.ts"; export const value = "first " + deep;`,
  "second/deep.ts": `export const deep = "deep 2";`,
  "node_modules/dep/package.json": `{ "name": "dep", "version": "1.0.0", "main": "old.js" }`,
  "node_modules/dep/old.js": `module.exports = "dep old";`,
  "node_modules/dep/new.js": `module.exports = require("./part");`,
  "node_modules/dep/part/index.js": `module.exports = "dep new";`,
  "node_modules/.store/dep/package.json": `{ "name": "dep", "version": "2.0.0" }`,
  "node_modules/.store/dep/index.js": `module.exports = "dep of the store";`,
};

function pkg(named: string): string {
  return `{ "imports": { "#named": "./lib/${named}.ts" }, "dependencies": { "dep": "1.0.0" } }`;
}

function one(more: string): string {
  return `import { store } from "./lib/store.js"; import { extra } from "./lib/extra.ts";
    import { named } from "#named"; import { folder } from "./lib/folder"; import dep from "dep";
    import data from "./lib/data.json" with { type: "json" };
    import page from "./lib/page.txt" with { type: "text" };
    import { value } from "./linked/value.ts"; ${more}
    function mark(..._: unknown[]): void {}
    export class Marked { @mark run() {} }
    export const handler = (name: string) =>
      [store, extra, named, folder, dep, data, page, value, import("./lib/many/" + name + ".ts")];`;
}

/** Writes a file. With its old times, it is written in place. */
async function write(path: string, text: string, hasOldTime = false): Promise<void> {
  const before = hasOldTime ? await Deno.stat(path).catch(() => undefined) : undefined;
  await Deno.mkdir(path.replace(/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(path, text);
  if (before) await Deno.utime(path, before.atime!, before.mtime!);
}

/** Writes a file if it does not exist, and removes it if it does. */
async function toggle(path: string, text: string): Promise<void> {
  await Deno.remove(path).catch(() => write(path, text));
}

/** Leads a link to another folder. The link may take the place of a folder. */
async function link(path: string, ...targets: readonly [string, string]): Promise<void> {
  const now = await Deno.readLink(path).catch(() => undefined);
  await Deno.remove(path, { recursive: true });
  await Deno.symlink(targets[now === targets[0] ? 1 : 0], path);
}

let count = 0;
const digit = () => ++count % 10;

/** What a developer and the developer's tools do. Those that come twice have an end: an error and its correction, for example. */
const EDITS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "write a module": (at) => write(`${at}/lib/store.ts`, `export const store = "${digit()}!";`),
  "write a module with its old time": (at) =>
    write(`${at}/lib/extra.ts`, `export const extra = "extra ${digit()}";`, true),
  "a file that resolves first": (at) =>
    toggle(`${at}/lib/store.js`, `export const store = "JavaScript";`),
  "the same again": (at) => toggle(`${at}/lib/store.js`, `export const store = "JavaScript";`),
  "a file beside a folder": (at) => toggle(`${at}/lib/folder.ts`, `export const folder = "file";`),
  "a package.json in a folder": (at) => toggle(`${at}/lib/package.json`, `{ "type": "commonjs" }`),
  "remove a module": (at) => Deno.remove(`${at}/lib/extra.ts`).catch(() => {}),
  "write it again": (at) => write(`${at}/lib/extra.ts`, `export const extra = "again";`),
  "rename a module": async (at) => {
    await Deno.rename(`${at}/lib/b.ts`, `${at}/lib/c.ts`);
    await Deno.rename(`${at}/lib/a.ts`, `${at}/lib/b.ts`);
    await Deno.rename(`${at}/lib/c.ts`, `${at}/lib/a.ts`);
  },
  "a syntax error": (at) => write(`${at}/lib/spare.ts`, "export const spare = ("),
  "its end": (at) => write(`${at}/lib/spare.ts`, `export const spare = "spare ${digit()}";`),
  "another import": (at) =>
    write(`${at}/one.ts`, one(`import { spare } from "./lib/spare.ts"; console.log(spare);`)),
  "deno.json": (at) =>
    toggle(`${at}/deno.json`, `{ "imports": { "dep": "./lib/dep.ts", "#named": "./lib/b.ts" } }`),
  "the same deno.json again": (at) => Deno.remove(`${at}/deno.json`).catch(() => {}),
  "package.json": (at) => write(`${at}/package.json`, pkg(digit() % 2 ? "a" : "b")),
  "package.json with its old time": (at) =>
    write(`${at}/package.json`, pkg(digit() % 2 ? "a" : "b"), true),
  "tsconfig.json": (at) =>
    toggle(`${at}/tsconfig.json`, `{ "compilerOptions": { "experimentalDecorators": true } }`),
  "a package": (at) =>
    write(`${at}/node_modules/dep/package.json`, `{ "name": "dep", "main": "new.js" }`),
  "a module of a package": (at) =>
    write(`${at}/node_modules/dep/part/index.js`, `module.exports = "dep ${digit()}!!";`, true),
  "a file in a package that resolves first": (at) =>
    toggle(`${at}/node_modules/dep/part.js`, `module.exports = "dep part";`),
  "a link": (at) => link(`${at}/linked`, "first", "second"),
  "a link in place of a package": (at) => link(`${at}/node_modules/dep`, ".store/dep", "./other"),
  "JSON": (at) => write(`${at}/lib/data.json`, `{ "data": ${digit()} }`, true),
  "a text": (at) => write(`${at}/lib/page.txt`, `page ${digit()}`),
  "a file with a computed name": (at) =>
    toggle(`${at}/lib/many/b.ts`, `export const many = "many b";`),
};

/** The number of sequences, and of the edits of each. `deno task model` makes more. */
const [RUNS = 1, LENGTH = 9] = (Deno.env.get("MODEL") ?? "").split(",").filter(Boolean).map(
  Number,
);

Deno.test("after any edits, a new bundle, the kept one and the zip are those of an empty cache", {
  timeout: 1_800_000, // The task "model" makes many edits.
}, async () => {
  const edits = fc.shuffledSubarray(Object.keys(EDITS), { minLength: LENGTH, maxLength: LENGTH });
  const pauses = fc.array(fc.constantFrom(0, 40), { minLength: LENGTH, maxLength: LENGTH });
  const runtimes = fc.constantFrom("deno", "nodejs24.x");
  const property = fc.asyncProperty(edits, pauses, runtimes, async (edits, pauses, runtime) => {
    const functions = { one: { module: "one.ts", runtime } };
    await using app = await makeApp(FILES, functions);
    const folder = await Deno.realPath(app.folder);
    await Deno.symlink("second", `${folder}/linked`);
    await Deno.mkdir(`${folder}/node_modules/other`);
    const application = await app.read();
    const cache = temporaryFolder();
    const open = (kept?: Kept) => new Bundles({ folder, kept, quiet: 20 });
    const answer = async (bundles: Bundles) => {
      const { functions, problems } = await bundleFunctions(app.manifest, application, { bundles });
      const files = functions.get("one");
      return { problem: problems.get("one"), zip: files && (await makeZip(files)).toHex(), files };
    };
    const kept = () => new Kept(() => {}, cache);
    await using dev = open(kept());
    await answer(dev);
    const done: string[] = [];
    for (const [index, edit] of edits.entries()) {
      done.push(edit);
      await EDITS[edit]!(folder);
      await new Promise((resolve) => setTimeout(resolve, pauses[index]));
      const answers = [await answer(dev)];
      await new Promise((resolve) => setTimeout(resolve, 2 * pauses[index]!)); // Often, the bundle is kept meanwhile.
      for (const cache of [kept(), undefined]) {
        await using bundles = open(cache);
        answers.push(await answer(bundles));
      }
      const [ofDev, ofKept, ofEmpty] = answers.map(({ problem, zip, files }) => ({
        problem,
        zip,
        code: files && new TextDecoder().decode(files[0]!.data),
      }));
      assertEquals(ofDev, ofEmpty, `mate dev after ${done.join(", ")}`);
      assertEquals(ofKept, ofEmpty, `what is kept after ${done.join(", ")}`);
    }
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});
