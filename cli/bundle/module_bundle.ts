import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Bundler } from "./bundler/bundler.ts";
import type { ModuleBundle } from "./bundler/messages.ts";

export interface ModuleBundleOptions {
  /** The folder of the application, with its configuration; the folder of the module by default. */
  readonly folder?: string | undefined;
  /** Whether names and white space are shortened. Classes and functions keep their names. */
  readonly isMinified?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bundles one module and everything that it imports into one module, in a process of its own.
 *
 * @returns The JavaScript, its exports and its source map, without the paths of this machine.
 * @throws {Error} If a module is missing or invalid, or may not be imported.
 */
export async function bundleModule(
  module: string | URL,
  { folder, isMinified, signal }: ModuleBundleOptions = {},
): Promise<ModuleBundle> {
  const isRemote = module instanceof URL && module.protocol !== "file:";
  const specifier = isRemote
    ? module.href
    : resolve(module instanceof URL ? fileURLToPath(module) : module);
  try {
    await using bundler = await Bundler.open(
      isRemote ? { host: module.host, signal } : { folder: folder ?? dirname(specifier), signal },
    );
    return await bundler.bundle(specifier, isMinified);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(`Cannot bundle "${specifier}": ${(error as Error).message}`, { cause: error });
  }
}
