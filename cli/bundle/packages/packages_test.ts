import { assertEquals } from "@std/assert";
import { build, type ImportKind, type PluginBuild, stop } from "esbuild";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { findEsbuild } from "../bundler/find_esbuild.ts";
import type { NpmPackage } from "./graph.ts";
import { Packages } from "./packages.ts";

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

const PLAIN = JSON.stringify({ name: "plain", sideEffects: ["./polyfill.js"], main: "./both.js" });

function packagesOf(npmPackages: Readonly<Record<string, NpmPackage>>, npmCache: string): Packages {
  return new Packages({ roots: [], modules: [], redirects: {}, npmPackages }, {
    folder: "/",
    npmCache,
  });
}

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
  const top = temporaryFolder();
  const ids = { "many@1.0.0": FILES, "plain@1.0.0": { ...FILES, "package.json": PLAIN } };
  const npmPackages = Object.fromEntries(
    Object.entries(ids).map(([id, files]) => {
      const [name = "", version = ""] = id.split("@");
      const localPath = join(top, name);
      for (const [path, text] of Object.entries(files)) {
        Deno.mkdirSync(dirname(`${localPath}/${path}`), { recursive: true });
        Deno.writeTextFileSync(`${localPath}/${path}`, text);
      }
      Deno.symlinkSync(`${localPath}/both.js`, `${localPath}/link.js`);
      return [id, { name, version, dependencies: [], localPath }];
    }),
  );
  const packages = packagesOf(npmPackages, top);
  const cases: [name: string, subpath: string, isLeft: boolean, kind?: ImportKind][] = [
    ["many", "", false],
    ["many", "", false, "require-call"],
    ["many", "", false, "dynamic-import"],
    ["many", "/sub/a", false],
    ["many", "/sub/b", true],
    ["many", "/both", true],
    ["many", "/hidden", true],
    ["many", "/missing", true],
    ["many", "/without", true],
    ["plain", "", false],
    ["plain", "/polyfill", false],
    ["plain", "/both.js", false],
    ["plain", "/twice", false],
    ["plain", "/exact", false],
    ["plain", "/folder", false],
    ["plain", "/named", false],
    ["plain", "/lost", false],
    ["plain", "/inner", false],
    ["plain", "/pattern", true],
    ["plain", "/empty", true],
    ["plain", "/missing", true],
    ["plain", "/link.js", true],
    ["plain", "/folder/../dist/a", false],
    ["plain", "/../many/both.js", true],
  ];
  await inBuild(async (build) => {
    for (const [name, subpath, isLeft, kind = "import-statement"] of cases) {
      const id = `${name}@1.0.0`;
      const found = packages.find(id, subpath, kind, ["deno"]);
      assertEquals(found === undefined, isLeft, name + subpath);
      if (found === undefined) continue;
      const other = await packages.enter(build, id, subpath, kind);
      assertEquals(other.errors, [], name + subpath);
      assertEquals([found.file, found.sideEffects], [other.path, other.sideEffects]);
    }
  });
});

Deno.test("a package imports the version that it depends on, an alias, itself, and what it does not name", () => {
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
  const packages = packagesOf(npmPackages, folder);
  for (
    const [importer, path, found] of [
      ["a", "a", ["a@1.0.0", ""]],
      ["a", "old", ["c@1.0.0", ""]],
      ["a", "b/lib/x.js", ["b@1.0.0", "/lib/x.js"]],
      ["a", "other", undefined],
      ["a", "./index.js", undefined],
      ["a", "#inner", undefined],
      ["d", "c", ["c@2.0.0", ""]],
      ["gone", "c", undefined],
    ] as const
  ) {
    const file = `${folder}/${importer}/1.0.0/lib/index.js`;
    assertEquals(packages.findImported(path, file), found, path);
  }
});

Deno.test("a package that is not in Deno's cache cannot be resolved", async () => {
  const missing = { name: "gone", version: "1.0.0", dependencies: [] };
  const folder = temporaryFolder();
  const packages = packagesOf({
    "gone@1.0.0": { ...missing, localPath: `${folder}/gone/1.0.0` },
  }, folder);
  await inBuild(async (build) => {
    for (const subpath of ["", "/sub.js"]) {
      assertEquals(packages.find("gone@1.0.0", subpath, "import-statement", []), undefined);
      const { errors } = await packages.enter(build, "gone@1.0.0", subpath, "import-statement");
      assertEquals(errors.map(({ text }) => text), [`Could not resolve "gone${subpath}"`]);
    }
  });
});

Deno.test("Packages.name() names the modules of packages where esbuild writes their paths, and nothing else", () => {
  const folder = temporaryFolder();
  const npmPackages = Object.fromEntries(
    [["a", "1.0.0"], ["@b/c", "2.0.0-rc.1+x"], ["a", "1.0.0_1"]].map(
      ([name = "", version = ""]) => {
        const localPath = `${folder}/npm/host/${name}/${version}`;
        Deno.mkdirSync(localPath, { recursive: true });
        return [`${name}@${version}`, { name, version, dependencies: [], localPath }];
      },
    ),
  );
  const packages = new Packages({ roots: [], modules: [], redirects: {}, npmPackages }, {
    folder: `${folder}/app`,
    npmCache: `${folder}/npm`,
  });
  for (
    const [text, named] of [
      [`["../npm/host/a/1.0.0/x.js"]`, `["npm:a@1.0.0/x.js"]`],
      [`// ../npm/host/@b/c/2.0.0-rc.1+x/lib/x.js`, "// npm:@b/c@2.0.0-rc.1+x/lib/x.js"],
      [`(*! MIT *)\n../npm/host/a/1.0.0_1/x.js:`, "(*! MIT *)\nnpm:a@1.0.0_1/x.js:"],
      [`"../npm/host/a/1.0.00/x.js"`, undefined],
      [`"../npm/host/a/9.0.0/x.js"`, undefined],
      ["'../npm/host/a/1.0.0/x.js'", undefined],
      [`"/../npm/host/a/1.0.0/x.js"`, undefined],
      [`"host/a/1.0.0/x.js"`, undefined],
    ] as const
  ) {
    assertEquals(packages.name(text), named ?? text);
  }
});
