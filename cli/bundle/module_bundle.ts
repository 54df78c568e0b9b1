import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleBundle, Target } from "./bundler/messages.ts";
import { Bundles } from "./bundles.ts";
import type { Kept } from "../programs/kept.ts";

export interface ModuleBundleOptions {
  /** The folder of the application, with its configuration; the folder of the module by default. */
  readonly folder?: string | undefined;
  /** What the bundle runs on; Deno by default. */
  readonly target?: Target | undefined;
  /** Whether names and white space are shortened. Classes and functions keep their names. */
  readonly isMinified?: boolean | undefined;
  /** The results of earlier runs. */
  readonly kept?: Kept | undefined;
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
  { folder, target, isMinified, kept, signal }: ModuleBundleOptions = {},
): Promise<ModuleBundle> {
  const isRemote = module instanceof URL && module.protocol !== "file:";
  const specifier = isRemote
    ? module.href
    : resolve(module instanceof URL ? fileURLToPath(module) : module);
  try {
    await using bundles = new Bundles({
      folder: isRemote ? undefined : folder ?? dirname(specifier),
      host: isRemote ? module.host : undefined,
      isMinified,
      kept,
      signal,
    });
    const [bundle] = await bundles.take([specifier], target);
    if (bundle instanceof Error) throw bundle;
    return bundle!;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(`Cannot bundle "${specifier}": ${(error as Error).message}`, { cause: error });
  }
}
