import { dirname, join } from "node:path";
import { importAll, parent } from "../../../testdata/bundle.ts";
import { Bundler } from "../bundler.ts";

let bundler: Promise<Bundler> | undefined;

/** Bundles modules, minified and not, without a configuration, writes the bundles beside them, and runs these. */
export async function startBundles(folder: string, names: readonly string[]) {
  const opened = await (bundler ??= Bundler.open({ folder: parent }));
  const files: string[] = [];
  for (const isMinified of [false, true]) {
    const bundles = await opened.bundleAll(names.map((name) => `${folder}/${name}`), {
      isMinified,
    });
    for (const [index, bundle] of bundles.entries()) {
      if (bundle instanceof Error) throw bundle;
      const file = join(folder, dirname(names[index]!), `index-${isMinified}.js`);
      await Deno.writeTextFile(file, bundle.code);
      files.push(file);
    }
  }
  return { files, results: await importAll(files) };
}
