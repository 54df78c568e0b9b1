import { bundleFunctions, type FunctionBundleOptions } from "../../bundle/functions.ts";
import { layerFiles } from "../../bundle/modules/own_modules.ts";
import { Kept } from "../../programs/kept.ts";
import { ownArchitecture } from "../../programs/pinned_packages.ts";
import { bundles, makeApp } from "../../testdata/bundle.ts";
import { isolation } from "../../testdata/sandbox.ts";
import { addCodeCaches, type CodeCacheOptions } from "../code_cache.ts";

export const architecture = ownArchitecture()!;

/** Bundles functions. The result makes the caches of some of them with the Deno that runs this test. */
export async function bundle(
  modules: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>>,
  bundling: FunctionBundleOptions = { bundles },
) {
  await using app = await makeApp(modules, settings);
  const application = await app.read();
  const bundled = await bundleFunctions(app.manifest, application, bundling);
  return async (names: readonly string[], options: Partial<CodeCacheOptions> = {}) => {
    const functions = new Map(names.map((name) => [name, [...bundled.functions.get(name)!]]));
    const warnings = await addCodeCaches(application, functions, {
      architecture,
      id: "layer",
      files: await layerFiles(architecture, { kept: new Kept(console.warn) }),
      deno: () => Promise.resolve(Deno.execPath()),
      isolation,
      ...options,
    });
    const paths = (name: string) => functions.get(name)!.map(({ path }) => path);
    return { functions, warnings, paths };
  };
}

/** Bundles functions, and makes the caches of all of them. */
export async function warm(
  modules: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>>,
  options: Partial<CodeCacheOptions> = {},
) {
  return await (await bundle(modules, settings))(Object.keys(settings), options);
}

/** The files of a function without a cache. */
export const FILES: readonly string[] = ["index.mjs", "index.mjs.map", "mate/net", "mate/uses"];
export const ONE = { one: { module: "one.ts" } };
