import { build } from "@deno/dnt";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { succeed } from "../../testdata/programs.ts";
import { ENTRY_POINTS, ROOT } from "./metadata.ts";

/** Builds the modules with dnt in a folder, and returns the folder with the built modules. */
export async function buildWithDnt(folder: string): Promise<string> {
  const sources = `${folder}/sources`;
  const builtins = await copySources(sources);
  await build({
    entryPoints: Object.entries(ENTRY_POINTS).map(([name, path]) => ({
      name,
      path: `${sources}/${path}`,
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
  const built = `${folder}/built/esm`;
  await removeAdditions(built);
  return built;
}

/** What dnt adds even if nothing needs it: every supported Node.js has `Object.hasOwn()`, and there are no shims. */
const ADDED = {
  "_dnt.polyfills.js": 'defineProperty(Object, "hasOwn"',
  "_dnt.shims.js": "const dntGlobals = {};\n",
};

/** Removes the polyfills and shims of dnt, which are side effects, and puts the real `globalThis` back. */
async function removeAdditions(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) {
      await removeAdditions(path);
      continue;
    }
    const text = await Deno.readTextFile(path);
    const expected = Object.entries(ADDED).find(([file]) => file === name)?.[1];
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

/** TypeScript has this type from 5.4 on. The package works from 5.2 on, and dnt has an older compiler, too. */
const NO_INFER = "\ntype NoInfer<T> = [T][T extends unknown ? 0 : never];\n";

/** Copies the modules of the package into a folder. Returns the modules of Node.js that they import, such as `node:net`. */
async function copySources(folder: string): Promise<string[]> {
  const { name, version, exports, compilerOptions } = config;
  await Deno.mkdir(folder);
  const settings = JSON.stringify({ name, version, exports, compilerOptions });
  await Deno.writeTextFile(join(folder, "deno.json"), settings);
  const modules = new Set<string>();
  for (const path of Object.values(ENTRY_POINTS)) {
    const args = ["info", "--json", "--no-config", fileURLToPath(new URL(path, ROOT))];
    const { modules: found } = JSON.parse(await succeed(Deno.execPath(), args));
    for (const { specifier } of found) modules.add(specifier);
  }
  const sources = [...modules].filter((url) => url.startsWith(ROOT.href));
  for (const url of sources) {
    const file = join(folder, relative(fileURLToPath(ROOT), fileURLToPath(url)));
    const text = await Deno.readTextFile(new URL(url));
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text + (/\bNoInfer</.test(text) ? NO_INFER : ""));
  }
  const others = [...modules].filter((specifier) => !sources.includes(specifier));
  const foreign = others.filter((specifier) => !specifier.startsWith("node:"));
  if (foreign.length > 0) throw new Error(`The package may not import ${foreign.join(", ")}`);
  return others;
}
