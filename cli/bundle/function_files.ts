import { dirname, resolve } from "node:path";
import type { FunctionManifest } from "../manifest/manifest.ts";
import type { ArchiveFile } from "./archive.ts";
import { isHost } from "./host.ts";
import { bundleModule } from "./module_bundle.ts";

/** How a function is bundled. */
export interface FunctionBundleOptions {
  /** Whether names and white space are shortened. */
  readonly isMinified?: boolean | undefined;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bundles a function: its module as `index.js`, and what it may do.
 *
 * @param manifestPath The path of the manifest, which the function's module is relative to.
 * @param name The name of the function.
 * @param manifest Its settings.
 * @param options How it is bundled.
 * @returns The files of its archive.
 * @throws {Error} If the module is missing, cannot be bundled or lacks the handler, or a host is none.
 */
export async function functionFiles(
  manifestPath: string,
  name: string,
  manifest: FunctionManifest,
  options: FunctionBundleOptions = {},
): Promise<ArchiveFile[]> {
  const { module, handler, permissions: { net } } = manifest;
  const folder = dirname(resolve(manifestPath));
  const path = resolve(folder, module);
  const action = `Cannot bundle the function "${name}"`;
  const host = net.find((item) => item !== "*" && !isHost(item));
  if (host !== undefined) {
    throw new TypeError(`${action}: "${host}" is no host, such as "api.example.com:443"`);
  }
  if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) {
    throw new Error(`${action}: its module "${module}" is no file in "${folder}"`);
  }
  const { code, exports } = await bundleModule(path, { ...options, cwd: folder, action });
  if (exports?.includes(handler) === false) {
    throw new Error(`${action}: its module "${module}" has no export "${handler}"`);
  }
  const encoder = new TextEncoder();
  return [
    { path: "index.js", data: encoder.encode(code) },
    { path: "mate/net", data: encoder.encode(`${net.includes("*") ? "*" : net.join(",")}\n`) },
  ];
}
