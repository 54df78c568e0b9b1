import { assert } from "@std/assert";
import { Kept } from "../../../programs/kept.ts";
import type { ModuleBundle } from "../../packages/types.ts";
import { Bundles, type BundlesOptions } from "../bundles.ts";

/** The modules of an application with a configuration and a package. */
export const MODULES: Readonly<Record<string, string>> = {
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
export const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

export function textOf(bundle: ModuleBundle | Error | undefined): string {
  return bundle instanceof Error ? bundle.message : bundle!.code;
}

/** Bundles a module in a new run. Returns the bundle, and the warnings about what is kept. */
export async function run(folder: string, cache: string, name: string) {
  await pause();
  const warnings: string[] = [];
  const kept = new Kept((message) => warnings.push(message), cache);
  await using bundles = new Bundles({ folder, kept });
  const [bundle] = await bundles.take([`${folder}/${name}`]);
  return { bundle, warnings };
}

/** Returns the bundle of a module that an earlier run has kept. Nothing is bundled, because the signal forbids it. */
export async function find(
  folder: string,
  cache: string,
  name: string,
  options: Partial<BundlesOptions> = {},
): Promise<ModuleBundle | undefined> {
  await pause();
  const signal = AbortSignal.abort();
  await using bundles = new Bundles({
    folder,
    kept: new Kept(() => {}, cache),
    signal,
    ...options,
  });
  const found = await bundles.take([`${folder}/${name}`]).catch((error) => {
    assert(error instanceof DOMException, String(error));
    return [];
  });
  return found[0] as ModuleBundle | undefined;
}
