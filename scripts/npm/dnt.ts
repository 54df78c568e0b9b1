import { build } from "@deno/dnt";
import config from "../../deno.json" with { type: "json" };
import { ENTRY_POINTS } from "./metadata.ts";
import { copySources } from "./sources.ts";

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
