import { build } from "@deno/dnt";
import config from "../../deno.json" with { type: "json" };
import { ENTRY_POINTS, ROOT } from "./metadata.ts";

/** Builds the modules with dnt in a folder, and returns the folder with the built modules. */
export async function buildWithDnt(folder: string): Promise<string> {
  await build({
    entryPoints: Object.entries(ENTRY_POINTS).map(([name, path]) => ({
      name,
      path: new URL(path, ROOT).pathname,
    })),
    outDir: `${folder}/built`,
    shims: {},
    // This version of dnt has to be told which modules belong to Node.js.
    mappings: { "node:fs": "node:fs", "node:net": "node:net" },
    test: false, // `deno task test:npm` runs the tests with the finished package
    scriptModule: false,
    skipSourceOutput: true,
    typeCheck: false, // the compilers of the consumers check the declarations
    compilerOptions: { target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"] },
    package: { name: config.name, version: config.version },
  });
  const built = `${folder}/built/esm`;
  await removePolyfill(built);
  return built;
}

/** Removes the imports of dnt's polyfill of `Object.hasOwn()`. It is a side effect, and every supported Node.js has the function. */
async function removePolyfill(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await removePolyfill(path);
    else if (name === "_dnt.polyfills.js") {
      const [, ...added] = (await Deno.readTextFile(path)).split(/^\/\/ https:/m);
      if (added.length !== 1 || !added[0]!.includes('defineProperty(Object, "hasOwn"')) {
        throw new Error(`Unexpected polyfills of dnt in ${path}: expected only Object.hasOwn()`);
      }
    } else if (name.endsWith(".js")) {
      const text = await Deno.readTextFile(path);
      const without = text.replace(/^import "[./]*_dnt\.polyfills\.js";\n/m, "");
      if (without !== text) await Deno.writeTextFile(path, without);
    }
  }
}
