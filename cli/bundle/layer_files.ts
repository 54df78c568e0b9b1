import type { ArchiveFile } from "./archive.ts";
import { BOOTSTRAP } from "./bootstrap.ts";
import { bundleModule } from "./module_bundle.ts";
import type { Architecture } from "./pinned_deno.ts";

/** The module that the runtime is bundled from. Nothing calls `load`: it makes the runtime a part of the module graph. */
const RUNTIME = {
  url: new URL("runtime_bootstrap.ts", import.meta.url),
  load: () => import("./runtime_bootstrap.ts"),
};

/**
 * Makes the layer for an architecture, except `bin/deno`: the script that Lambda starts and the bundled runtime.
 *
 * @param architecture The architecture.
 * @param signal Ends the work early.
 * @returns The files.
 * @throws {Error} If the runtime cannot be bundled.
 */
export async function layerFiles(
  architecture: Architecture,
  signal?: AbortSignal,
): Promise<ArchiveFile[]> {
  const { code } = await bundleModule(RUNTIME.url, {
    signal,
    // In a checkout the configuration says where @mate/core is. In the published package the import says it.
    cwd: import.meta.dirname,
  });
  const encoder = new TextEncoder();
  return [
    { path: "bootstrap", data: encoder.encode(BOOTSTRAP), isExecutable: true },
    { path: "mate/architecture", data: encoder.encode(`${architecture}\n`) },
    { path: "mate/bootstrap.js", data: encoder.encode(code) },
  ];
}
