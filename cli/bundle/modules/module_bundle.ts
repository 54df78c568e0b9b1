import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleBundle, Target } from "../packages/types.ts";
import { Bundles, type BundlesOptions } from "./bundles.ts";

export interface ModuleBundleOptions
  extends Pick<BundlesOptions, "isMinified" | "kept" | "signal"> {
  /** The folder of the application, with its configuration; the folder of the module by default. */
  readonly folder?: string | undefined;
  /** What the bundle runs on; Deno by default. */
  readonly target?: Target | undefined;
  /** The bundles of the folder; by default new ones. */
  readonly bundles?: Bundles | undefined;
}

/**
 * Bundles one module and everything that it imports into one module, in a process of its own.
 *
 * @returns The JavaScript, its exports and its source map, without the paths of this machine.
 * @throws {Error} If a module is missing or invalid, or may not be imported.
 */
export async function bundleModule(
  module: string | URL,
  options: ModuleBundleOptions = {},
): Promise<ModuleBundle> {
  const [bundle] = await bundleModules([module], options);
  return bundle!;
}

/** Bundles modules of one folder or host as {@linkcode bundleModule} does, in one process. What they share is read once. */
export async function bundleModules(
  modules: readonly [string | URL, ...(string | URL)[]],
  { folder, target, bundles, ...options }: ModuleBundleOptions = {},
): Promise<ModuleBundle[]> {
  const [first] = modules;
  const host = first instanceof URL && first.protocol !== "file:" ? first.host : undefined;
  const specifiers = modules.map((module) =>
    host !== undefined
      ? String(module)
      : resolve(module instanceof URL ? fileURLToPath(module) : module)
  );
  let name = specifiers.join('", "');
  try {
    await using stack = new AsyncDisposableStack();
    const owner = bundles ?? stack.use(
      new Bundles({
        folder: host === undefined ? folder ?? dirname(specifiers[0]!) : undefined,
        host,
        ...options,
      }),
    );
    const results = await owner.take(specifiers, target);
    return results.map((bundle, index) => {
      if (!(bundle instanceof Error)) return bundle;
      name = specifiers[index]!;
      throw bundle;
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Error(`Cannot bundle "${name}": ${(error as Error).message}`, { cause: error });
  }
}
