import { assertEquals } from "@std/assert";
import { build, type ImportKind, type PluginBuild, stop } from "esbuild";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { findEsbuild } from "./find_esbuild.ts";
import type { Graph } from "./graph.ts";
import { BY_ESBUILD, Packages } from "./packages.ts";

const FILES = {
  "package.json": JSON.stringify({
    name: "many",
    sideEffects: ["./polyfill.js"],
    exports: {
      ".": { deno: "./deno.mjs", import: "./index.mjs", require: "./index.cjs" },
      "./sub/*": "./dist/*.js",
      "./both": ["./both.js", "./index.cjs"],
      "./hidden": null,
      "./without": { node: { require: "./index.cjs" }, default: "./index.mjs" },
    },
  }),
  "deno.mjs": "",
  "index.mjs": "",
  "index.cjs": "",
  "both.js": "",
  "polyfill.js": "",
  "twice.js": "",
  "twice.json": "{}",
  "twice.ts": "",
  "twice/index.js": "",
  "exact": "",
  "exact.js": "",
  "dist/a.js": "",
  "folder/index.js": "",
  "named/package.json": `{ "main": "./main", "module": "../dist/a" }`,
  "named/main.js": "",
  "named/index.js": "",
  "lost/package.json": `{ "main": "./lost.js" }`,
  "lost/index.js": "",
  "inner/package.json": `{ "sideEffects": false }`,
  "inner/index.js": "",
  "pattern/package.json": `{ "sideEffects": ["*.css"] }`,
  "pattern/index.js": "",
  "empty/other.js": "",
};

/** Does work in a build of esbuild. */
async function inBuild(work: (build: PluginBuild) => Promise<void>): Promise<void> {
  Deno.env.set("ESBUILD_BINARY_PATH", (await findEsbuild(undefined)).program);
  await build({
    stdin: { contents: "" },
    write: false,
    platform: "node",
    conditions: ["deno"],
    mainFields: ["module", "main"],
    plugins: [{ name: "work", setup: (build) => build.onStart(() => work(build)) }],
  });
  await stop();
}

Deno.test("Packages.find() finds what esbuild finds, or leaves it to esbuild", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(dirname(`${top}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${top}/${path}`, text);
  }
  await Deno.symlink(`${top}/both.js`, `${top}/link.js`);
  const id = "many@1.0.0";
  const npmPackages = {
    [id]: { name: "many", version: "1.0.0", dependencies: [], localPath: top },
  };
  const graph: Graph = { roots: [], modules: [], redirects: {}, npmPackages };
  const cases: [path: string, isLeft: boolean, kind?: ImportKind][] = [
    ["many", false],
    ["many", false, "require-call"],
    ["many", false, "dynamic-import"],
    ["many/sub/a", false],
    ["many/sub/b", true],
    ["many/both", true],
    ["many/hidden", true],
    ["many/missing", true],
    ["many/without", true],
    ["./polyfill", false],
    ["./both.js", false],
    ["./twice", false],
    ["./twice/", true],
    ["./exact", false],
    ["./folder", false],
    ["./named", false],
    ["./lost", false],
    ["./inner", false],
    ["./pattern", true],
    ["./empty", true],
    ["./missing", true],
    ["./link.js", true],
    ["./folder/../dist/a", false],
    ["..", true],
    [`${top}/both.js`, true],
    ["#inner", true],
  ];
  await inBuild(async (build) => {
    const packages = new Packages(build, graph);
    for (const [path, isLeft, kind = "import-statement"] of cases) {
      const found = packages.find(path, { id, file: join(top, "deno.mjs") }, kind);
      assertEquals(found === undefined, isLeft, path);
      if (found === undefined) continue;
      const options = { resolveDir: top, kind, pluginData: BY_ESBUILD };
      const other = await build.resolve(path, options);
      assertEquals(other.errors, [], path);
      assertEquals([found.module.file, found.sideEffects], [other.path, other.sideEffects]);
    }
  });
  await Deno.remove(top, { recursive: true });
});

Deno.test("a package imports the version that it depends on, an alias, itself, and what it does not name", async () => {
  const folder = temporaryFolder();
  const npmPackages = Object.fromEntries(
    ([
      ["b@1.0.0", []],
      ["c@1.0.0", []],
      ["c@2.0.0", []],
      ["a@1.0.0", ["c@1.0.0", "c@2.0.0"], { c: "^2.0.0", old: "npm:c@^1.0.0" }],
      ["d@1.0.0", ["c@2.0.0"], { c: "^2.0.0" }],
    ] as const).map(([id, dependencies, ranges = {}]) => {
      const [name = "", version = ""] = id.split("@");
      const localPath = `${folder}/${name}/${version}`;
      Deno.mkdirSync(localPath, { recursive: true });
      Deno.writeTextFileSync(`${localPath}/index.js`, "");
      const manifest = { name, version, dependencies: ranges };
      Deno.writeTextFileSync(`${localPath}/package.json`, JSON.stringify(manifest));
      return [id, { name, version, dependencies, localPath }];
    }),
  );
  await inBuild(async (build) => {
    const packages = new Packages(build, { roots: [], modules: [], redirects: {}, npmPackages });
    for (
      const [importer, path, id] of [
        ["a", "./index.js", "a@1.0.0"],
        ["a", "a", "a@1.0.0"],
        ["a", "old", "c@1.0.0"],
        ["a", "b", "b@1.0.0"],
        ["a", "other", undefined],
        ["d", "c", "c@2.0.0"],
      ] as const
    ) {
      const file = `${folder}/${importer}/1.0.0/index.js`;
      const module = { id: `${importer}@1.0.0`, file };
      assertEquals(packages.find(path, module, "import-statement")?.module.id, id, path);
      const resolved = await packages.resolve(path, module, "import-statement");
      assertEquals(resolved?.id, id, path);
    }
  });
});

Deno.test("a package that is not in Deno's cache cannot be resolved", async () => {
  const missing = { name: "gone", version: "1.0.0", dependencies: [] };
  const npmPackages = {
    "gone@1.0.0": { ...missing, localPath: `${temporaryFolder()}/gone/1.0.0` },
  };
  await inBuild(async (build) => {
    const packages = new Packages(build, { roots: [], modules: [], redirects: {}, npmPackages });
    for (const subpath of ["", "/sub.js"]) {
      assertEquals(packages.findEntry("gone@1.0.0", subpath, "import-statement"), undefined);
      const { errors } = await packages.enter("gone@1.0.0", subpath, "import-statement");
      assertEquals(errors.map(({ text }) => text), [`Could not resolve "gone${subpath}"`]);
    }
  });
});
