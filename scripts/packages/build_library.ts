/**
 * Builds the npm package of the library in `npm/core/` with dnt, which comes from JSR.
 *
 * @module
 */
import { build as bundle, stop } from "esbuild";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path/posix";
import config from "../../deno.json" with { type: "json" };
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { isReachable, REGISTRY } from "../std.ts";
import {
  DOCUMENTS,
  ENTRY_POINTS,
  OUTPUT,
  packageMetadata,
  ROOT,
  writePackageJson,
} from "./metadata.ts";

if (!await isReachable(REGISTRY)) {
  console.error(
    `Cannot build the npm package: ${REGISTRY} cannot be reached, and dnt comes from there. Set JSR_URL to a registry that ` +
      "has @deno/dnt. The command `deno run -A scripts/packages/registry.ts $JSR_PACKAGES` starts one and prints its URL, " +
      "if JSR_PACKAGES is a folder of packages, as CONTRIBUTING.md describes it",
  );
  Deno.exit(1);
}

/** The name of an entry point's file in the package, without its ending. */
const NAMES = Object.values(ENTRY_POINTS).map((path) => path.replace(/^\.\/|\.ts$/g, ""));

/** The files that dnt adds to every package, and a part of each. Nothing needs them, because Node.js has `Object.hasOwn()`. */
const ADDED: Readonly<Record<string, string>> = {
  "_dnt.polyfills.js": 'defineProperty(Object, "hasOwn"',
  "_dnt.shims.js": "const dntGlobals = {};\n",
};

/** TypeScript has this type from 5.4 on. The package works from 5.2 on, and dnt has an older compiler, too. */
const NO_INFER = "\ntype NoInfer<T> = [T][T extends unknown ? 0 : never];\n";

await rm(OUTPUT, { recursive: true, force: true });
const folder = temporaryFolder();
const builtins = await copySources(`${folder}/sources`);
await runDnt(builtins);
await removeAdditions(`${folder}/built/esm`);
await bundleModules(`${folder}/built/esm`);
await stop();
await copyDeclarations(`${folder}/built/esm`);
for (const name of DOCUMENTS) await Deno.copyFile(new URL(name, ROOT), new URL(name, OUTPUT));
const exports = Object.keys(ENTRY_POINTS).map((key, index) =>
  [key, { types: `./${NAMES[index]}.d.ts`, default: `./${NAMES[index]}.js` }] as const
);
await writePackageJson(OUTPUT, { ...packageMetadata(), exports: Object.fromEntries(exports) });

/** Copies the modules of the package into a folder. Returns the modules of Node.js that they import, such as `node:net`. */
async function copySources(target: string): Promise<string[]> {
  const { name, version, exports, compilerOptions } = config;
  await Deno.mkdir(target);
  const settings = JSON.stringify({ name, version, exports, compilerOptions });
  await Deno.writeTextFile(`${target}/deno.json`, settings);
  const modules = new Set<string>();
  for (const path of Object.values(ENTRY_POINTS)) {
    const args = ["info", "--json", "--no-config", new URL(path, ROOT).pathname];
    const { modules: found } = JSON.parse(await succeed(Deno.execPath(), args));
    for (const { specifier } of found) modules.add(specifier);
  }
  const sources = [...modules].filter((url) => url.startsWith(ROOT.href));
  for (const url of sources) {
    const file = join(target, url.slice(ROOT.href.length));
    const text = await Deno.readTextFile(new URL(url));
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text + (/\bNoInfer</.test(text) ? NO_INFER : ""));
  }
  const others = [...modules].filter((specifier) => !sources.includes(specifier));
  const foreign = others.filter((specifier) => !specifier.startsWith("node:"));
  if (foreign.length > 0) throw new Error(`The package may not import ${foreign.join(", ")}`);
  return others;
}

/** Builds the modules with dnt, which is loaded only if its registry can be reached. */
async function runDnt(builtins: readonly string[]): Promise<void> {
  const { build } = await import("@deno/dnt");
  await build({
    entryPoints: Object.entries(ENTRY_POINTS).map(([name, path]) => ({
      name,
      path: `${folder}/sources/${path}`,
    })),
    outDir: `${folder}/built`,
    shims: {},
    // This version of dnt does not know the modules of Node.js, and accepts no name that is not imported.
    mappings: Object.fromEntries(builtins.map((name) => [name, name])),
    test: false, // `deno task test:npm` runs the tests with the finished package
    scriptModule: false,
    skipSourceOutput: true,
    skipNpmInstall: true, // the library has no dependencies
    typeCheck: false, // the compilers of the consumers check the declarations
    compilerOptions: { target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"] },
    package: { name: config.name, version: config.version },
  });
}

/** Removes the polyfills and shims of dnt, which are side effects, and puts the real `globalThis` back. */
async function removeAdditions(built: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(built)) {
    const path = `${built}/${name}`;
    if (isDirectory) {
      await removeAdditions(path);
      continue;
    }
    const text = await Deno.readTextFile(path);
    const expected = ADDED[name];
    if (expected !== undefined) {
      const [, ...added] = text.split(/^\/\/ https:/m);
      if (added.length > 1 || !text.includes(expected)) {
        throw new Error(`Unexpected additions of dnt in ${path}: expected only "${expected}"`);
      }
      continue;
    }
    const without = text.replaceAll("dntShim.dntGlobalThis", "globalThis")
      .replaceAll(/^import (?:\* as dntShim from )?"[./]*_dnt\.\w+\.js";\n/gm, "");
    if (without !== text) await Deno.writeTextFile(path, without);
  }
}

/** Bundles the modules into few files, because they load faster. */
async function bundleModules(built: string): Promise<void> {
  const kind = { type: "module", sideEffects: false };
  await Deno.writeTextFile(`${built}/package.json`, JSON.stringify(kind));
  await bundle({
    absWorkingDir: built,
    entryPoints: NAMES.map((name) => `${name}.js`),
    outdir: OUTPUT.pathname,
    outbase: ".",
    bundle: true,
    splitting: true,
    chunkNames: "_[hash]",
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    target: "es2022", // not minified: an uncaught error shows a line that a human can read
    legalComments: "none",
    logLevel: "error",
  });
}

/** Copies the declarations of the entry points, and the declarations that they import. */
async function copyDeclarations(built: string): Promise<void> {
  const seen = new Set(NAMES);
  for (const name of seen) { // the set grows meanwhile
    const path = `${name}.d.ts`;
    const text = await Deno.readTextFile(join(built, path));
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|\bimport )"(\.[^"]*)\.js"/g)) {
      seen.add(join(dirname(name), specifier!));
    }
    const target = join(OUTPUT.pathname, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    const declaration = text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "")
      .replaceAll("Uint8Array<ArrayBuffer>", "ReturnType<typeof Uint8Array.of>"); // before TypeScript 5.7, not generic
    await Deno.writeTextFile(target, declaration);
  }
}
