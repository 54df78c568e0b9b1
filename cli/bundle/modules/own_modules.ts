import { resolve } from "node:path";
import type { ArchiveFile } from "../../archives/archive.ts";
import type { Architecture } from "../../programs/pinned_packages.ts";
import { filesOfLayer } from "../../runtime/layer.ts";
import { MODULES } from "../../runtime/modules.ts";
import { bundleModules, type ModuleBundleOptions } from "./module_bundle.ts";

/** Bundles modules of the tool together. Returns their code. */
export async function bundleOwn(
  urls: readonly [URL, ...URL[]],
  options: ModuleBundleOptions,
): Promise<string[]> {
  const bundles = await bundleModules(urls, {
    ...options,
    // In a checkout the configuration says where @mate/core is. In the published package the import says it.
    folder: import.meta.dirname && resolve(import.meta.dirname, "../../.."),
  });
  return bundles.map(({ code }) => code);
}

/**
 * Makes the layer for an architecture, except `bin/deno`.
 *
 * @throws {Error} If the runtime cannot be bundled.
 */
export async function layerFiles(
  architecture: Architecture,
  options: Pick<ModuleBundleOptions, "kept" | "signal"> = {},
): Promise<ArchiveFile[]> {
  const [runtime] = await bundleOwn([MODULES.runtime.url], options);
  return filesOfLayer(architecture, runtime!);
}
