import { fromFileUrl } from "./url.ts";
import type { ArchiveFile } from "./archive.ts";
import { bundleModule } from "./module_bundle.ts";
import type { Architecture } from "./pinned_deno.ts";

/**
 * Makes the layer for an architecture, but for `bin/deno`: the script that Lambda starts and the bundled runtime.
 *
 * @param architecture The architecture.
 * @param signal Ends it early.
 * @returns The files.
 * @throws {Error} If the runtime cannot be bundled.
 */
export async function layerFiles(
  architecture: Architecture,
  signal?: AbortSignal,
): Promise<ArchiveFile[]> {
  const script = await (await fetch(new URL("./bootstrap", import.meta.url))).bytes();
  const { code } = await bundleModule(
    fromFileUrl(new URL("runtime_bootstrap.ts", import.meta.url)),
    // Only the checkout's configuration says where @mate/core is; in the published package the import does.
    { signal, cwd: import.meta.dirname },
  );
  const encoder = new TextEncoder();
  return [
    { path: "bootstrap", data: script, isExecutable: true },
    { path: "mate/architecture", data: encoder.encode(`${architecture}\n`) },
    { path: "mate/bootstrap.js", data: encoder.encode(code) },
  ];
}
