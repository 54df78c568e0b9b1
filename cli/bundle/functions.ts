import { dirname, resolve } from "node:path";
import type { Application, FunctionCode } from "../application/types.ts";
import type { Runtime } from "../manifest/manifest.ts";
import { type ArchiveFile, fileOf } from "../archives/archive.ts";
import type { MissingAddon, ModuleBundle } from "./packages/types.ts";
import type { CopiedPackages } from "./bundler/messages.ts";
import { Bundles, type BundlesOptions } from "./modules/bundles.ts";
import { ownPlatform, type Platform } from "./packages/platforms.ts";
import { describeMissing, MissingAddonsError } from "./externals/remedies.ts";
import { filesForNode, type NodeFilesOptions } from "./node_files.ts";
import { unusedPackages } from "./unused_packages.ts";

export interface FunctionBundleOptions
  extends NodeFilesOptions, Pick<BundlesOptions, "isMinified" | "warn"> {
  /** The functions to bundle, by their names; all by default. */
  readonly names?: readonly string[] | undefined;
  /** The bundles of the folder of the manifest; by default new ones. */
  readonly bundles?: Bundles | undefined;
  /** Modules for Deno that are bundled together with the functions. */
  readonly alongside?: readonly string[] | undefined;
  /** The system that functions run on; this machine by default. */
  readonly platform?: Platform | undefined;
}

export interface BundledFunctions {
  /** The files of each function's archive, by the function's name, in the order of the manifest. */
  readonly functions: ReadonlyMap<string, ArchiveFile[]>;
  /** The bundles of their modules, by the function's name. */
  readonly bundles: ReadonlyMap<string, ModuleBundle>;
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

/** Bundles functions of an application. A module is bundled once. */
export async function bundleFunctions(
  manifestPath: string,
  application: Application,
  options: FunctionBundleOptions = {},
): Promise<BundledFunctions> {
  const folder = dirname(resolve(manifestPath));
  await using stack = new AsyncDisposableStack();
  const owner = options.bundles ?? stack.use(new Bundles({ ...options, folder }));
  const functions = new Map<string, ArchiveFile[]>();
  const bundles = new Map<string, ModuleBundle>();
  const problems = new Map<string, string>();
  const found: { name: string; path: string }[] = [];
  for (const name of options.names ?? Object.keys(application.functions)) {
    const { module } = application.functions[name]!.code;
    const path = resolve(folder, module);
    const isFile = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
    if (isFile) found.push({ name, path });
    else problems.set(name, `the module "${module}" is not a file in "${folder}"`);
  }
  const results = new Map<string, ModuleBundle | Error>();
  const byKind = Map.groupBy(found, ({ name }) => {
    const { runtime, code } = application.functions[name]!;
    return JSON.stringify([runtime, code.packages]);
  });
  for (const [kind, entries] of byKind) {
    const [runtime, packages] = JSON.parse(kind);
    const alongside = runtime === "deno" && packages.length === 0 ? options.alongside ?? [] : [];
    const paths = [...entries.map(({ path }) => path), ...alongside];
    const taken = await owner.take(paths, runtime, packages);
    for (const [index, { name }] of entries.entries()) results.set(name, taken[index]!);
  }
  const warnings = new Map<string, string[]>();
  const missing = new Map<string, readonly MissingAddon[]>();
  for (const { name } of found) {
    const bundle = results.get(name)!;
    const settings = application.functions[name]!;
    const problem = bundle instanceof Error ? bundle.message : problemOf(settings.code, bundle);
    if (problem !== undefined) problems.set(name, problem);
    if (bundle instanceof Error || problem !== undefined) continue;
    const { runtime } = settings;
    const copied = await copyOf(bundle, runtime, owner, options);
    if (copied instanceof MissingAddonsError) missing.set(name, copied.missing);
    else if (copied instanceof Error) problems.set(name, copied.message);
    if (copied instanceof Error) continue;
    bundles.set(name, bundle);
    for (const text of [...bundle.warnings ?? [], ...copied?.warnings ?? []]) {
      warnings.set(text, [...warnings.get(text) ?? [], `"${name}"`]);
    }
    const files = runtime === "deno"
      ? [...filesForDeno(settings.code, bundle), ...copied?.files ?? []]
      : await filesForNode(settings.code, bundle, copied?.files ?? [], options);
    functions.set(name, files);
  }
  for (const [name, problem] of unusedPackages(application, bundles)) problems.set(name, problem);
  // One command fetches the add-ons of all functions, so they have one problem.
  const problem = describeMissing([...missing.values()].flat());
  for (const name of missing.keys()) problems.set(name, problem);
  for (const [text, names] of warnings) {
    options.warn?.(
      `The ${names.length > 1 ? "functions" : "function"} ${names.join(", ")}: ${text}`,
    );
  }
  return { functions, bundles, problems };
}

/** Copies the packages that a bundle leaves out. */
async function copyOf(
  { externals }: ModuleBundle,
  runtime: Runtime,
  bundles: Bundles,
  { platform = ownPlatform(), signal }: FunctionBundleOptions,
): Promise<CopiedPackages | Error | undefined> {
  try {
    return externals && await bundles.copy({
      externals,
      platform: runtime === "deno" ? { ...platform, cpu: "none" } : platform,
      target: runtime,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    return error as Error;
  }
}

/** Tells why a function cannot run: its module does not export the handler. */
function problemOf(
  { module, export: handler }: FunctionCode,
  { exports }: ModuleBundle,
): string | undefined {
  if (exports?.includes(handler) !== false) return undefined;
  const found = exports.join(", ") || "nothing";
  return `the module "${module}" does not export "${handler}": it exports ${found}; ` +
    'export it, or name another one in "handler"';
}

/** Makes the files of a function for Deno: the bundled module, its source map, the hosts that it may connect to, the names of its secrets. */
function filesForDeno(
  { net, hosts, secrets }: FunctionCode,
  bundle: ModuleBundle,
): ArchiveFile[] {
  const encoder = new TextEncoder();
  const parameters = Object.values(secrets);
  return [
    fileOf(bundle, "index.mjs", () => bundle.code),
    fileOf(bundle, "index.mjs.map", () => bundle.map),
    { path: "mate/net", data: encoder.encode(`${net.includes("*") ? "*" : net}\n`) },
    { path: "mate/uses", data: encoder.encode(`${hosts}\n`) },
    ...parameters.length === 0
      ? []
      : [{ path: "mate/secrets", data: encoder.encode(`${parameters}\n`) }],
  ];
}
