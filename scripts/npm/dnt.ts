import { build } from "@deno/dnt";
import config from "../../deno.json" with { type: "json" };
import { ENTRY_POINTS, ROOT } from "./metadata.ts";
import { offlineFlags } from "../std.ts";
import { copySources, filesBelow } from "./sources.ts";

/** What tests may use on Deno, and `@deno/shim-deno`, which stands for it on Node.js, does not have. */
const NOT_ON_NODE =
  /\bDeno\.(bundle|Command|connect|inspect|listen|serve|addSignalListener)\b|\baddEventListener\(/;

/** Tests that what dnt makes of them cannot pass, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "logger/_state_test.ts": "it expects a process of its own",
  "runtime/_failure_test.ts": "it expects its own name to end in .ts",
};

/**
 * Builds the modules with dnt, which runs their tests on Node.js as well.
 *
 * @param folder The folder to build in.
 * @returns The folder with the built modules.
 * @throws {Error} If the sources cannot be transformed, or a test fails on Node.js.
 */
export async function buildWithDnt(folder: string): Promise<string> {
  const source = new URL(`file://${folder}/source/`);
  await copySources(source, async (path) => {
    const reason = LEFT_OUT[path] ??
      (await needsDeno(new URL(path, ROOT)) ? "it uses what Deno alone has" : undefined);
    if (reason) console.error(`Not run on Node.js: ${path}: ${reason}`);
    return !reason;
  });
  await declareNoInfer(source);
  const built = new URL(`file://${folder}/built/esm/`);
  const importMap = await writeImportMap(source);
  await build({
    entryPoints: Object.entries(ENTRY_POINTS).map(([name, path]) => ({
      name,
      path: new URL(path, source).pathname,
    })),
    outDir: `${folder}/built`,
    rootTestDir: source.pathname,
    importMap,
    // This version of dnt has to be told which modules are those of Node.js.
    mappings: Object.fromEntries(
      Array.from(await importsBelow(source, /^node:/), (name) => [name, name]),
    ),
    shims: { deno: "dev" },
    scriptModule: false,
    skipSourceOutput: true,
    typeCheck: false, // the consumers' own compilers check what comes out
    compilerOptions: { target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"] },
    package: { name: config.name, version: config.version }, // and nothing that its test runner trips over
    async postBuild() {
      await removeAdditions(built);
      // The modules among the data are built, what tests read is not.
      for await (const file of filesBelow(new URL("testdata/", source))) {
        const target = new URL(file.href.slice(source.href.length), built);
        if (file.pathname.endsWith(".json")) await Deno.copyFile(file, target);
      }
    },
  });
  return built.pathname;
}

/** Whether a test, or what it imports from the data of the tests, uses what Deno alone has. */
async function needsDeno(file: URL): Promise<boolean> {
  const text = await Deno.readTextFile(file);
  if (NOT_ON_NODE.test(text)) return true;
  for (const [, path] of text.matchAll(/ from "(\.[^"]*\/testdata\/[^"]*\.ts)"/g)) {
    if (await needsDeno(new URL(path!, file))) return true;
  }
  return false;
}

/**
 * Writes the map by which tests find their libraries: the stand-ins for `@std`, which run on Node.js 20, while
 * `@std/encoding` itself needs 22.
 */
async function writeImportMap(source: URL): Promise<string> {
  const flag = offlineFlags().find((flag) => flag.startsWith("--import-map="))!;
  const { imports } = JSON.parse(decodeURIComponent(flag.slice(flag.indexOf(",") + 1)));
  for (const name of await importsBelow(source, /^@std\//)) {
    const target: string = imports[name];
    const copy = new URL(`stand_in_${target.slice(target.lastIndexOf("/") + 1)}`, source);
    await Deno.copyFile(new URL(target), copy);
    imports[name] = copy.href;
  }
  const map = new URL("import_map.json", source);
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  return map.pathname;
}

/** What matches of the modules that files import. */
async function importsBelow(folder: URL, pattern: RegExp): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const file of filesBelow(folder)) {
    const text = await Deno.readTextFile(file);
    for (
      const [, first, second] of text.matchAll(
        /^(?:import|export|\}).* from "([^".]+)"|\bimport\("([^".]+)"\)/gm,
      )
    ) {
      const name = (first ?? second)!;
      if (pattern.test(name)) names.add(name);
    }
  }
  return names;
}

/**
 * Removes what dnt adds to the modules: a polyfill for Node.js before 16.9, which is a side effect, and a proxy in
 * place of `globalThis`.
 */
async function removeAdditions(built: URL): Promise<void> {
  const text = await Deno.readTextFile(new URL("_dnt.polyfills.js", built));
  const [, ...added] = text.split(/^\/\/ https:/m); // each begins with where it is from
  if (added.length !== 1 || !added[0]!.includes('defineProperty(Object, "hasOwn"')) {
    throw new Error(`Cannot remove what dnt added: there is more than Object.hasOwn():\n${text}`);
  }
  for await (const file of filesBelow(built)) {
    if (/_(test|dnt)\b[^/]*$|\/testdata\//.test(file.pathname)) continue;
    const text = await Deno.readTextFile(file);
    const without = text
      .replace(/^import "[./]*_dnt\.polyfills\.js";\n/m, "")
      .replace(/^import \* as dntShim from "[./]*_dnt\.shims\.js";\n/m, "")
      .replaceAll("dntShim.dntGlobalThis", "globalThis");
    if (without !== text) await Deno.writeTextFile(file, without);
  }
}

/** Declares the type where it is used, for it came with TypeScript 5.4, which is newer than dnt's. */
async function declareNoInfer(source: URL): Promise<void> {
  for await (const file of filesBelow(source)) {
    const text = await Deno.readTextFile(file);
    if (!/\bNoInfer</.test(text)) continue;
    const type = "type NoInfer<T> = [T][T extends unknown ? 0 : never];";
    await Deno.writeTextFile(file, `${text}\n${type}\n`);
  }
}
