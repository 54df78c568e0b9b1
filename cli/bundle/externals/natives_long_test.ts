import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { NODE_RUNTIMES, startApp } from "../../testdata/sandbox.ts";
import type { Architecture } from "../../programs/pinned_packages.ts";
import { Bundles } from "../modules/bundles.ts";
import { succeed } from "../../../testdata/programs.ts";
import { findNode } from "../../programs/find_node.ts";
import { writeFiles } from "../../archives/archive.ts";
import { bundleApp } from "../app.ts";
import { bundleFunctions } from "../functions.ts";
import type { PlacedPackage } from "./layout.ts";
import { ownPlatform, platformOf } from "../packages/platforms.ts";
import { remedyFor } from "./remedies.ts";
import { binary } from "./testdata/binaries.ts";

const M = "node_modules";
const manifestOf = (name: string, rest: object = {}) =>
  JSON.stringify({ name, version: "1.0.0", ...rest });

/** A package for one system. */
const ofSystem = (name: string, os: string, cpu: string, libc?: string) => ({
  [`${M}/${name}/package.json`]: manifestOf(name, {
    ...{ main: "a.node", os: [os], cpu: [cpu] },
    ...(libc && { libc: [libc] }),
  }),
});

/** A package that depends on a package for each system. */
const FAST: Readonly<Record<string, string>> = {
  [`${M}/fast/package.json`]: manifestOf("fast", {
    dependencies: { plain: "1" },
    optionalDependencies: {
      "fast-linux-x64": "1",
      "fast-linux-x64-musl": "1",
      "fast-linux-arm64": "1",
      "fast-darwin-arm64": "1",
    },
  }),
  [`${M}/fast/index.js`]: 'module.exports = require("fast-" + process.arch);',
  [`${M}/fast/index.d.ts`]: "export {};",
  [`${M}/fast/.env`]: "SECRET=1",
  [`${M}/fast/src/addon.cc`]: "int x;",
  [`${M}/plain/package.json`]: manifestOf("plain"),
  [`${M}/plain/index.js`]: "exports.plain = 1;",
  ...ofSystem("fast-linux-x64", "linux", "x64", "glibc"),
  ...ofSystem("fast-linux-x64-musl", "linux", "x64", "musl"),
  ...ofSystem("fast-linux-arm64", "linux", "arm64", "glibc"),
  ...ofSystem("fast-darwin-arm64", "darwin", "arm64"),
};

const ADDONS = {
  [`${M}/fast-linux-x64/a.node`]: binary("linux-x64"),
  [`${M}/fast-linux-x64-musl/a.node`]: binary("linux-x64"),
  [`${M}/fast-linux-arm64/a.node`]: binary("linux-arm64"),
  [`${M}/fast-darwin-arm64/a.node`]: binary("darwin-arm64"),
};

const ONE = 'import fast from "fast"; export const handler = () => fast;';

/** Makes an application with packages in `node_modules`. */
async function makeNative(
  files: Readonly<Record<string, string>>,
  binaries: Readonly<Record<string, Uint8Array>> = {},
  settings: object = {},
) {
  const app = await makeApp(
    { "package.json": manifestOf("app", { type: "module" }), "one.ts": ONE, ...files },
    { one: { module: "one.ts", runtime: "nodejs24.x", ...settings } },
  );
  for (const [path, data] of Object.entries(binaries)) {
    const file = `${app.folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(file, data);
  }
  return app;
}

/** Bundles for an architecture. Returns the paths in the zip below `node_modules`, the code, the problem and the warnings. */
async function bundle(
  app: Awaited<ReturnType<typeof makeApp>>,
  architecture: Architecture = "x86_64",
  bundles?: Bundles,
) {
  const warnings: string[] = [];
  const { functions, problems } = await bundleFunctions(
    app.manifest,
    await app.read(),
    { platform: platformOf(architecture), warn: (text) => warnings.push(text), bundles },
  );
  const files = functions.get("one") ?? [];
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith(M));
  const code = new TextDecoder().decode(files[0]?.data);
  return { files, paths: paths.sort(), code, problem: problems.get("one"), warnings };
}

Deno.test("a native package is copied with what it needs, for the architecture of the deployment", async () => {
  await using app = await makeNative(FAST, ADDONS);
  const common = ["fast/index.js", "fast/package.json", "plain/index.js", "plain/package.json"];
  for (const [architecture, cpu] of [["x86_64", "x64"], ["arm64", "arm64"]] as const) {
    const { paths, code, problem, files } = await bundle(app, architecture);
    assertEquals(problem, undefined);
    const own = [`fast-linux-${cpu}/a.node`, `fast-linux-${cpu}/package.json`];
    assertEquals(paths, [...own, ...common].map((path) => `${M}/${path}`).sort());
    assertMatch(code, /from ["']fast["']/);
    const addon = files.find(({ path }) => path.endsWith(".node"))!;
    assertEquals(addon.data, binary(`linux-${cpu}`));
  }
});

Deno.test("texts and bytes of a native package are in the bundle, which needs no copy of the package", async () => {
  await using app = await makeNative({
    ...FAST,
    [`${M}/fast/notes.txt`]: "the notes",
    [`${M}/fast/table.bin`]: "the table",
    "one.ts": `
      import notes from "fast/notes.txt" with { type: "text" };
      import table from "fast/table.bin" with { type: "bytes" };
      export const handler = () => notes + new TextDecoder().decode(table);`,
  }, ADDONS);
  const { paths, code, problem } = await bundle(app);
  assertEquals([paths, problem], [[], undefined]);
  assertStringIncludes(code, "the notes");
  assertStringIncludes(code, btoa("the table"));
});

Deno.test("a native package that needs and imports itself is copied once", async () => {
  const manifest = JSON.parse(FAST[`${M}/fast/package.json`]!);
  await using app = await makeNative({
    ...FAST,
    [`${M}/fast/package.json`]: JSON.stringify({
      ...manifest,
      dependencies: { ...manifest.dependencies, fast: "1" },
    }),
    [`${M}/fast/index.js`]: 'module.exports = require("fast/other.js");',
    [`${M}/fast/other.js`]: "module.exports = 1;",
  }, ADDONS);
  const { paths, problem } = await bundle(app);
  assertEquals(problem, undefined);
  const own = paths.filter((path) => path.endsWith("fast/package.json"));
  assertEquals(own, [`${M}/fast/package.json`]);
  assertEquals(paths.includes(`${M}/fast/other.js`), true);
});

Deno.test("remedyFor() names the system only if it is not that of this machine", () => {
  const { os, cpu } = ownPlatform();
  const other = { os, cpu: cpu === "x64" ? "arm64" : "x64" } as const;
  const libc = os === "linux" ? " --libc=glibc" : "";
  const settings = os === "linux" ? " npm_config_libc=glibc" : "";
  const long = `npm_config_platform=${os} npm_config_arch=${other.cpu}${settings}`;
  for (
    const [own, here, elsewhere] of [
      [
        { folder: "/a", platformPackages: "missing" },
        "npm install",
        `npm install --os=${os} --cpu=${other.cpu}${libc}`,
      ],
      [
        { folder: "/a/.pnpm/b", platformPackages: "missing" },
        "pnpm install",
        `pnpm install --os=${os} --cpu=${other.cpu}${libc}`,
      ],
      [
        { folder: "/a/.deno/b", platformPackages: "missing" },
        "deno install",
        `deno install --os=${os} --arch=${other.cpu}`,
      ],
      [
        { folder: "/a" },
        "npm_config_target=24.0.0 npm rebuild fast",
        `${long} npm_config_target=24.0.0 npm rebuild fast`,
      ],
    ] as const
  ) {
    const remedies = [{ os, cpu }, other].map((platform) =>
      remedyFor({ name: "fast", ...own } as unknown as PlacedPackage, platform, "nodejs24.x")
    );
    assertEquals(remedies, [`run "${here}"`, `run "${elsewhere}"`]);
  }
});

Deno.test("a missing add-on is an error with the command that fetches it, for all functions together", async () => {
  const built = { [`${M}/fast/binding.gyp`]: "{}", [`${M}/fast/index.js`]: "" };
  const fast = { ...built, [`${M}/fast/package.json`]: manifestOf("fast") };
  const { [`${M}/fast-linux-arm64/package.json`]: _, ...noArm } = FAST;
  const npm = 'run "npm install';
  const rebuild = 'npm_config_target=24.0.0 npm rebuild fast"';
  for (
    const [files, binaries, ...parts] of [
      [noArm, ADDONS, npm],
      [FAST, { ...ADDONS, [`${M}/fast-linux-arm64/a.node`]: binary("linux-x64") }, "linux-x64"],
      [fast, {}, rebuild],
      [fast, { [`${M}/fast/b/a.node`]: binary("darwin-arm64") }, "for darwin-arm64", rebuild],
      [fast, { [`${M}/fast/a.node`]: binary("linux-x64") }, "linux-x64", rebuild],
      [
        fast,
        {
          [`${M}/fast/a.node`]: binary("linux-arm64", "node_register_module_v115\0"),
          [`${M}/fast/extension.node`]: binary("linux-arm64"),
        },
        "the version 115 of the modules of Node.js, and not 137",
        rebuild,
      ],
    ] as const
  ) {
    await using app = await makeNative(files, binaries);
    const { problem = "" } = await bundle(app, "arm64");
    assertStringIncludes(problem, "no native add-on for linux-arm64: ");
    for (const part of parts) assertStringIncludes(problem, part);
  }
  await using app = await makeNative(fast, {
    [`${M}/fast/prebuilds/linux-arm64/a.node`]: binary("linux-arm64", "napi_register_module_v1"),
    [`${M}/fast/prebuilds/linux-arm64/a.musl.node`]: binary("linux-arm64"),
    [`${M}/fast/prebuilds/darwin/a.node`]: binary("darwin"),
    [`${M}/fast/prebuilds/win32-x64/a.dll`]: binary("win32-x64"),
    [`${M}/fast/prebuilds/node24/a.node`]: binary("linux-arm64", "node_register_module_v137\0"),
  });
  const { paths } = await bundle(app, "arm64");
  const names = [
    "index.js",
    "package.json",
    "prebuilds/linux-arm64/a.node",
    "prebuilds/node24/a.node",
  ];
  assertEquals(paths, names.map((name) => `${M}/fast/${name}`));
});

Deno.test("an application that catches the absence of a native package is bundled without, and warned", async () => {
  const one = `let fast; try { fast = require("fast"); } catch {} exports.handler = () => fast;`;
  const { [`${M}/fast-linux-arm64/package.json`]: _, ...noArm } = FAST;
  await using app = await makeNative({ ...noArm, "one.cjs": one }, ADDONS, { module: "one.cjs" });
  const { paths, warnings } = await bundle(app, "arm64");
  assertEquals(paths.filter((path) => path.includes("fast/")), []);
  assertMatch(warnings.join(), /gets along without .* "fast" has no native add-on for linux-arm64/);
  assertEquals((await bundle(app)).warnings, []);
});

Deno.test("each importer gets its version of a native package", async () => {
  const version = (folder: string, version: string, dependencies = {}) => ({
    [`${folder}/package.json`]: JSON.stringify({ name: "x", version, dependencies }),
    [`${folder}/index.js`]:
      `module.exports = "${folder} " + Object.values(require("./package.json").dependencies).map(() => require("dep"));`,
  });
  await using app = await makeNative({
    "one.ts":
      `import fast from "fast"; import js from "js"; import own from "#own"; import part from "fast/index.js";
      export const handler = () => [fast, js, own, part];`,
    "package.json": manifestOf("app", { type: "module", imports: { "#own": "fast" } }),
    ...version(`${M}/fast`, "1.0.0", { dep: "2" }),
    ...version(`${M}/dep`, "1.0.0"),
    ...version(`${M}/fast/${M}/dep`, "2.0.0"),
    [`${M}/js/package.json`]: manifestOf("js"),
    [`${M}/js/index.js`]: 'module.exports = require("fast");',
    ...version(`${M}/js/${M}/fast`, "3.0.0", { dep: "1" }),
  }, {
    [`${M}/fast/a.node`]: binary("linux-x64"),
    [`${M}/js/${M}/fast/a.node`]: binary("linux-x64"),
  });
  const { code, files, paths, problem } = await bundle(app);
  assertEquals(problem, undefined);
  assertMatch(code, /"fast@3\.0\.0"/);
  assertMatch(code, /"\.\/node_modules\/fast\/index\.js"/);
  const folders = paths.filter((path) => path.endsWith("/package.json"))
    .map((path) => path.slice(M.length + 1, -"/package.json".length));
  assertEquals(folders, ["dep", "fast", `fast@3.0.0/${M}/dep`, "fast@3.0.0"]);
  if (NODE_RUNTIMES.length === 0) return;
  await writeFiles(`${app.folder}/task`, files);
  const { program } = await findNode("nodejs24.x");
  const script =
    `console.log(JSON.stringify((await import("${app.folder}/task/index.mjs")).handler()))`;
  const output = await succeed(program, ["--input-type=module", "-e", script]);
  const [fast, nested] = [`${M}/fast ${M}/fast/${M}/dep `, `${M}/js/${M}/fast ${M}/dep `];
  assertEquals(JSON.parse(output), [fast, nested, fast, fast]);
});

Deno.test("no link takes a file of the developer into a zip, and no name leads out of node_modules", async () => {
  const own = { [`${M}/fast/package.json`]: manifestOf("fast"), [`${M}/fast/index.js`]: "" };
  const needs = (name: string) => ({
    ...own,
    [`${M}/fast/package.json`]: manifestOf("fast", { dependencies: { [name]: "1" } }),
  });
  for (
    const [files, link, problem] of [
      [
        own,
        [`${M}/fast/data.txt`, "../../secret.txt"],
        /"data\.txt" is a link that leads out of the/,
      ],
      [own, [`${M}/fast/data`, "/etc"], /"data" is a link that leads out of the package/],
      [own, [`${M}/fast/data`, "/etc/passwd"], /"data" is a link that leads out of the package/],
      [own, [`${M}/fast/lib/data`, "../../plain/index.js"], /"lib\/data" is a link that leads/],
      [needs("lib"), [`${M}/lib`, "../lib"], /the link ".*\/node_modules\/lib" leads to ".*\/lib"/],
      [needs("../../lib"), undefined, /"\.\.\/\.\.\/lib" is not the name of a package/],
      [needs("@a/../b"), undefined, /"@a\/\.\.\/b" is not the name of a package/],
      [needs("lost"), undefined, /it needs "lost", which is not installed/],
      [{ ...own, [`${M}/fast/package.json`]: "[" }, undefined, /package\.json/],
    ] as const
  ) {
    await using app = await makeNative(
      {
        ...files,
        "secret.txt": "SECRET",
        "lib/package.json": manifestOf("lib"),
        [`${M}/fast/lib/a.js`]: "",
      },
      { [`${M}/fast/a.node`]: binary("linux-x64") },
    );
    if (link) await Deno.symlink(link[1], `${app.folder}/${link[0]}`);
    assertMatch((await bundle(app)).problem ?? "", problem);
  }
  await using app = await makeNative(own, { [`${M}/fast/a.node`]: binary("linux-x64") });
  await Deno.symlink("index.js", `${app.folder}/${M}/fast/main.js`);
  const { paths } = await bundle(app);
  assertEquals(paths.includes(`${M}/fast/main.js`), true, "a link within a package");
});

Deno.test("packages that need each other in several versions are an error", async () => {
  const S = `${M}/.store`;
  const names = ["fast", "b2", "a3", "b3"];
  await using app = await makeNative(
    Object.fromEntries(names.map((name, index) => [
      `${S}/${name}/${M}/${"ab"[index % 2]}/package.json`,
      manifestOf(name, { dependencies: { ["ba"[index % 2]!]: "1" }, binary: { module_name: "x" } }),
    ])),
    { [`${S}/fast/${M}/a/a.node`]: binary("linux-x64") },
  );
  for (const [index, name] of names.entries()) {
    const next = names[(index + 1) % 4]!;
    const letter = "ba"[index % 2]!;
    const target = `../../${next}/${M}/${letter}`;
    await Deno.symlink(target, `${app.folder}/${S}/${name}/${M}/${letter}`);
    await Deno.writeTextFile(`${app.folder}/${S}/${name}/${M}/${"ab"[index % 2]}/index.js`, "");
  }
  await Deno.symlink(`.store/fast/${M}/a`, `${app.folder}/${M}/fast`);
  const { problem } = await bundle(app);
  assertMatch(problem!, /need each other in several versions; install one version of each/);
});

Deno.test("bundleApp() writes a zip for each architecture only if they differ", async () => {
  await using app = await makeNative(
    { ...FAST, "plain.ts": "export const handler = () => 1;" },
    ADDONS,
  );
  const runtime = "nodejs24.x";
  const functions = {
    one: { module: "one.ts", runtime },
    plain: { module: "plain.ts", runtime, secrets: ["KEY"] },
  };
  await Deno.writeTextFile(app.manifest, JSON.stringify({ name: "test", stage: "v0", functions }));
  const out = `${app.folder}/dist`;
  const both = await bundleApp(app.manifest, {
    out,
    architectures: ["x86_64", "arm64"],
    hasCache: false,
    warn() {},
  });
  const names = both.map(({ path }) => path.slice(out.length + 1));
  assertEquals(names, ["one-x86_64.zip", "one-arm64.zip", "plain.zip"]);
  const options = { out, architectures: ["arm64"], hasCache: false, warn() {} } as const;
  const [one] = await bundleApp(app.manifest, options);
  assertEquals(one!.path, `${out}/one.zip`);
  const files = one!.contents.files.map(({ name }) => name);
  assertEquals(files.includes(`${M}/fast-linux-arm64`), true);
});

Deno.test("packages over the limit of AWS Lambda are an error that tells how large each is", async () => {
  await using app = await makeNative(FAST, ADDONS);
  await Deno.truncate(`${app.folder}/${M}/fast-linux-x64/a.node`, 251 * 1024 * 1024);
  const { problem } = await bundle(app);
  const start = "The packages to copy have 251.0 MB, and AWS Lambda takes at most 250.0 MB: ";
  assertStringIncludes(problem!, `${start}${M}/fast-linux-x64 has 251.0 MB, ${M}/fast has `);
});

Deno.test("an add-on that changes counts in the next zip, and one that comes ends the error", async () => {
  await using app = await makeNative(FAST, { ...ADDONS });
  await using bundles = new Bundles({ folder: app.folder });
  const addon = `${app.folder}/${M}/fast-linux-x64/a.node`;
  const take = async () => {
    const { files, problem } = await bundle(app, "x86_64", bundles);
    return { problem, addon: files.find(({ path }) => path.endsWith(".node")) };
  };
  const first = await take();
  assertEquals((await take()).addon === first.addon, true, "the same object");
  const other = binary("linux-x64", "other");
  await Deno.writeFile(addon, other);
  assertEquals((await take()).addon!.data, other);
  await Deno.remove(addon.replace("/a.node", ""), { recursive: true });
  assertStringIncludes((await take()).problem!, 'run "npm install');
  await Deno.mkdir(addon.replace("/a.node", ""));
  const [text] = Object.values(ofSystem("fast-linux-x64", "linux", "x64"));
  await Deno.writeTextFile(addon.replace("a.node", "package.json"), text!);
  await Deno.writeFile(addon, other);
  assertEquals((await take()).addon!.data, other);
});

Deno.test("a native package of a linked project is copied, though nothing above the project may be read", async () => {
  const { [`${M}/fast-darwin-arm64/package.json`]: _, ...installed } = FAST;
  const files = Object.entries({
    ...installed,
    "deno.json": '{ "name": "@other/lib", "exports": "./mod.ts" }',
    "mod.ts": 'export { default as fast } from "fast";',
  }).map(([path, text]) => [`lib/${path}`, text]);
  await using other = await makeApp(Object.fromEntries(files), {});
  const lib = `${other.folder}/lib`;
  await Deno.writeFile(`${lib}/${M}/fast-linux-x64/a.node`, binary("linux-x64"));
  await using app = await makeNative({
    "deno.json": JSON.stringify({ links: [lib], nodeModulesDir: "manual" }),
    "one.ts": `export { fast as handler } from "${lib}/mod.ts";`,
  });
  const { paths, problem } = await bundle(app);
  assertEquals(problem, undefined);
  assertEquals(paths.filter((path) => path.endsWith(".node")), [`${M}/fast-linux-x64/a.node`]);
});

Deno.test("on Deno, a native package is an error that names Node.js as the remedy", async () => {
  await using app = await makeNative(
    { ...FAST, [`${M}/fast/index.js`]: 'module.exports = require("./a.node");' },
    { [`${M}/fast/a.node`]: binary("linux-x64") },
    { runtime: "deno" },
  );
  const { problem } = await bundle(app);
  assertMatch(problem!, /native add-on .*"fast": give the function "runtime": "nodejs24\.x", or/);
});

Deno.test("the bundle of a package has what it exports for add-ons", async () => {
  const js = { exports: { "node-addons": "./native.js", default: "./slow.js" } };
  await using app = await makeNative({
    [`${M}/fast/package.json`]: manifestOf("fast", js),
    [`${M}/fast/native.js`]: 'module.exports = "native";',
    [`${M}/fast/slow.js`]: 'module.exports = "slow";',
  });
  assertMatch((await bundle(app)).code, /"native"/);
});

for (const runtime of NODE_RUNTIMES) {
  Deno.test(`${runtime}: a function uses an add-on of Deno's cache`, async () => {
    const module = `import { hash, verify } from "npm:@node-rs/argon2@2.0.2";
      export const handler = async (word: string) => verify(await hash("secret"), word);`;
    await using app = await startApp(module, { runtime, memory: 256 });
    assertEquals((await app.invoke("secret")).json, true, app.log.join("\n"));
    assertEquals((await app.invoke("other")).json, false);
  });
}
