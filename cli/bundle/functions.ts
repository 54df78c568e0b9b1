import { dirname, resolve } from "node:path";
import { permittedHosts, usedHosts } from "../application/hosts.ts";
import type { FunctionManifest, Manifest } from "../manifest/manifest.ts";
import type { ArchiveFile } from "./archive.ts";
import { Bundler } from "./bundler/bundler.ts";
import type { ModuleBundle } from "./bundler/messages.ts";

export interface FunctionBundleOptions {
  /** Whether names and white space are shortened. */
  readonly isMinified?: boolean | undefined;
  /** Bundles to use again, by the paths of the modules. New bundles are added. */
  readonly bundles?: Map<string, Promise<ModuleBundle>> | undefined;
  /** The bundler of the folder of the manifest; by default a new one. */
  readonly bundler?: Bundler | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BundledFunctions {
  /** The files of each function's archive, by the function's name, in the order of the manifest. */
  readonly functions: ReadonlyMap<string, ArchiveFile[]>;
  /** Why functions cannot be bundled, by the function's name. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Describes problems. Functions that share a module often have the same problem, which is then described once. */
export function describeProblems(
  problems: ReadonlyMap<string, string>,
): { readonly names: readonly string[]; readonly message: string }[] {
  return [...Map.groupBy(problems, ([, problem]) => problem)].map(([problem, entries]) => {
    const names = entries.map(([name]) => name);
    const list = names.map((name) => `"${name}"`).join(", ");
    const noun = names.length === 1 ? "function" : "functions";
    return { names, message: `Cannot bundle the ${noun} ${list}: ${problem}` };
  });
}

/** The error if functions cannot be bundled. */
export function bundleError(problems: ReadonlyMap<string, string>): Error {
  return new Error(describeProblems(problems).map(({ message }) => message).join("\n"));
}

/** Bundles every function of an application, as many at a time as there are processors. A module is bundled once. */
export async function bundleFunctions(
  manifestPath: string,
  manifest: Manifest,
  { bundles = new Map(), isMinified, signal, ...options }: FunctionBundleOptions = {},
): Promise<BundledFunctions> {
  const folder = dirname(resolve(manifestPath));
  await using stack = new AsyncDisposableStack();
  const bundler = options.bundler ?? stack.use(await Bundler.open({ folder, signal }));
  const bundle = (path: string) => {
    let made = bundles.get(path);
    if (made === undefined) {
      bundles.set(path, made = bundler.bundle(path, isMinified));
      made.catch(() => bundles.delete(path)); // Its fault may be gone the next time.
    }
    return made;
  };
  const entries = Object.entries(manifest.functions);
  const results = new Map<string, ArchiveFile[] | Error>();
  const waiting = entries.values();
  const work = async () => {
    for (const [name, settings] of waiting) {
      const result = await functionFiles(folder, settings, bundle)
        .catch((error: Error) => error);
      results.set(name, result);
    }
  };
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work));
  const functions = new Map<string, ArchiveFile[]>();
  const problems = new Map<string, string>();
  for (const [name] of entries) {
    const result = results.get(name)!;
    if (result instanceof Error) problems.set(name, result.message);
    else functions.set(name, result);
  }
  return { functions, problems };
}

/** Makes the files of a function: the bundled module, its source map, and the hosts that the function may connect to. */
async function functionFiles(
  folder: string,
  manifest: FunctionManifest,
  bundle: (path: string) => Promise<ModuleBundle>,
): Promise<ArchiveFile[]> {
  const { module, handler } = manifest;
  const path = resolve(folder, module);
  if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) {
    throw new Error(`the module "${module}" is not a file in "${folder}"`);
  }
  const { code, exports, map } = await bundle(path);
  if (exports?.includes(handler) === false) {
    const found = exports.join(", ") || "nothing";
    throw new Error(`the module "${module}" does not export "${handler}": it exports ${found}`);
  }
  const encoder = new TextEncoder();
  return [
    { path: "index.js", data: encoder.encode(code) },
    { path: "index.js.map", data: encoder.encode(map) },
    { path: "mate/net", data: encoder.encode(permittedHosts(manifest)) },
    { path: "mate/uses", data: encoder.encode(usedHosts(manifest)) },
  ];
}
